//===-- MergeTest.cpp - several translation units as one run --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headers that many units include, kernels of one name in several programs,
// and launches in other units than the kernel.
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

Plan planOf(const TestUnit &A, const TestUnit &B) {
  return makePlan({A.result(), B.result()}, PlanOptions());
}

// A unit that includes /k.cuh, which holds kernel `k` and its array.
TestUnit includer(const std::string &File, unsigned Threads = 128) {
  TestUnit U(File);
  U.kernel() = makeKernel("k", 1, "/k.cuh");
  U.launch(Threads).Where.File = File;
  U.array().Where.File = "/k.cuh";
  U.Result.Facts.Contents["/k.cuh"] = "";
  return U;
}

TestArray &arrayOf(TestUnit &U) { return U.Arrays.front(); }

TEST(Merge, ArrayOfAHeaderIsOneFinding) {
  Plan P = planOf(includer("/a.cu"), includer("/b.cu"));
  ASSERT_EQ(P.Arrays.size(), 1u);
  ASSERT_EQ(P.Kernels.size(), 1u);
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(P.Contents.size(), 3u);
}

// `k<<<1, 512>>>(s)` launches lib::k(S) for nvcc, by the namespace of S, and an
// instance of ::k for Clang.
TEST(Merge, LaunchesCountForKernelsThatArgumentsFind) {
  auto BlockOf = [](const std::string &Id) {
    TestUnit U;
    U.launch(512);
    Kernel Found = makeKernel("lib::k", 7);
    Found.Id = Id;
    U.Result.Facts.Kernels.push_back(Found);
    U.Result.Facts.Launches.push_back(makeLaunch(64, Id, 110));
    return U.plan().Kernels.back().Block.Threads;
  };
  EXPECT_EQ(BlockOf("_ZN3lib1kENS_1SE"), 512u);
  EXPECT_EQ(BlockOf("_ZN3lib1kEi"), 64u);
}

// What one unit gives a function of a header another one does not see.
TEST(Merge, FunctionsOfAHeaderBecomeTemplatesForOneIncluderOnly) {
  auto Unit = [](const std::string &File, const std::string &Includes) {
    TestUnit U(File);
    Callee C;
    C.Where.File = "/f.cuh";
    C.Parameters[0].Deduced = "p_pointer";
    U.Result.Facts.Callees = {C};
    U.Result.Facts.Sources = {{Includes, ""}, {File, ""}};
    return U;
  };
  auto Deduced = [&](const std::string &Other) {
    Plan P = planOf(Unit("/a.cu", "/f.cuh"), Unit("/b.cu", Other));
    return P.Callees.begin()->second.Parameters[0].Deduced;
  };
  EXPECT_EQ(Deduced("/f.cuh"), "");
  EXPECT_EQ(Deduced("/g.cuh"), "p_pointer");
}

TEST(Merge, LaunchesOfAllIncludersCount) {
  Plan P = planOf(includer("/a.cu", 64), includer("/b.cu", 256));
  EXPECT_EQ(P.Kernels.front().Block.Threads, 256u);
  EXPECT_EQ(P.Kernels.front().Block.Text, "launch at b.cu:100 (literal)");
}

TEST(Merge, AnUnknownLaunchInOneIncluderIsEnough) {
  TestUnit B = includer("/b.cu");
  forgetBlock(B.Result.Facts.Launches.front());
  EXPECT_EQ(reasonOf(planOf(includer("/a.cu"), B)), Reason::BlockSizeUnknown);
}

TEST(Merge, OtherTypeDiffers) {
  TestUnit B = includer("/b.cu");
  arrayOf(B).Shape.Type = "double[16]";
  Plan P = planOf(includer("/a.cu"), B);
  EXPECT_EQ(reasonOf(P), Reason::TranslationUnitsDiffer);
  EXPECT_EQ(find(P, "a").Verdict.Detail, "/b.cu");
}

TEST(Merge, OtherExtentsDiffer) {
  TestUnit B = includer("/b.cu");
  arrayOf(B).Shape.Extents = {32};
  EXPECT_EQ(reasonOf(planOf(includer("/a.cu"), B)),
            Reason::TranslationUnitsDiffer);
}

TEST(Merge, OtherElementSizeDiffers) {
  TestUnit B = includer("/b.cu");
  arrayOf(B).Shape.ElementBytes = 8;
  EXPECT_EQ(reasonOf(planOf(includer("/a.cu"), B)),
            Reason::TranslationUnitsDiffer);
}

TEST(Merge, OtherInitialiserDiffers) {
  TestUnit B = includer("/b.cu");
  arrayOf(B).Init = InitializerKind::Zero;
  EXPECT_EQ(reasonOf(planOf(includer("/a.cu"), B)),
            Reason::TranslationUnitsDiffer);
}

TEST(Merge, AnObjectThatIsAnArrayElsewhereDiffers) {
  TestUnit B = includer("/b.cu");
  arrayOf(B).IsObject = true;
  EXPECT_EQ(reasonOf(planOf(includer("/a.cu"), B)),
            Reason::TranslationUnitsDiffer);
}

TEST(Merge, AVariableThatIsNoArrayElsewhereDiffers) {
  TestUnit A = includer("/a.cu"), B("/b.cu", /*WithKernel=*/false);
  EXPECT_EQ(reasonOf(planOf(A, B)), Reason::DynamicIndex);
  B.Result.Facts.NoArrays.insert(arrayOf(A).Where);
  EXPECT_EQ(reasonOf(planOf(A, B)), Reason::TranslationUnitsDiffer);
}

TEST(Merge, UseThatOneUnitDoesNotSeeDiffers) {
  TestUnit B = includer("/b.cu");
  arrayOf(B).Uses.push_back(makeUse());
  EXPECT_EQ(reasonOf(planOf(includer("/a.cu"), B)),
            Reason::TranslationUnitsDiffer);
}

TEST(Merge, UseInAnotherPlaceDiffers) {
  TestUnit A = includer("/a.cu"), B = includer("/b.cu");
  arrayOf(A).Uses.front().Where = onLine(40, "/k.cuh");
  arrayOf(B).Uses.front().Where = onLine(60, "/k.cuh");
  EXPECT_EQ(reasonOf(planOf(A, B)), Reason::TranslationUnitsDiffer);
}

TEST(Merge, ObstacleInOneUnitIsEnough) {
  TestUnit B = includer("/b.cu");
  arrayOf(B).Obstacles = {{Reason::RangeFor, onLine(12, "/k.cuh"), ""}};
  EXPECT_EQ(reasonOf(planOf(includer("/a.cu"), B)), Reason::RangeFor);
}

TEST(Merge, ObstacleThatTheIrShowsCounts) {
  TestUnit B = includer("/b.cu");
  B.Result.Evidence.Arrays.front().Obstacles = {
      {Reason::InlineAssembly, onLine(12, "/k.cuh"), ""}};
  EXPECT_EQ(reasonOf(planOf(includer("/a.cu"), B)), Reason::InlineAssembly);
  // The first in source order is the one that is told.
  arrayOf(B).Obstacles = {{Reason::RangeFor, onLine(14, "/k.cuh"), ""}};
  EXPECT_EQ(reasonOf(planOf(includer("/a.cu"), B)), Reason::InlineAssembly);
}

// Of a library's parallel_for, the launch bounds are known and nothing else.
TEST(Merge, KernelsOfSystemHeadersBoundBlocks) {
  TestUnit U("/a.cu", /*WithKernel=*/false);
  TestArray F = makeArray();
  F.Function.IsKernel = false;
  F.Kernels = {"each"};
  U.array(F);
  EXPECT_NE(reasonOf(U.plan()), Reason::DynamicIndex);
  U.Result.Evidence.SystemKernels["each"] = {onLine(7, "/lib/each.h"), 192};
  const Plan P = U.plan();
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(find(P, "a").Verdict.Storage.Threads, 192u);
  ASSERT_EQ(P.Kernels.size(), 1u);
  EXPECT_FALSE(P.Kernels[0].AddLaunchBounds);
  // Its launches may ask for memory of the kernel's own.
  U.Result.Evidence.Kernels["each"].UsesDynamic = true;
  EXPECT_EQ(reasonOf(U.plan()), Reason::DynamicSharedMemory);
}

TEST(Merge, ResidentInOneUnitIsEnough) {
  TestUnit A = includer("/a.cu"), B = includer("/b.cu");
  A.Result.Evidence.Arrays.front().Where = Residency::Registers;
  B.Result.Evidence.Arrays.front().Index = Uniformity::NonUniform;
  Plan P = planOf(A, B);
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(find(P, "a").Evidence.Index, Uniformity::NonUniform);
}

TEST(Merge, ArrayInRegistersEverywhereStaysThere) {
  TestUnit A = includer("/a.cu");
  A.Result.Evidence.Arrays.front().Where = Residency::Registers;
  TestUnit B = A;
  EXPECT_EQ(reasonOf(planOf(A, B)), Reason::StaysInRegisters);
}

TEST(Merge, SharedMemoryOfAKernelIsTheMostOfAllUnits) {
  TestUnit A = includer("/a.cu"), B = includer("/b.cu");
  A.shared().StaticBytes = 64;
  B.shared().StaticBytes = 256;
  EXPECT_EQ(planOf(A, B).Kernels.front().SharedBefore, 256u);
}

TEST(Merge, RegistersAreTheMostOfAllUnits) {
  TestUnit A = includer("/a.cu"), B = includer("/b.cu");
  A.Result.Resources["k"].Registers = 20;
  B.Result.Resources["k"].Registers = 40;
  EXPECT_EQ(planOf(A, B).Kernels.front().Registers, 40u);
}

TEST(Merge, BoundsThatUnitsReadDifferentlyAreTheirMaximum) {
  TestUnit A = includer("/a.cu"), B = includer("/b.cu");
  A.kernel().Bounds = LaunchBounds{128, "Threads"};
  B.kernel().Bounds = LaunchBounds{256, "Threads"};
  Plan P = planOf(A, B);
  EXPECT_EQ(P.Kernels.front().Block.Threads, 256u);
  EXPECT_EQ(P.Kernels.front().Facts.Bounds->Text, "");
}

TEST(Merge, BoundsThatUnitsReadTheSameKeepTheirText) {
  TestUnit A = includer("/a.cu");
  A.kernel().Bounds = LaunchBounds{128, "Threads"};
  TestUnit B = A;
  EXPECT_EQ(planOf(A, B).Kernels.front().Facts.Bounds->Text, "Threads");
}

// Where a unit sees none, nothing stops a larger launch of its kernel, and
// adding bounds would give the other unit two of them.
TEST(Merge, BoundsThatOneUnitDoesNotSeeAreNone) {
  TestUnit A = includer("/a.cu"), B = includer("/b.cu");
  A.kernel().Bounds = LaunchBounds{128, "128"};
  EXPECT_EQ(reasonOf(planOf(A, B)), Reason::KernelInMacro);
  EXPECT_EQ(reasonOf(planOf(B, A)), Reason::KernelInMacro);
}

TEST(Merge, ProgramsMayHaveKernelsOfOneName) {
  TestUnit A("/a.cu"), B("/b.cu");
  A.launch(64);
  A.array();
  B.launch(256);
  B.array().Where.File = "/b.cu";
  Plan P = planOf(A, B);
  ASSERT_EQ(P.Kernels.size(), 2u);
  EXPECT_EQ(P.Kernels[0].Block.Threads, 64u);
  EXPECT_EQ(P.Kernels[1].Block.Threads, 256u);
  ASSERT_EQ(P.Arrays.size(), 2u);
  EXPECT_EQ(P.Arrays[0].Kernels, std::vector<unsigned>{0});
  EXPECT_EQ(P.Arrays[1].Kernels, std::vector<unsigned>{1});
}

TEST(Merge, LaunchInAnotherUnitReachesTheKernel) {
  TestUnit A("/a.cu"), B("/b.cu", /*WithKernel=*/false);
  A.launch(64);
  A.array();
  B.launch(256);
  EXPECT_EQ(planOf(A, B).Kernels.front().Block.Threads, 256u);
  EXPECT_EQ(planOf(B, A).Kernels.front().Block.Threads, 256u);
}

TEST(Merge, LaunchOfADeclaredKernelMayMeanAnyOfThatName) {
  TestUnit A("/a.cu"), B("/b.cu"), C("/c.cu", /*WithKernel=*/false);
  C.launch(96);
  Plan P = makePlan({A.result(), B.result(), C.result()}, PlanOptions());
  EXPECT_EQ(P.Kernels[0].Block.Threads, 96u);
  EXPECT_EQ(P.Kernels[1].Block.Threads, 96u);
}

// One text for two kernels, as for two callers of a function.
TEST(Merge, BodyThatTwoKernelsIncludeIsMadeForTheLargerBlock) {
  TestUnit A = includer("/a.cu", 64), B = includer("/b.cu", 256);
  A.kernel() = makeKernel("k", 1, "/a.cu");
  B.kernel() = makeKernel("k", 1, "/b.cu");
  Plan P = planOf(A, B);
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(find(P, "a").Verdict.Storage.Threads, 256u);
  EXPECT_EQ(P.Kernels[0].SharedAfter, 256u * 64);
  EXPECT_EQ(P.Kernels[1].SharedAfter, 256u * 64);
}

// Another instantiation of a template, or another REAL in a signature.
TEST(Merge, UnitsMayInstantiateATemplateDifferently) {
  TestUnit A = includer("/a.cu"), B = includer("/b.cu");
  B.kernel().Id = B.kernel().Name = "k<double>";
  B.Result.Facts.Launches.front().KernelId = "k<double>";
  arrayOf(B).Function.Id = "k<double>";
  arrayOf(B).Kernels = {"k<double>"};
  arrayOf(B).Shape.ElementBytes = 8;
  Plan P = planOf(A, B);
  ASSERT_EQ(P.Arrays.size(), 1u);
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  ASSERT_EQ(P.Kernels.size(), 2u);
  EXPECT_EQ(P.Kernels[0].SharedAfter, 128u * 64);
  EXPECT_EQ(P.Kernels[1].SharedAfter, 128u * 128);
}

} // namespace
