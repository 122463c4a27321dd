//===-- ReserveTest.cpp - controls to measure against ---------------------===//
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

// The array `a` of 16 words in a kernel of 64 threads, which uses 100 bytes of
// shared memory itself.
TestUnit moving(bool BodySeen = true) {
  TestUnit U;
  U.kernel().StaticSharedBytes = 100;
  if (BodySeen)
    U.kernel().BodyStart = {"/a.cu", 30, 0};
  U.launch(64);
  U.array();
  return U;
}

// The plan with kernel 0 as a control.
Plan controlOf(const TestUnit &U) {
  PlanOptions Options;
  Options.Controls = {0};
  return U.plan(Options);
}

} // namespace

TEST(Reserve, ControlTakesTheMemoryAndMovesNothing) {
  const uint64_t Taken = find(moving().plan(), "a").Verdict.SharedBytes;
  ASSERT_EQ(Taken, 16u * 4 * 64);
  const Plan P = controlOf(moving());
  EXPECT_EQ(P.Kernels[0].Reserved, Taken);
  EXPECT_FALSE(find(P, "a").Verdict.changesSource());
  // The bounds are part of the price.
  EXPECT_TRUE(P.Kernels[0].AddLaunchBounds);
}

TEST(Reserve, OtherKernelsStayAsPlanned) {
  const Plan P = moving().plan();
  EXPECT_EQ(P.Kernels[0].Reserved, 0u);
  EXPECT_TRUE(find(P, "a").Verdict.usesShared());
}

TEST(Reserve, NothingIsInsertedIntoAMacro) {
  const Plan P = controlOf(moving(/*BodySeen=*/false));
  EXPECT_EQ(P.Kernels[0].Reserved, 0u);
}

// Launches ask for it in any case.
TEST(Reserve, MemoryThatLaunchesBringIsNotReservedTwice) {
  TestUnit U;
  U.kernel().BodyStart = {"/a.cu", 30, 0};
  U.launch(0).Threads.reset();
  U.array(makeArray("a", 8));
  giveText(U.Result);
  const Plan P = controlOf(U);
  EXPECT_EQ(P.Kernels[0].Reserved, 0u);
  EXPECT_NE(P.Kernels[0].WarpBytes, 0u);
}

TEST(DecisionAbout, CountsArraysOfOneName) {
  TestUnit U;
  U.launch(64);
  U.array(makeArray("a", 16, 4, 10));
  U.array(makeArray("b", 16, 4, 11));
  U.array(makeArray("a", 16, 4, 12));
  const Plan P = U.plan();
  const ArrayDecision D = decisionAbout(P, 2, Layout::Slot);
  EXPECT_EQ(D.Array, "a");
  EXPECT_EQ(D.Occurrence, 2u);
  EXPECT_EQ(D.Wanted, Layout::Slot);
  EXPECT_EQ(decisionAbout(P, 1, Layout::Keep).Occurrence, 1u);
}

// What is written about an array is obeyed for that array.
TEST(DecisionAbout, IsObeyed) {
  TestUnit U;
  U.launch(64);
  U.array(makeArray("a", 16, 4, 10));
  U.array(makeArray("a", 16, 4, 12));
  PlanOptions Options;
  Options.Decisions = {decisionAbout(U.plan(), 1, Layout::Keep)};
  const Plan P = U.plan(Options);
  EXPECT_TRUE(P.Arrays[0].Verdict.usesShared());
  EXPECT_FALSE(P.Arrays[1].Verdict.usesShared());
}
