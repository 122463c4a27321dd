//===-- ProfitTest.cpp - is it worth it -----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Profit.h"
#include "Units.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::HasSubstr;

namespace {

// A kernel of 256-thread blocks with an array of 32 words.
KernelTraffic traffic(double Uniform, double NonUniform, double Counted = 0) {
  KernelTraffic K;
  K.Threads = 256;
  K.Work.Instructions = 1000;
  K.Arrays.push_back({{updated(Uniform), updated(NonUniform), updated(Counted)},
                      4,
                      128,
                      true});
  return K;
}

constexpr Resources Full = {64, 0};

Change changed(const KernelTraffic &K, Resources Has = {64, 128 * 1024}) {
  return {K, K, Full, Has};
}

double speedup(const KernelTraffic &K, Resources Has = {64, 128 * 1024}) {
  return predict(changed(K, Has)).Speedup;
}

Assumption withSpread(double Spread) {
  Assumption A;
  A.Spread = Spread;
  return A;
}

} // namespace

TEST(Profit, NonUniformIndicesGainMost) {
  EXPECT_GT(speedup(traffic(0, 200)), 1.5 * speedup(traffic(200, 0)));
}

TEST(Profit, CountersGainLessThanData) {
  EXPECT_LT(speedup(traffic(0, 0, 200)), 0.8 * speedup(traffic(0, 200)));
}

// Stores go through to the L2, and the L1 answers the loads.
TEST(Profit, WhatIsOnlyReadGainsLess) {
  KernelTraffic Read = traffic(0, 200), Reread = traffic(0, 200);
  Read.Arrays[0].NonUniform = {200, 0};
  EXPECT_LT(speedup(Read), 0.5 * speedup(traffic(0, 200)));
  // One store for two loads is all that it takes.
  Reread.Arrays[0].NonUniform = {400.0 / 3, 200.0 / 3};
  EXPECT_NEAR(speedup(Reread), speedup(traffic(0, 200)), 1e-9);
}

// Only while the L1 holds it.
TEST(Profit, WhatIsOnlyReadCostsMoreFromTheL2) {
  KernelTraffic Small = traffic(0, 0), Large = traffic(0, 0);
  for (KernelTraffic *K : {&Small, &Large}) {
    K->Arrays[0].Moved = false;
    K->Arrays[0].NonUniform = {200, 0};
  }
  Large.Arrays[0].BytesPerThread = 1024;
  EXPECT_GT(timeOf(Large, Full, {}), 5 * timeOf(Small, Full, {}));
}

// Of a template, ptxas may keep one instance there.
TEST(Profit, WhatIsInRegistersLoses) {
  KernelTraffic K = traffic(0, 200);
  K.Arrays[0].WasInRegisters = true;
  EXPECT_LT(speedup(K), 0.9);
  // Unmoved, it costs nothing.
  K.Arrays[0].Moved = false;
  EXPECT_DOUBLE_EQ(timeOf(K, Full, {}), timeOf(traffic(0, 0), Full, {}));
}

TEST(Profit, ArithmeticHidesWhatAccessesCost) {
  KernelTraffic Busy = traffic(200, 0);
  Busy.Work.Instructions = 100000;
  EXPECT_NEAR(speedup(Busy), 1, 0.05);
  EXPECT_GT(speedup(traffic(200, 0)), 1.2);
}

// Waiting for global memory is what other warps are for.
TEST(Profit, LostWarpsCostWhereThereIsSomethingToWaitFor) {
  KernelTraffic Waiting = traffic(20, 0);
  Waiting.Work.Global = 100;
  const Prediction P = predict(changed(Waiting, {8, 200 * 1024}));
  EXPECT_LT(P.Speedup, 0.6);
  EXPECT_LT(P.ResourceFactor, P.AccessFactor);
  EXPECT_NEAR(P.ResourceFactor * P.AccessFactor, P.Speedup, 1e-9);
}

// Trees and tables live in the L1, which shared memory takes away.
TEST(Profit, TheL1IsWorthMoreToAddressesThatAreLoaded) {
  KernelTraffic Walk = traffic(20, 0), Chase = traffic(20, 0);
  Walk.Work.Global = Chase.Work.Gathered = 100;
  EXPECT_LT(speedup(Chase, {64, 200 * 1024}),
            0.9 * speedup(Walk, {64, 200 * 1024}));
}

// 32 lines for each warp: 16 warps have 64 KB of them, in an L1 of 256 or 28.
TEST(Profit, RowsOfLanesFitTheL1OrDoNot) {
  KernelTraffic Rows = traffic(0, 0);
  Rows.Work.Rows = 100;
  EXPECT_GT(timeOf(Rows, {16, 200 * 1024}, {}), 2 * timeOf(Rows, {16, 0}, {}));
}

namespace {

// A change that pays unless Surprise says what was not known.
Prediction surprised(void (*Surprise)(Change &)) {
  KernelTraffic K = traffic(400, 0);
  Change C = changed(K, {60, 200 * 1024});
  const Prediction Expected = predict(C);
  EXPECT_GT(Expected.Worst, 1);
  Surprise(C);
  return predict(C);
}

} // namespace

TEST(Profit, TablesThatTheL1HoldsNowAreTheWorstCase) {
  const Prediction P =
      surprised([](Change &C) { C.Kernel.Work.Gathered = 40; });
  EXPECT_GT(P.Speedup, 1);
  EXPECT_LT(P.Worst, 0.9);
  EXPECT_EQ(P.WorstIf, "the L1 holds what it uses now");
}

TEST(Profit, LongWaitsAreTheWorstCaseOfLostWarps) {
  const Prediction P = surprised([](Change &C) {
    C.Kernel.Work.Global = C.Short.Work.Global = 4;
    C.Has.Warps = 6;
  });
  EXPECT_LT(P.Worst, P.Speedup);
  EXPECT_THAT(P.WorstIf, HasSubstr("waits"));
}

// Blocks of 256: with two of them 16 warps have rows of 64 KB.
TEST(Profit, ACarveOutSavesSmallGrids) {
  KernelTraffic K = traffic(100, 0);
  K.Work.Rows = 20;
  Change C = changed(K, {56, 220 * 1024});
  const Prediction ByDriver = predict(C);
  EXPECT_LT(ByDriver.Worst, 0.9);
  EXPECT_THAT(ByDriver.WorstIf, HasSubstr("grids are small"));
  C.Carved = true;
  EXPECT_GT(predict(C).Worst, ByDriver.Worst);
}

TEST(Profit, MoreCodeIsMoreToDo) {
  Change C = changed(traffic(100, 0), Full);
  const Prediction Same = predict(C);
  C.CodeGrowth = 1.5;
  const Prediction More = predict(C);
  EXPECT_LT(More.Speedup, 0.8 * Same.Speedup);
  EXPECT_LT(More.Worst, Same.Worst);
  EXPECT_EQ(More.CodeGrowth, 1.5);
}

TEST(Profit, SlotsConflictWhereIndicesAreApart) {
  auto AsSlot = [](double Uniform, double NonUniform) {
    KernelTraffic K = traffic(Uniform, NonUniform);
    const double Stripe = speedup(K);
    K.Arrays[0].Slot = true;
    return speedup(K) / Stripe;
  };
  EXPECT_DOUBLE_EQ(AsSlot(400, 0), 1);
  EXPECT_LT(AsSlot(0, 400), 0.999);
}

// 4 KB for each of 2048 threads are far beyond it, 64 bytes are not.
TEST(Profit, ArraysBeyondTheL1CostMore) {
  KernelTraffic Large = traffic(200, 0), Small = traffic(200, 0);
  Large.Arrays[0].BytesPerThread = 4096;
  Small.Arrays[0].BytesPerThread = 64;
  Large.Arrays[0].Moved = Small.Arrays[0].Moved = false;
  EXPECT_GT(timeOf(Large, Full, {}), 1.5 * timeOf(Small, Full, {}));
}

TEST(Profit, TheBusiestArrayKeepsTheL1) {
  KernelTraffic K = traffic(200, 0);
  K.Arrays[0].Moved = false;
  const double Alone = timeOf(K, Full, {});
  K.Arrays.push_back({{updated(1), {}, {}}, 4, 4096, false});
  EXPECT_NEAR(timeOf(K, Full, {}), Alone, 0.1 * Alone);
}

TEST(Profit, SlotsOfNonUniformIndicesTakeMorePasses) {
  KernelTraffic Stripe = traffic(0, 2000), Slot = traffic(0, 2000);
  Slot.Arrays[0].Slot = true;
  EXPECT_GT(timeOf(Slot, Full, withSpread(1)),
            timeOf(Stripe, Full, withSpread(1)));
}

TEST(Profit, TheRangeHoldsThePrediction) {
  const Prediction P = predict(changed(traffic(0, 200), Full));
  EXPECT_LT(P.Low, P.Speedup);
  EXPECT_GT(P.High, P.Speedup);
}

// Beside 100 turns of a loop nothing else counts, beside 10 an array does.
TEST(Profit, LoopsOfUnknownLengthRunOftenOrSeldom) {
  Change C = changed(traffic(0, 200));
  C.Kernel.Work.Instructions = 200000;
  EXPECT_LT(predict(C).Speedup, 1.1);
  C.Kernel.Work.GuessedLoops = 1;
  const Prediction P = predict(C);
  EXPECT_GT(P.Speedup, 1.2);
  EXPECT_LT(P.Speedup, speedup(C.Short));
  EXPECT_NEAR(P.ResourceFactor * P.AccessFactor, P.Speedup, 1e-9);
}
