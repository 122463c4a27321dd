//===-- MeasuredTest.cpp - what nvcc has against a plan -------------------===//
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

TestUnit ordinary() {
  TestUnit U;
  U.launch(128);
  return U;
}

// Arrays `a` and `b` of kernels `k` and `other`.
TestUnit twoKernels() {
  TestUnit U = ordinary();
  U.Result.Facts.Kernels.push_back(makeKernel("other", 60));
  U.Result.Facts.Launches.push_back(makeLaunch(128, "other"));
  U.array();
  TestArray B = makeArray("b", 16, 4, 61);
  B.Kernels = {"other"};
  U.array(B);
  return U;
}

} // namespace

TEST(Measured, AKeptFrameKeepsItsArrays) {
  const Plan P = planWithFramesKept(twoKernels(), {"k"});
  const Verdict &V = find(P, "a").Verdict;
  EXPECT_EQ(V.Kind, VerdictKind::Unchanged);
  EXPECT_EQ(V.Why, Reason::StackFrameKept);
  EXPECT_EQ(V.Detail, "64 -> 64 bytes");
  EXPECT_EQ(V.SharedBytes, 0u);
  EXPECT_EQ(P.Kernels[0].SharedAfter, P.Kernels[0].SharedBefore);
  EXPECT_EQ(P.Kernels[0].WarpsAfter, P.Kernels[0].WarpsBefore);
  EXPECT_FALSE(P.Kernels[0].AddLaunchBounds);
  EXPECT_EQ(reasonOf(P, "b"), Reason::DynamicIndex);
  EXPECT_TRUE(P.Kernels[1].AddLaunchBounds);
}

TEST(Measured, WhatIsRejectedStays) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 16, 4, 10));
  U.array(makeArray("b", 16, 4, 11)).Obstacles = {obstacle(Reason::Goto)};
  const Plan P = planWithFileRejected(U);
  EXPECT_EQ(reasonOf(P, "a"), Reason::CompileFailed);
  EXPECT_EQ(reasonOf(P, "b"), Reason::Goto);
}

TEST(Measured, ATableIsTakenBackToo) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 16, 4, 10)).NeverWritten = true;
  ASSERT_EQ(reasonOf(U.plan()), Reason::ConstantTable);
  EXPECT_EQ(reasonOf(planWithFileRejected(U)), Reason::CompileFailed);
}

TEST(Measured, FewerRegistersAreMoreWarps) {
  TestUnit U = ordinary();
  U.array();
  U.Result.Evidence.Work["k"].Arrays[0] = {{200, 200}, {}, {}};
  U.Result.Resources["k"].Registers = 168;
  U.Result.Resources["k"].StackFrame = 64;
  PlanOptions Options;
  Options.MinSpeedup = 1.05;
  NvccTrial V = confirmed(U, Options);
  V.Before["k"].Registers = 168;
  V.After["k"].Registers = 168;
  const KernelPlan Same = U.plan(Options, {{V}}).Kernels.front();
  V.After["k"].Registers = 48;
  const KernelPlan Fewer = U.plan(Options, {{V}}).Kernels.front();
  EXPECT_EQ(Fewer.WarpsBefore, Same.WarpsBefore);
  EXPECT_GT(Fewer.WarpsAfter, Same.WarpsAfter);
  EXPECT_GT(Fewer.Predicted->ResourceFactor, Same.Predicted->ResourceFactor);
}

// Another subset of its arrays may well leave the frame.
TEST(Measured, AFrameTellsOfTheArraysThatLeftItAndNoOthers) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 16, 4, 10));
  NvccTrial V = confirmed(U);
  V.After["k"].StackFrame = 64;
  U.array(makeArray("b", 16, 4, 11));
  EXPECT_EQ(reasonOf(U.plan({}, {{V}}), "a"), Reason::DynamicIndex);
}

TEST(Measured, APlanIsSettledOnceItsVersionWasMeasured) {
  const TestUnit U = twoKernels();
  EXPECT_FALSE(isSettled(U.plan(), {}));
  const Measured Known{{confirmed(U)}};
  EXPECT_TRUE(isSettled(U.plan({}, Known), Known));
  PlanOptions Other;
  Other.DefaultLayout = Layout::Slot;
  EXPECT_FALSE(isSettled(U.plan(Other, Known), Known));
}

// What is taken back is not part of the next version.
TEST(Measured, WhatWasTakenBackStaysSo) {
  const TestUnit U = twoKernels();
  NvccTrial First = confirmed(U);
  First.After.clear();
  First.Rejected = {"/a.cu"};
  NvccTrial Second = First;
  Second.Changed.clear();
  Second.Rejected.clear();
  const Measured Known{{First, Second}};
  const Plan P = U.plan({}, Known);
  EXPECT_EQ(reasonOf(P, "a"), Reason::CompileFailed);
  EXPECT_TRUE(isSettled(P, Known));
}
