//===-- CallGraphTest.cpp - calls from one unit into another --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Units of relocatable device code list their functions, so that a kernel of
// one reaches the arrays of another.
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "plan/LinkedCalls.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

DeviceFunction function(const std::string &Id, std::vector<std::string> Calls,
                        bool Defined = true) {
  DeviceFunction F;
  F.Id = Id;
  F.Calls = std::move(Calls);
  F.Defined = Defined;
  return F;
}

// Kernel `k`, which calls `f` of another unit.
TestUnit caller(unsigned Threads = 128) {
  TestUnit U("/a.cu");
  U.launch(Threads);
  U.Result.Evidence.Functions = {function("f", {}, /*Defined=*/false),
                                 function("k", {"f"})};
  return U;
}

// The unit of `f`, which holds the array `a` and makes Calls.
TestUnit library(std::vector<std::string> Calls = {}) {
  TestUnit U("/b.cu", /*WithKernel=*/false);
  TestArray F = makeArray();
  F.Where.File = "/b.cu";
  F.Function.Name = F.Function.Id = "f";
  F.Function.IsKernel = false;
  F.Kernels.clear();
  U.array(F);
  U.Result.Evidence.Functions = {function("f", std::move(Calls))};
  return U;
}

Plan planOf(const TestUnit &A, const TestUnit &B) {
  return makePlan({A.result(), B.result()}, PlanOptions());
}

TEST(CallGraph, AKernelReachesArraysOfOtherUnits) {
  Plan P = planOf(caller(), library());
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(find(P, "a").Kernels, std::vector<unsigned>{0});
  EXPECT_EQ(find(P, "a").Verdict.Storage.Threads, 128u);
  EXPECT_EQ(P.Kernels[0].SharedAfter, 128u * 64);
}

// Each function has a frame of its own, in the object of its unit.
TEST(CallGraph, AFunctionOfAnotherUnitHasAFrame) {
  TestUnit A = caller(), B = library();
  A.Result.Resources["k"].StackFrame = 64;
  EXPECT_EQ(planOf(A, B).Arrays[0].Frame, FrameAnswer::NotAsked);
  B.Result.Resources["f"].StackFrame = 72;
  B.Result.Evidence.Arrays[0].Functions = {"f"};
  EXPECT_EQ(planOf(A, B).Arrays[0].Frame, FrameAnswer::Holds);
  B.Result.Resources["f"].StackFrame = 8;
  EXPECT_EQ(planOf(A, B).Arrays[0].Frame, FrameAnswer::NotAsked);
}

TEST(CallGraph, FramesAreThoseOfAllThatIsCalled) {
  const TestUnit A = caller(), B = library({"g", "f"});
  LinkedCalls Calls;
  Calls.add(A.result());
  Calls.add(B.result());
  ResourceTable T;
  for (const char *Id : {"f", "g", "h", "k"})
    T[Id].StackFrame = 8;
  Calls.addFrames(T);
  EXPECT_EQ(T["k"].calleeFrames(), 16u);
  EXPECT_EQ(T["f"].calleeFrames(), 8u);
}

TEST(CallGraph, InWhateverOrderTheUnitsCome) {
  EXPECT_EQ(reasonOf(planOf(library(), caller())), Reason::DynamicIndex);
}

TEST(CallGraph, ByADetourThroughAThirdUnit) {
  TestUnit A = caller(), B("/c.cu", /*WithKernel=*/false);
  A.Result.Evidence.Functions = {function("g", {}, /*Defined=*/false),
                                 function("k", {"g"})};
  B.Result.Evidence.Functions = {function("g", {"f"}),
                                 function("f", {}, /*Defined=*/false)};
  Plan P =
      makePlan({A.result(), B.result(), library().result()}, PlanOptions());
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
}

TEST(CallGraph, AKernelThatDoesNotCallItDoesNotReachIt) {
  TestUnit A = caller();
  A.Result.Evidence.Functions = {function("k", {})};
  EXPECT_EQ(reasonOf(planOf(A, library())), Reason::NoKernel);
}

// Whole-program compilation: `f` of the one is not `f` of the other.
TEST(CallGraph, UnitsThatAreNotLinkedAreApart) {
  TestUnit A = caller(), B = library();
  A.Result.Evidence.Functions.clear();
  B.Result.Evidence.Functions.clear();
  EXPECT_EQ(reasonOf(planOf(A, B)), Reason::NoKernel);
}

TEST(CallGraph, AKernelOfUnknownBlockSizeKeepsArraysOfOtherUnits) {
  TestUnit A = caller();
  forgetBlock(A.Result.Facts.Launches.front());
  EXPECT_EQ(reasonOf(planOf(A, library())), Reason::BlockSizeUnknown);
}

// The linker holds the registers of the callee against the bound.
TEST(CallGraph, BoundsForLargeBlocksMightNotLink) {
  TestUnit A = caller();
  A.Result.Facts.Launches.front().Threads = 512;
  EXPECT_EQ(reasonOf(planOf(A, library())), Reason::BlockSizeUnknown);
  A.Result.Facts.Launches.front().Threads = 256;
  EXPECT_EQ(reasonOf(planOf(A, library())), Reason::DynamicIndex);
  A.Result.Facts.Launches.front().Threads = 512;
  A.kernel().Bounds = LaunchBounds{512, ""};
  EXPECT_EQ(reasonOf(planOf(A, library())), Reason::DynamicIndex);
}

// Another program defines a kernel and a function of these names in one unit.
TEST(CallGraph, BoundsForLargeBlocksBesideAnotherProgram) {
  TestUnit A = caller(512), Other("/other.cu");
  Other.kernel().Where.File = "/other.cu";
  Other.Result.Evidence.Functions = {function("k", {"f"}), function("f", {})};
  EXPECT_EQ(
      reasonOf(makePlan({A.result(), library().result(), Other.result()}, {})),
      Reason::BlockSizeUnknown);
}

TEST(CallGraph, BoundsForLargeBlocksWithoutCallsIntoOtherUnits) {
  TestUnit A = caller();
  A.Result.Facts.Launches.front().Threads = 512;
  A.Result.Evidence.Functions = {function("k", {})};
  A.array(makeArray("own", 4, 4, 20));
  EXPECT_EQ(reasonOf(planOf(A, library()), "own"), Reason::DynamicIndex);
}

TEST(CallGraph, LaunchesBringTheMemoryWhereBoundsMightNotLink) {
  TestUnit A = caller(), B = library();
  A.Result.Facts.Launches.front().Threads = 512;
  giveText(A.Result);
  Plan P = planOf(A, B);
  EXPECT_TRUE(find(P, "a").Verdict.Storage.Dynamic);
  EXPECT_FALSE(P.Kernels.front().AddLaunchBounds);
}

TEST(CallGraph, SharedMemoryOfOtherUnitsCounts) {
  TestUnit B = library();
  B.Result.Evidence.Functions.front().Shared.StaticBytes = 1024;
  Plan P = planOf(caller(), B);
  EXPECT_EQ(P.Kernels[0].SharedBefore, 1024u);
  EXPECT_EQ(P.Kernels[0].SharedAfter, 1024u + 128 * 64);
}

TEST(CallGraph, WaitingInAnotherUnitCounts) {
  TestUnit B = library();
  B.Result.Evidence.Waiting = {B.Result.Evidence.Functions.front().Id};
  EXPECT_EQ(reasonOf(planOf(caller(), B), "a"), Reason::WaitsForBlocks);
}

TEST(CallGraph, WhatAUnitWithoutIrReachesStays) {
  TestUnit Unread("/c.cu");
  Unread.Result.Evidence.Problem = "no code";
  auto Reason = [&](const TestUnit &A, const TestUnit &B) {
    return reasonOf(
        makePlan({A.result(), B.result(), Unread.result()}, PlanOptions()));
  };
  EXPECT_EQ(Reason(caller(), library()), Reason::NoEvidence);
  // Nor does anybody know how long what it defines may wait.
  TestUnit A = caller(), Apart = caller();
  A.array();
  EXPECT_EQ(Reason(A, TestUnit("/b.cu")), Reason::NoEvidence);
  Apart.Result.Evidence.Functions.clear();
  Apart.array();
  EXPECT_EQ(Reason(Apart, TestUnit("/b.cu")), Reason::DynamicIndex);
}

TEST(CallGraph, RecursionThroughAnotherUnit) {
  TestUnit A = caller();
  A.Result.Evidence.Functions.push_back(function("g", {"f"}));
  Plan P = planOf(A, library({"g"}));
  EXPECT_EQ(reasonOf(P), Reason::RecursiveFunction);
  EXPECT_EQ(find(P, "a").Verdict.Detail,
            "it calls itself through another translation unit");
}

TEST(CallGraph, RecursionInAnotherUnitKeepsTheArraysOfAKernel) {
  TestUnit A = caller(), B("/b.cu", /*WithKernel=*/false);
  A.array();
  B.Result.Evidence.Functions = {function("f", {"f"})};
  Plan P = planOf(A, B);
  EXPECT_EQ(reasonOf(P), Reason::RecursiveFunction);
  EXPECT_EQ(find(P, "a").Verdict.Detail,
            "kernel 'k' calls 'f', and it calls itself");
  B.Result.Evidence.Functions = {function("f", {"g"}), function("g", {"h"}),
                                 function("h", {"i", "g"}), function("i", {})};
  P = planOf(A, B);
  EXPECT_EQ(find(P, "a").Verdict.Detail,
            "kernel 'k' calls 'g', and it calls itself");
  B.Result.Evidence.Functions.pop_back();
  B.Result.Evidence.Functions.back().Calls = {"i"};
  B.Result.Evidence.Functions.push_back(function("i", {}));
  EXPECT_EQ(reasonOf(planOf(A, B)), Reason::DynamicIndex);
}

// `f` calls back what another unit gave it.
TEST(CallGraph, RecursionThroughAPointerThatAnotherUnitHas) {
  auto ReasonIf = [](std::vector<std::string> Named) {
    TestUnit A = caller();
    A.Result.Evidence.Functions.push_back(function("back", {"f"}));
    A.Result.Evidence.Functions.push_back(
        function(CalledByPointer.str(), std::move(Named)));
    return reasonOf(planOf(A, library({CalledByPointer.str()})));
  };
  EXPECT_EQ(ReasonIf({"back"}), Reason::RecursiveFunction);
  EXPECT_EQ(ReasonIf({"g"}), Reason::DynamicIndex);
}

TEST(CallGraph, AUnitThatWasNotGivenMayDoAnything) {
  TestUnit B = library({"missing"});
  B.Result.Evidence.Functions.push_back(
      function("missing", {}, /*Defined=*/false));
  Plan P = planOf(caller(), B);
  EXPECT_EQ(reasonOf(P), Reason::UnseenCallee);
  EXPECT_EQ(find(P, "a").Verdict.Detail, "missing");
}

// It may wait for other blocks, or have memory that launches bring.
TEST(CallGraph, AKernelThatCallsWhatNobodyDefinesKeepsItsArraysInPlace) {
  auto Why = [](bool Defined) {
    TestUnit A = caller();
    A.Result.Evidence.Functions = {function("k", {"callee"}),
                                   function("callee", {}, Defined)};
    A.array();
    return reasonOf(makePlan({A.result()}, PlanOptions()));
  };
  EXPECT_EQ(Why(/*Defined=*/false), Reason::UnseenCallee);
  EXPECT_EQ(Why(/*Defined=*/true), Reason::DynamicIndex);
}

// Launches see to both.
TEST(CallGraph, WhatIsDecidedOfAKernelThatCallsWhatNobodyDefinesIsDone) {
  TestUnit A = caller();
  A.array();
  giveText(A.Result);
  PlanOptions Options;
  EXPECT_EQ(reasonOf(makePlan({A.result()}, Options)), Reason::UnseenCallee);
  Options.Choose = true;
  EXPECT_EQ(reasonOf(makePlan({A.result()}, Options)), Reason::UnseenCallee);
  Options.Choose = false;
  Options.Decisions = {decision(Layout::Stripe)};
  const Plan P = makePlan({A.result()}, Options);
  EXPECT_TRUE(find(P, "a").Verdict.usesShared());
  EXPECT_TRUE(P.Kernels.front().HasVersion);
  EXPECT_TRUE(P.Kernels.front().Waits);
  EXPECT_TRUE(find(P, "a").Verdict.Storage.Behind);
}

// Nobody knows which memory that takes the array for.
TEST(CallGraph, AnArrayThatIsHandedToWhatNobodyDefinesStays) {
  TestUnit A = caller();
  A.array();
  giveText(A.Result);
  A.Result.Evidence.Arrays.front().IsHandedOn = true;
  PlanOptions Options;
  Options.Decisions = {decision(Layout::Slot)};
  const Plan P = makePlan({A.result()}, Options);
  EXPECT_EQ(reasonOf(P), Reason::UnseenCallee);
  EXPECT_EQ(find(P, "a").Verdict.Detail, "f");
}

// A pointer may lead to another file's function.
TEST(CallGraph, AKernelThatCallsByPointerWhereThereAreOtherFiles) {
  auto Why = [](Outside Others) {
    TestUnit A = caller();
    A.Result.Evidence.Functions = {function("k", {CalledByPointer.str()})};
    A.kernel().Bounds = LaunchBounds{128, ""};
    A.array();
    PlanOptions Options;
    Options.Others = Others;
    return reasonOf(makePlan({A.result()}, Options));
  };
  EXPECT_EQ(Why(Outside::Files), Reason::UnseenCallee);
  EXPECT_EQ(Why(Outside::Nobody), Reason::DynamicIndex);
}

// Another unit's function takes an array for local memory.
TEST(CallGraph, LocalMemoryThatAnotherUnitNames) {
  auto Why = [](bool IsHandedOn, bool NamesIt) {
    TestUnit A = caller(), B = library();
    A.Result.Evidence.Functions = {function("k", {"f"})};
    ArrayEvidence E = resident();
    E.IsHandedOn = IsHandedOn;
    A.array(makeArray(), E);
    B.Result.Evidence.Functions.front().NamesLocalMemory = NamesIt;
    return reasonOf(planOf(A, B));
  };
  EXPECT_EQ(Why(true, true), Reason::InlineAssembly);
  EXPECT_EQ(Why(true, false), Reason::DynamicIndex);
  EXPECT_EQ(Why(false, true), Reason::DynamicIndex);
}

} // namespace
