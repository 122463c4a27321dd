//===-- FramesTest.cpp - what lies in ptxas' stack frames -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Frames.h"
#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// Kernel `k` with so many bytes of stack frame.
TestUnit withFrame(unsigned Bytes) {
  TestUnit U;
  U.launch(128);
  U.Result.Resources["k"].StackFrame = Bytes;
  return U;
}

unsigned arraysInFrame(const Plan &P) {
  return llvm::count_if(P.Arrays, [](const PlannedArray &A) {
    return A.Frame == FrameAnswer::Holds;
  });
}

} // namespace

TEST(Frames, WithoutAFrameArraysAreInRegisters) {
  TestUnit U = withFrame(0);
  U.array();
  U.array(makeArray("c", 16, 4, 11)).HasConst = true;
  U.Arrays.back().Init = InitializerKind::List;
  const Plan P = U.plan();
  EXPECT_EQ(reasonOf(P, "a"), Reason::StaysInRegisters);
  EXPECT_EQ(reasonOf(P, "c"), Reason::StaysInRegisters);
  EXPECT_EQ(residencyOf(P.Arrays[0]), Residency::Registers);
}

TEST(Frames, AnArrayThatFitsMoves) {
  TestUnit U = withFrame(64);
  U.array();
  EXPECT_EQ(reasonOf(U.plan()), Reason::DynamicIndex);
  EXPECT_EQ(U.plan().Arrays[0].Frame, FrameAnswer::Holds);
}

TEST(Frames, WithoutPtxasTheOptimiserIsBelieved) {
  TestUnit U;
  U.launch(128);
  U.array();
  EXPECT_EQ(U.plan().Arrays[0].Frame, FrameAnswer::NotAsked);
  EXPECT_EQ(residencyOf(U.plan().Arrays[0]), Residency::LocalMemory);
}

TEST(Frames, WhatAKernelOfNobodyKnowsHoldsIsNotKnown) {
  TestUnit U = withFrame(0);
  U.Result.Facts.Kernels.push_back(makeKernel("other", 60));
  U.array().Kernels = {"k", "other"};
  EXPECT_EQ(U.plan().Arrays[0].Frame, FrameAnswer::NotAsked);
}

TEST(Frames, TheSumOfItsArraysIsInAFrame) {
  TestUnit U = withFrame(80);
  for (unsigned I = 0; I < 10; ++I)
    U.array(makeArray("a" + std::to_string(I), 6, 4, 10 + I));
  EXPECT_EQ(arraysInFrame(U.plan()), 0u); // Any three of them.
  U.Result.Resources["k"].StackFrame = 240;
  EXPECT_EQ(arraysInFrame(U.plan()), 10u);
}

TEST(Frames, TheLargestComeFirst) {
  TestUnit U = withFrame(64);
  U.array(makeArray("small", 4, 4, 10));
  U.array(makeArray("large", 16, 4, 11));
  const Plan P = U.plan();
  EXPECT_EQ(find(P, "large").Frame, FrameAnswer::Holds);
  EXPECT_EQ(find(P, "small").Frame, FrameAnswer::TooSmall);
  EXPECT_EQ(residencyOf(find(P, "small")), Residency::Unknown);
}

TEST(Frames, AnArrayIsAsLargeAsItsInstanceInTheKernel) {
  TestUnit U = withFrame(64);
  U.Result.Facts.Kernels.push_back(makeKernel("other", 60));
  U.Result.Facts.Launches.push_back(makeLaunch(128, "other"));
  U.Result.Resources["other"].StackFrame = 256;
  TestArray F = makeArray("a", 64), Small = makeArray("a", 16);
  F.Instances = {makeInstance(Small, "f16"), makeInstance(F, "f64")};
  F.KernelsOf = {{"f16", {"k"}}, {"f64", {"other"}}};
  U.array(F).Function.IsKernel = false;
  U.Result.Evidence.Arrays.back().ResidentBytes = 256;
  const Plan P = U.plan();
  EXPECT_EQ(P.Kernels[0].Frame.UnnamedBytes, 0u);
  EXPECT_EQ(P.Kernels[1].Frame.UnnamedBytes, 0u);
}

TEST(Frames, ArraysOneAfterTheOtherShareBytes) {
  TestUnit U = withFrame(64);
  U.array(makeArray("first", 16, 4, 10)).Scope = {"/a.cu", 10, 20};
  U.array(makeArray("second", 16, 4, 11)).Scope = {"/a.cu", 40, 20};
  EXPECT_EQ(arraysInFrame(U.plan()), 2u);
}

TEST(Frames, FunctionsOneAfterTheOtherShareBytesBesideTheKernel) {
  TestUnit U = withFrame(112);
  for (const char *Name : {"f", "g", "k"}) {
    TestArray F = makeArray(Name, *Name == 'k' ? 12 : 16, 4, Name[0]);
    F.Function.Id = Name;
    F.Function.IsKernel = *Name == 'k';
    U.array(F);
  }
  EXPECT_EQ(arraysInFrame(U.plan()), 3u);
  EXPECT_EQ(U.plan().Kernels[0].Frame.UnnamedBytes, 0u);
  U.Result.Resources["k"].StackFrame = 104;
  EXPECT_EQ(arraysInFrame(U.plan()), 2u);
}

// What a function holds is alive while it calls another one.
TEST(Frames, FunctionsThatCallEachOtherShareNoBytes) {
  TestUnit U = withFrame(64);
  for (const char *Name : {"f", "g"}) {
    TestArray F = makeArray(Name, 16, 4, Name[0]);
    F.Function.Id = Name;
    F.Function.IsKernel = false;
    U.array(F);
  }
  EXPECT_EQ(arraysInFrame(U.plan()), 2u);
  U.Result.Evidence.Arrays[1].Functions = {"f", "g"};
  EXPECT_EQ(arraysInFrame(U.plan()), 0u); // One of them is.
  U.Result.Resources["k"].StackFrame = 128;
  EXPECT_EQ(arraysInFrame(U.plan()), 2u);
}

TEST(Frames, OfArraysOfOneSizeNobodyKnowsWhichIsThere) {
  TestUnit U = withFrame(88);
  U.array(makeArray("a", 16, 4, 10));
  U.array(makeArray("b", 16, 4, 11));
  U.array(makeArray("c", 6, 4, 12));
  const Plan P = U.plan();
  EXPECT_EQ(find(P, "a").Frame, FrameAnswer::NotAsked);
  EXPECT_EQ(find(P, "b").Frame, FrameAnswer::NotAsked);
  EXPECT_EQ(find(P, "c").Frame, FrameAnswer::Holds);
}

// ptxas says what is stored, which may be more than there are slots for.
TEST(Frames, SpilledRegistersMayBeWhatAFrameHolds) {
  TestUnit U = withFrame(96);
  U.array();
  U.Result.Resources["k"].SpillStores = 32;
  EXPECT_EQ(U.plan().Arrays[0].Frame, FrameAnswer::Holds);
  U.Result.Resources["k"].SpillStores = 36;
  EXPECT_EQ(U.plan().Arrays[0].Frame, FrameAnswer::NotAsked);
  U.Result.Resources["k"].StackFrame = 56;
  EXPECT_EQ(U.plan().Arrays[0].Frame, FrameAnswer::TooSmall);
}

// Inlined, they lie beside each other, and their sum is what the frame has.
TEST(Frames, ArraysThatFillAFrameNeedNoRoundingBetweenThem) {
  TestUnit U = withFrame(128);
  unsigned Line = 10;
  for (unsigned Bytes : {100, 16, 12}) {
    TestArray F = makeArray("a" + std::to_string(Bytes), Bytes, 1, Line++);
    F.Function.Id = F.Name;
    F.Function.IsKernel = false;
    U.array(F);
  }
  EXPECT_EQ(arraysInFrame(U.plan()), 3u);
  EXPECT_EQ(U.plan().Kernels[0].Frame.UnnamedBytes, 0u);
}

// nvcc leaves out what no thread reads of it.
TEST(Frames, WhatMovedWasInTheFrameThatIsGone) {
  TestUnit U = withFrame(24);
  U.array(makeArray("table", 12));
  EXPECT_EQ(U.plan().Kernels[0].Frame.UnnamedBytes, 24u);
  NvccTrial V = confirmed(U);
  V.Before = U.Result.Resources;
  V.After["k"] = V.Before["k"];
  V.After["k"].StackFrame = 0;
  EXPECT_EQ(U.plan({}, {{V}}).Kernels[0].Frame.UnnamedBytes, 0u);
  V.After["k"].StackFrame = 24;
  EXPECT_EQ(U.plan({}, {{V}}).Kernels[0].Frame.UnnamedBytes, 24u);
}

TEST(Frames, OneKernelMayHaveRoomForAnArrayWhereAnotherHasNone) {
  MergedRun Run;
  MergedKernel &K = Run.Kernels.emplace_back();
  ReachedArray A;
  EXPECT_TRUE(mayHaveRoomFor(A, 0, Run)); // Nobody asked ptxas.
  K.Original.emplace();
  EXPECT_FALSE(mayHaveRoomFor(A, 0, Run));
  K.Original->Callees["f"].Bytes = 64;
  EXPECT_FALSE(mayHaveRoomFor(A, 0, Run));
  A.Evidence.Functions = {"f"};
  EXPECT_TRUE(mayHaveRoomFor(A, 0, Run));
  K.Original->Callees.clear();
  A.KernelsApart = {0};
  EXPECT_TRUE(mayHaveRoomFor(A, 0, Run));
}

TEST(Frames, AFunctionThatIsNotInlinedHasAFrameOfItsOwn) {
  TestUnit U = withFrame(0);
  U.Result.Resources["k"].Callees["_Z4pickPi"].Bytes = 64;
  TestArray &A = U.array();
  A.Function.IsKernel = false;
  EXPECT_EQ(U.plan().Arrays[0].Frame, FrameAnswer::NoFrame)
      << "another function";
  U.Result.Evidence.Arrays[0].Functions = {"_Z4pickPi"};
  EXPECT_EQ(U.plan().Arrays[0].Frame, FrameAnswer::Holds);
}

// Clang unrolls the loop of a list, and leaves only a part of it in memory.
TEST(Frames, WhatClangDoesNotLeaveOfAnArrayMayBeTheRest) {
  TestUnit U = withFrame(64);
  ArrayEvidence InPart = resident();
  InPart.ResidentBytes = 48;
  U.array(makeArray(), InPart);
  EXPECT_EQ(U.plan().Kernels[0].Frame.UnnamedBytes, 0u);
  // Beside all of the array there is something else.
  U.Result.Resources["k"].StackFrame = 80;
  EXPECT_EQ(U.plan().Kernels[0].Frame.UnnamedBytes, 16u);
}

TEST(Frames, SpilledRegistersAreNotNamed) {
  TestUnit U = withFrame(72);
  EXPECT_EQ(U.plan().Kernels[0].Frame.UnnamedBytes, 72u);
  U.Result.Resources["k"].SpillStores = 4;
  EXPECT_EQ(U.plan().Kernels[0].Frame.UnnamedBytes, 0u);
}

TEST(Frames, AnArrayThatIsLargerIsNoPartOfOne) {
  TestUnit U = withFrame(32);
  U.array();
  const Plan P = U.plan();
  EXPECT_EQ(P.Arrays[0].Frame, FrameAnswer::TooSmall);
  EXPECT_EQ(P.Kernels[0].Frame.UnnamedBytes, 32u);
}

TEST(Frames, AnArrayWhoseMoveChangesNoFrameExplainsNone) {
  TestUnit U = withFrame(64);
  U.array();
  const Plan Moved = U.plan({}, {{confirmed(U)}});
  EXPECT_EQ(residencyOf(Moved.Arrays[0]), Residency::LocalMemory);
  EXPECT_EQ(Moved.Kernels[0].Frame.UnnamedBytes, 0u);
  const Plan Stays = planWithFramesKept(U, {"k"});
  EXPECT_EQ(reasonOf(Stays), Reason::StackFrameKept);
  EXPECT_EQ(residencyOf(Stays.Arrays[0]), Residency::Unknown);
  EXPECT_EQ(Stays.Kernels[0].Frame.UnnamedBytes, 64u);
}

// It may be where registers are spilled now.
TEST(Frames, SpilledRegistersMayTakeTheBytesOfAnArray) {
  TestUnit U = withFrame(64);
  U.array();
  NvccTrial V = confirmed(U);
  V.After["k"] = V.Before["k"];
  V.After["k"].SpillStores = 4;
  EXPECT_EQ(residencyOf(U.plan({}, {{V}}).Arrays[0]), Residency::LocalMemory);
}

namespace {

// Two arrays of 64 bytes, which move out of a frame of so many, and the plan
// when that is known.
struct TwoMoves {
  explicit TwoMoves(unsigned Frame) : U(withFrame(Frame)) {
    for (const char *Name : {"a", "b"}) {
      U.array(makeArray(Name, 16, 4, Name[0]));
      U.Result.Evidence.Arrays.back().ResidentBytes = 64;
    }
    Known.Trials = {confirmed(U)};
    Known.Trials[0].Before["k"].StackFrame = Frame;
  }
  Plan plan() const { return U.plan(Options, Known); }
  // Asks with so many bytes in the frame that is left.
  void ask(unsigned Frame) {
    NvccTrial V = Known.Trials[0];
    V.Changed = changesOf(plan());
    V.After["k"].StackFrame = Frame;
    Known.Trials.push_back(V);
  }

  TestUnit U;
  PlanOptions Options;
  Measured Known;
};

} // namespace

TEST(Frames, AnArrayWithoutWhoseMoveNoFrameIsLargerIsInRegisters) {
  TwoMoves M(64);
  M.U.Result.Evidence.Arrays[1].ResidentBytes = 60;
  ASSERT_TRUE(doubtMoves(M.plan(), M.Known));
  EXPECT_EQ(changesOf(M.plan()).size(), 1u);
  EXPECT_FALSE(isSettled(M.plan(), M.Known));
  M.ask(0);
  EXPECT_TRUE(isSettled(M.plan(), M.Known));
  EXPECT_TRUE(doubtMoves(M.plan(), M.Known));
  EXPECT_FALSE(doubtMoves(M.plan(), M.Known));
  EXPECT_EQ(reasonOf(M.plan(), "a"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(M.plan(), "b"), Reason::StaysInRegisters);
  EXPECT_EQ(residencyOf(find(M.plan(), "b")), Residency::Registers);
}

TEST(Frames, SpilledRegistersMayHaveTakenTheBytesThatAnArrayLeft) {
  TwoMoves M(64);
  M.Known.Trials[0].After["k"].StackFrame = 8;
  M.Known.Trials[0].After["k"].SpillStores = 8;
  ASSERT_TRUE(doubtMoves(M.plan(), M.Known));
  M.ask(8);
  EXPECT_TRUE(doubtMoves(M.plan(), M.Known));
  EXPECT_EQ(M.Known.Doubts.begin()->second, Doubt::InFrame);
}

TEST(Frames, BytesOfAnInstanceThatTheKernelDoesNotRunRaiseNoDoubt) {
  TwoMoves M(64);
  for (TestArray &A : M.U.Arrays) {
    A.Instances = {makeInstance(A, "k", {"k"})};
    A.Instances[0].Shape.BytesPerThread = 32;
  }
  EXPECT_FALSE(doubtMoves(M.plan(), M.Known));
}

// Whether `a` pays without `b` is another question.
TEST(Frames, NvccIsAskedOfAnArrayAlsoWhereNothingElsePays) {
  TwoMoves M(64);
  M.U.Result.Evidence.Arrays[1].ResidentBytes = 60;
  KernelWork &W = M.U.Result.Evidence.Work["k"];
  W.Instructions = 1000;
  W.Arrays = {{0, {{}, updated(1), {}}}, {1, {{}, updated(300), {}}}};
  M.Options.MinSpeedup = 1.05;
  ASSERT_EQ(changesOf(M.plan()).size(), 2u);
  ASSERT_TRUE(doubtMoves(M.plan(), M.Known));
  EXPECT_EQ(changesOf(M.plan()).size(), 1u);
  M.ask(0);
  EXPECT_TRUE(doubtMoves(M.plan(), M.Known));
  EXPECT_EQ(reasonOf(M.plan(), "a"), Reason::NotProfitable);
  EXPECT_EQ(reasonOf(M.plan(), "b"), Reason::StaysInRegisters);
}

TEST(Frames, AnArrayThatComesBackIntoTheFrameMoves) {
  TwoMoves M(64);
  for (unsigned Each = 0; Each < 2; ++Each) {
    ASSERT_TRUE(doubtMoves(M.plan(), M.Known));
    M.ask(64);
    ASSERT_TRUE(doubtMoves(M.plan(), M.Known)); // It was not so.
    EXPECT_EQ(changesOf(M.plan()).size(), 2u);
    EXPECT_TRUE(isSettled(M.plan(), M.Known));
  }
  EXPECT_FALSE(doubtMoves(M.plan(), M.Known));
}

TEST(Frames, NothingIsSaidOfAnArrayWhoseBytesAnotherOneKeeps) {
  TwoMoves M(64);
  M.U.Arrays[0].Scope = {"/a.cu", 100, 50};
  M.U.array(makeArray("c", 16, 4, 9)).Scope = {"/a.cu", 200, 50};
  M.U.Arrays[2].Obstacles = {{Reason::Nolint, onLine(9), ""}};
  ASSERT_TRUE(doubtMoves(M.plan(), M.Known));
  EXPECT_EQ(M.Known.Doubts.size(), 1u);
  EXPECT_EQ(M.Known.Doubts.count(M.U.Arrays[1].Where), 1u);
}

TEST(Frames, AnArrayHasTheBytesOfOneBeforeItSoThatTheRestIsNamed) {
  TestUnit U = withFrame(88);
  U.array(makeArray("a", 16)).Scope = {"/a.cu", 100, 50};
  U.array(makeArray("b", 16, 4, 9)).Scope = {"/a.cu", 200, 50};
  const Plan P = U.plan();
  EXPECT_EQ(arraysInFrame(P), 2u);
  EXPECT_EQ(P.Kernels[0].Frame.UnnamedBytes, 24u);
}

TEST(Frames, WhatAFrameLosesInFullIsNotDoubted) {
  TwoMoves M(128);
  EXPECT_FALSE(doubtMoves(M.plan(), M.Known));
}
