//===-- InstancesTest.cpp - one text for several kernels ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of a __device__ function, or of a template, has one text for all the
// kernels that reach it: its storage must be large enough for the largest of
// their blocks, and takes its bytes from each of them.
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// Adds a kernel and, with Threads, a launch of it.
void addKernel(TestUnit &U, const std::string &Name, unsigned Line,
               unsigned Threads) {
  U.Result.Facts.Kernels.push_back(makeKernel(Name, Line));
  if (Threads)
    U.Result.Facts.Launches.push_back(makeLaunch(Threads, Name, 100 + Line));
}

// Kernel `k` with 64 threads and kernel `other` with Threads.
TestUnit twoKernels(unsigned Threads) {
  TestUnit U;
  U.launch(64);
  addKernel(U, "other", 60, Threads);
  return U;
}

// An array of a function `f` that both kernels call.
TestArray inFunction(uint64_t Elements = 16) {
  TestArray F = makeArray("a", Elements);
  F.Function.Name = F.Function.Id = "f";
  F.Function.IsKernel = false;
  F.Kernels = {"k", "other"};
  return F;
}

// --- Device functions ------------------------------------------------------

TEST(DeviceFunction, StorageIsForTheLargestBlock) {
  TestUnit U = twoKernels(256);
  U.array(inFunction());
  Plan P = U.plan();
  const Verdict &V = find(P, "a").Verdict;
  EXPECT_EQ(V.Why, Reason::DynamicIndex);
  EXPECT_EQ(V.Storage.Threads, 256u);
  EXPECT_EQ(V.Storage.ThreadsText, "");
  EXPECT_EQ(V.SharedBytes, 256u * 64);
}

TEST(DeviceFunction, EveryKernelPaysForAllOfIt) {
  TestUnit U = twoKernels(256);
  U.array(inFunction());
  Plan P = U.plan();
  EXPECT_EQ(P.Kernels[0].SharedAfter, 256u * 64);
  EXPECT_EQ(P.Kernels[1].SharedAfter, 256u * 64);
  EXPECT_TRUE(P.Kernels[0].AddLaunchBounds);
  EXPECT_TRUE(P.Kernels[1].AddLaunchBounds);
  // Each bound is still the kernel's own.
  EXPECT_EQ(P.Kernels[0].Block.Threads, 64u);
}

TEST(DeviceFunction, KernelThatDoesNotReachItPaysNothing) {
  TestUnit U = twoKernels(256);
  TestArray F = inFunction();
  F.Kernels = {"k"};
  U.array(F);
  Plan P = U.plan();
  EXPECT_EQ(P.Kernels[0].SharedAfter, 64u * 64);
  EXPECT_EQ(P.Kernels[1].SharedAfter, 0u);
  EXPECT_FALSE(P.Kernels[1].AddLaunchBounds);
}

TEST(DeviceFunction, OneKernelOfUnknownBlockSizeKeepsIt) {
  TestUnit U = twoKernels(0);
  U.array(inFunction());
  EXPECT_EQ(reasonOf(U.plan()), Reason::BlockSizeUnknown);
}

// The kernels' bounds are spelled with names of the kernels.
TEST(DeviceFunction, BoundIsANumber) {
  TestUnit U;
  U.kernel().Bounds = LaunchBounds{128, "THREADS"};
  TestArray F = inFunction();
  F.Kernels = {"k"};
  U.array(F);
  Plan P = U.plan();
  EXPECT_EQ(find(P, "a").Verdict.Storage.ThreadsText, "");
  EXPECT_EQ(find(P, "a").Verdict.Storage.Threads, 128u);
}

// Else the type of its elements would depend on what the bound depends on.
TEST(DependentBounds, AreANumberWhereElementsAreOfAClass) {
  TestUnit U;
  U.kernel().Bounds = LaunchBounds{128, "THREADS", true, /*Dependent=*/true};
  TestArray F = makeArray("a", 4, 4, 10);
  U.array(F);
  EXPECT_EQ(find(U.plan(), "a").Verdict.Storage.ThreadsText, "THREADS");
  U.Arrays[0].FixedClass = true;
  EXPECT_EQ(find(U.plan(), "a").Verdict.Storage.ThreadsText, "");
  EXPECT_EQ(find(U.plan(), "a").Verdict.Storage.Threads, 128u);
  U.kernel().Bounds->Dependent = false;
  EXPECT_EQ(find(U.plan(), "a").Verdict.Storage.ThreadsText, "THREADS");
}

TEST(DeviceFunction, SharesTheBudgetOfEachKernel) {
  TestUnit U = twoKernels(64);
  U.shared().StaticBytes = 40 * 1024;
  U.array(inFunction(33)); // 8448 bytes: 8192 are left in `k`.
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P), Reason::OverBudget);
  EXPECT_EQ(find(P, "a").Verdict.Detail,
            "it needs 8448 bytes per block, 8192 are free");
  EXPECT_EQ(P.Kernels[0].SharedAfter, 40u * 1024);
  EXPECT_EQ(P.Kernels[1].SharedAfter, 0u);
}

TEST(DeviceFunction, ExactlyWhatIsLeftInTheFullerKernelFits) {
  TestUnit U = twoKernels(64);
  U.shared().StaticBytes = 40 * 1024;
  U.array(inFunction(32));
  EXPECT_EQ(reasonOf(U.plan()), Reason::DynamicIndex);
}

TEST(DeviceFunction, LeavesLessForTheKernelsOwnArrays) {
  TestUnit U = twoKernels(64);
  U.array(inFunction(96)); // 24 KB of each.
  U.array(makeArray("own", 97, 4, 11));
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P, "a"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(P, "own"), Reason::OverBudget);
}

TEST(DeviceFunction, WideningMustFitIntoEveryKernel) {
  TestUnit U = twoKernels(64);
  U.shared().StaticBytes = 44 * 1024;
  TestArray F = inFunction(32);
  F.Shape.ElementBytes = 1; // 2 KB packed, 8 KB with a word each.
  U.array(F, resident(Uniformity::NonUniform));
  EXPECT_EQ(find(U.plan(), "a").Verdict.Form, StripeForm::Packed);
  U.shared().StaticBytes = 40 * 1024;
  EXPECT_EQ(find(U.plan(), "a").Verdict.Form, StripeForm::Wide);
}

TEST(DeviceFunction, FramesThatAreKeptGiveBackToEveryKernel) {
  TestUnit U = twoKernels(256);
  U.array(inFunction());
  const Plan P = planWithFramesKept(U, {"k", "other"});
  for (const KernelPlan &K : P.Kernels) {
    EXPECT_EQ(K.SharedAfter, K.SharedBefore);
    EXPECT_FALSE(K.AddLaunchBounds);
  }
}

// --- Kernels that may not be edited ----------------------------------------

TEST(KernelOutsideThePaths, CannotGetBounds) {
  TestUnit U = twoKernels(64);
  U.Result.Facts.Kernels[1].MayEdit = false;
  U.array(inFunction());
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P), Reason::OutsidePaths);
  EXPECT_EQ(find(P, "a").Verdict.Detail,
            "its kernel 'other' needs launch bounds");
  EXPECT_EQ(find(P, "a").Verdict.Where, onLine(60));
}

TEST(KernelOutsideThePaths, MayHaveBoundsAlready) {
  TestUnit U = twoKernels(64);
  U.Result.Facts.Kernels[1].MayEdit = false;
  U.Result.Facts.Kernels[1].Bounds = LaunchBounds{64, "64"};
  U.array(inFunction());
  EXPECT_EQ(reasonOf(U.plan()), Reason::DynamicIndex);
}

// --- Instantiations --------------------------------------------------------

// Two instantiations of the template `k`, whose bounds are one text.
TestUnit twoInstantiations(unsigned First, unsigned Second) {
  TestUnit U;
  U.Result.Facts.Kernels = {makeKernel("k<int>"), makeKernel("k<char>")};
  if (First)
    U.Result.Facts.Launches.push_back(makeLaunch(First, "k<int>"));
  if (Second)
    U.Result.Facts.Launches.push_back(makeLaunch(Second, "k<char>", 101));
  return U;
}

// `T a[16]` in them.
TestArray ofTypeT() {
  TestArray F = makeArray();
  F.ElementDependent = true;
  F.Kernels = {"k<char>", "k<int>"};
  TestArray Small = F;
  Small.Shape.ElementBytes = 1;
  F.KernelsOf["k<char>"] = {"k<char>"};
  F.Instances = {makeInstance(Small, "k<char>"),
                 makeInstance(F, "k<int>", {"k<int>"})};
  return F;
}

TEST(Instantiations, ShareTheBoundsThatAreAdded) {
  TestUnit U = twoInstantiations(64, 256);
  U.array(ofTypeT());
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  for (const KernelPlan &K : P.Kernels) {
    EXPECT_EQ(K.Block.Threads, 256u);
    EXPECT_EQ(K.Block.Text, "launch at a.cu:101 (literal)");
    EXPECT_TRUE(K.AddLaunchBounds);
  }
}

TEST(Instantiations, OneOfUnknownBlockSizeKeepsAll) {
  TestUnit U = twoInstantiations(64, 0);
  U.array(ofTypeT());
  EXPECT_EQ(reasonOf(U.plan()), Reason::BlockSizeUnknown);
}

// Launches of the other one may have any size.
TEST(Instantiations, OneOfUnknownBlockSizeDecidesTheBoundsOfAll) {
  TestUnit U = twoInstantiations(192, 1);
  forgetBlock(U.Result.Facts.Launches[1]);
  U.array(ofTypeT());
  giveText(U.Result);
  PlanOptions Options;
  Options.SharedLimit = 100 * 1024;
  for (unsigned Registers : {16u, 90u}) {
    U.Result.Resources["k<int>"].Registers = Registers;
    Plan P = U.plan(Options);
    EXPECT_TRUE(find(P, "a").Verdict.Storage.Dynamic);
    for (const KernelPlan &K : P.Kernels) {
      EXPECT_EQ(K.Block.Threads, 0u);
      EXPECT_EQ(K.Block.ToAdd, 1024u);
    }
  }
}

// Even one that has no such array: it would get the bounds all the same.
TEST(Instantiations, OneThatDoesNotReachTheArrayCountsToo) {
  TestUnit U = twoInstantiations(64, 0);
  TestArray F = makeArray();
  F.Function.Id = "k<int>";
  F.Kernels = {"k<int>"};
  U.array(F, resident(Uniformity::NonUniform));
  EXPECT_EQ(reasonOf(U.plan()), Reason::BlockSizeUnknown);
}

TEST(Instantiations, BoundsOfTheirOwnAreNotShared) {
  TestUnit U = twoInstantiations(64, 0);
  U.Result.Facts.Kernels[0].Bounds = LaunchBounds{64, "T::threads"};
  U.Result.Facts.Kernels[1].Bounds = LaunchBounds{256, "T::threads"};
  U.array(ofTypeT());
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(find(P, "a").Verdict.Storage.ThreadsText, "T::threads");
}

TEST(Instantiations, TakeTheirOwnBytes) {
  TestUnit U = twoInstantiations(64, 64);
  TestArray F = ofTypeT();
  F.Instances[0].Shape.ElementBytes = F.Instances[0].Alignment = 8;
  U.array(F);
  Plan P = U.plan();
  EXPECT_EQ(find(P, "a").Verdict.Form, StripeForm::Unit);
  EXPECT_EQ(P.Kernels[0].SharedAfter, 64u * 16 * 8); // k<char>
  EXPECT_EQ(P.Kernels[1].SharedAfter, 64u * 16 * 4); // k<int>
  EXPECT_EQ(find(P, "a").Verdict.SharedBytes, 64u * 16 * 8);
}

// A bound spelled with a template argument is each instantiation's own.
TEST(Instantiations, TakeBytesForTheirOwnBound) {
  TestUnit U = twoInstantiations(0, 0);
  U.Result.Facts.Kernels[0].Bounds = LaunchBounds{64, "N"};
  U.Result.Facts.Kernels[1].Bounds = LaunchBounds{256, "N"};
  U.array(ofTypeT());
  Plan P = U.plan();
  ASSERT_EQ(P.Kernels[0].Facts.Name, "k<char>");
  EXPECT_EQ(P.Kernels[0].SharedAfter, 256u * 16 * 4);
  EXPECT_EQ(P.Kernels[1].SharedAfter, 64u * 16 * 4);
}

TEST(Instantiations, OfAFunctionEachTakeBytesFromOneKernel) {
  TestUnit U;
  U.launch(128);
  TestArray F = inFunction();
  F.Kernels = {"k"};
  F.Instances = {makeInstance(F, "f<1>", {"k"}), makeInstance(F, "f<2>", {"k"}),
                 makeInstance(F, "f<3>", {})};
  U.array(F);
  Plan P = U.plan();
  EXPECT_EQ(find(P, "a").Verdict.SharedBytes, 2u * 128 * 64);
  EXPECT_EQ(P.Kernels[0].SharedAfter, 2u * 128 * 64);
}

TEST(Instantiations, WithElementsOfOtherSizesLeaveTheUnitToTheType) {
  TestUnit U = twoInstantiations(64, 64);
  TestArray F = ofTypeT();
  F.ElementDependent = false; // A macro that means two types.
  U.array(F);
  EXPECT_EQ(find(U.plan(), "a").Verdict.Form, StripeForm::Unit);
}

} // namespace
