//===-- FramesTest.cpp - what lies in ptxas' stack frames -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

FrameObject object(const std::string &Name, uint64_t Bytes, bool Survives,
                   unsigned Line = 5) {
  FrameObject O;
  O.Name = Name;
  O.Type = "Setup";
  O.Function = "k";
  O.Where = onLine(Line);
  O.Bytes = Bytes;
  O.Survives = Survives;
  return O;
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
  EXPECT_EQ(arraysInFrame(U.plan()), 3u);
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

TEST(Frames, ArraysOneAfterTheOtherShareBytes) {
  TestUnit U = withFrame(64);
  U.array(makeArray("first", 16, 4, 10)).Scope = {"/a.cu", 10, 20};
  U.array(makeArray("second", 16, 4, 11)).Scope = {"/a.cu", 40, 20};
  EXPECT_EQ(arraysInFrame(U.plan()), 2u);
}

TEST(Frames, AFunctionThatIsNotInlinedHasAFrameOfItsOwn) {
  TestUnit U = withFrame(0);
  U.Result.Resources["k"].Callees["_Z4pickPi"] = 64;
  TestArray &A = U.array();
  A.Function.IsKernel = false;
  EXPECT_EQ(U.plan().Arrays[0].Frame, FrameAnswer::NoFrame)
      << "another function";
  U.Result.Evidence.Arrays[0].Functions = {"_Z4pickPi"};
  EXPECT_EQ(U.plan().Arrays[0].Frame, FrameAnswer::Holds);
}

TEST(Frames, WhatNoArrayExplainsIsNamed) {
  TestUnit U = withFrame(72);
  U.Result.Evidence.Objects["k"] = {object("s", 68, true),
                                    object("other", 24, true, 6),
                                    object("gone", 68, false, 7)};
  const FrameUse F = U.plan().Kernels[0].Frame;
  ASSERT_EQ(F.Objects.size(), 1u);
  EXPECT_EQ(F.Objects[0].Name, "s");
  EXPECT_EQ(F.UnnamedBytes, 0u);
}

TEST(Frames, WhatArraysExplainIsNotNamedTwice) {
  TestUnit U = withFrame(64);
  U.array();
  U.Result.Evidence.Objects["k"] = {object("s", 64, true)};
  EXPECT_TRUE(U.plan().Kernels[0].Frame.Objects.empty());
}

TEST(Frames, SpilledRegistersAreNotNamed) {
  TestUnit U = withFrame(72);
  EXPECT_EQ(U.plan().Kernels[0].Frame.UnnamedBytes, 72u);
  U.Result.Resources["k"].SpillStores = 4;
  EXPECT_EQ(U.plan().Kernels[0].Frame.UnnamedBytes, 0u);
}

TEST(Frames, AnArrayOfWhichNothingSurvivesCanBeWhatAFrameHolds) {
  TestUnit U = withFrame(64);
  ArrayEvidence InRegisters = resident();
  InRegisters.Where = Residency::Registers;
  U.array(makeArray(), InRegisters);
  U.Result.Evidence.Objects["k"] = {object("a", 64, false, 10)};
  const Plan P = U.plan();
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(P.Arrays[0].Frame, FrameAnswer::Holds);
  EXPECT_TRUE(P.Kernels[0].Frame.Objects.empty());
}

TEST(Frames, OfAnArrayThatIsLargerAPartIsNamed) {
  TestUnit U = withFrame(32);
  U.array();
  const Plan P = U.plan();
  EXPECT_EQ(P.Arrays[0].Frame, FrameAnswer::TooSmall);
  ASSERT_EQ(P.Kernels[0].Frame.Objects.size(), 1u);
  EXPECT_EQ(P.Kernels[0].Frame.Objects[0].Name, "a");
  EXPECT_FALSE(P.Kernels[0].Frame.Objects[0].Survives);
}
