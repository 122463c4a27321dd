//===-- StatisticsTest.cpp - durations per kernel --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/Statistics.h"
#include "Programs.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::runtime;

static Recording
timed(const std::vector<std::pair<std::string, double>> &Executions) {
  Recording R;
  for (const auto &[Kernel, Nanoseconds] : Executions)
    launch(R, Kernel).Nanoseconds = Nanoseconds;
  R.Executions.swap(R.Launches);
  return R;
}

TEST(Statistics, Median) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 100, 2}), 3);
}

TEST(Statistics, OneRowPerKernelWithTheTimeOfAllItsLaunches) {
  Recording Original, Rewritten;
  launch(Original, "_Z1aPi").Takes = {40, 0, 128};
  launch(Original, "_Z1bPi");
  launch(Original, "_Z1aPi");
  launch(Rewritten, "_Z1aPi").Takes = {32, 4096, 0};
  launch(Rewritten, "_Z1bPi");
  const auto Rows = kernelStatistics(
      Original, Rewritten,
      {timed({{"_Z1aPi", 100}, {"_Z1bPi", 7}, {"_Z1aPi", 300}}),
       timed({{"_Z1aPi", 120}, {"_Z1bPi", 9}, {"_Z1aPi", 320}}),
       timed({{"_Z1aPi", 900}, {"_Z1bPi", 8}, {"_Z1aPi", 310}})},
      {timed({{"_Z1aPi", 50}, {"_Z1bPi", 8}, {"_Z1aPi", 60}})});
  ASSERT_EQ(Rows.size(), 2u);
  EXPECT_EQ(Rows[0].Name, "a(int*)");
  EXPECT_EQ(Rows[0].Launches, 2u);
  // Of the runs' 400, 440 and 1210.
  EXPECT_EQ(*Rows[0].OriginalTime, 440);
  EXPECT_EQ(*Rows[0].RewrittenTime, 110);
  EXPECT_DOUBLE_EQ(*Rows[0].speedup(), 440.0 / 110);
  EXPECT_EQ(Rows[0].Original->LocalBytes, 128u);
  EXPECT_EQ(Rows[0].Rewritten->StaticSharedBytes, 4096u);
  EXPECT_EQ(*Rows[1].speedup(), 1);
}

TEST(Statistics, KernelThatWasNotTimedHasNoSpeedup) {
  Recording R;
  launch(R, "graph");
  const auto Rows = kernelStatistics(R, R, {}, {});
  ASSERT_EQ(Rows.size(), 1u);
  EXPECT_FALSE(Rows[0].OriginalTime);
  EXPECT_FALSE(Rows[0].speedup());
}

// Most launches gain, and the program loses.
static Recording manyAndOne(double Short, double Long) {
  return timed({{"_Z1aPi", Short},
                {"_Z1aPi", Short * 1.1},
                {"_Z1aPi", Long},
                {"_Z1aPi", Short}});
}

TEST(Statistics, LaunchesOfSeveralSizesStandBeneath) {
  const Recording A = manyAndOne(100, 1000), B = manyAndOne(50, 2000);
  const auto K = kernelStatistics(A, B, {A}, {B})[0];
  EXPECT_DOUBLE_EQ(*K.speedup(), 1310.0 / 2155);
  ASSERT_EQ(K.Sizes.size(), 2u);
  EXPECT_EQ(K.Sizes[0].Name, "<<<64, 128>>>, 1.00 us each");
  EXPECT_EQ(K.Sizes[0].Launches, 1u);
  EXPECT_EQ(*K.Sizes[0].speedup(), 0.5);
  EXPECT_EQ(K.Sizes[1].Launches, 3u);
  EXPECT_DOUBLE_EQ(*K.Sizes[1].speedup(), 2);
  EXPECT_EQ(*K.Sizes[0].OriginalTime + *K.Sizes[1].OriginalTime,
            *K.OriginalTime);
}

TEST(Statistics, AlikeLaunchesHaveNoSizes) {
  const Recording A = manyAndOne(100, 190), B = manyAndOne(50, 500);
  EXPECT_TRUE(kernelStatistics(A, B, {A}, {B})[0].Sizes.empty());
}

TEST(Statistics, SizesAreThoseOfGridsAndBlocksToo) {
  Recording A = manyAndOne(100, 100);
  A.Executions[2].Grid = {4, 2, 1};
  const auto Sizes = kernelStatistics(A, A, {A}, {A})[0].Sizes;
  ASSERT_EQ(Sizes.size(), 2u);
  EXPECT_EQ(Sizes[1].Name, "<<<(4, 2), 128>>>, 0.10 us each");
}

TEST(Statistics, OtherNumbersOfLaunchesHaveNoSizes) {
  const Recording A = manyAndOne(100, 1000);
  Recording B = A;
  B.Executions.pop_back();
  EXPECT_TRUE(kernelStatistics(A, A, {A, B}, {A})[0].Sizes.empty());
  EXPECT_TRUE(kernelStatistics(A, A, {A}, {B})[0].Sizes.empty());
}

TEST(Statistics, ManySizesAreFewRows) {
  std::vector<std::pair<std::string, double>> All;
  for (double Time = 1; Time < 5000; Time *= 2.5)
    All.emplace_back("_Z1aPi", Time);
  const Recording A = timed(All);
  const auto Sizes = kernelStatistics(A, A, {A}, {A})[0].Sizes;
  ASSERT_EQ(Sizes.size(), 8u);
  EXPECT_EQ(Sizes[7].Name, "3 other sizes");
  EXPECT_EQ(Sizes[7].Launches, 3u);
}

TEST(Statistics, BuildsOfOneKernelShareARow) {
  const Recording A =
      timed({{"_ZN36_GLOBAL__N__5b2313b8_4_a_cu__Z3usePi4anonEPi", 10}});
  const Recording B =
      timed({{"_ZN36_GLOBAL__N__907fc01d_4_a_cu__Z3usePi4anonEPi", 5}});
  const auto Rows = kernelStatistics(A, B, {A}, {B});
  ASSERT_EQ(Rows.size(), 1u);
  EXPECT_EQ(*Rows[0].speedup(), 2);
}

static std::vector<Recording> runs(const std::vector<double> &Durations) {
  std::vector<Recording> Result;
  Result.reserve(Durations.size());
  for (const double Nanoseconds : Durations)
    Result.push_back(timed({{"_Z1aPi", Nanoseconds}, {"_Z1bPi", 1000}}));
  return Result;
}

TEST(Statistics, KernelIsFasterSlowerOrEqual) {
  const auto Slow = runs({9000, 9100, 9050, 9020, 9030});
  const auto Fast = runs({5000, 5100, 5050, 5020, 5030});
  const auto Verdict = [](const std::vector<Recording> &A,
                          const std::vector<Recording> &B) {
    return kernelStatistics(A[0], B[0], A, B)[0].verdict();
  };
  EXPECT_EQ(Verdict(Slow, Fast), "faster");
  EXPECT_EQ(Verdict(Fast, Slow), "slower");
  EXPECT_EQ(Verdict(Fast, runs({5010, 5110, 5060, 5000, 5020})), "equal");
  EXPECT_EQ(Verdict({Slow[0]}, {Fast[0]}), "unknown");
}

TEST(Statistics, TotalsOfARunAreComparedAsWell) {
  const PairedTimes Total = totalTimes(runs({3000, 3000, 3000, 3000, 3000}),
                                       runs({1000, 1000, 1000, 1000, 1000}));
  EXPECT_EQ(*Total.speedup(), 2);
  EXPECT_EQ(Total.verdict(), "faster");
  EXPECT_FALSE(totalTimes({}, {}).speedup());
}

TEST(Statistics, ShapeIsThatOfTheFirstLaunch) {
  Recording Original, Rewritten;
  launch(Original, "_Z1aPi").Block = {16, 4, 2};
  launch(Original, "_Z1aPi").Block = {32, 1, 1};
  launch(Rewritten, "_Z1aPi").DynamicSharedBytes = 512;
  const auto Rows = kernelStatistics(Original, Rewritten, {}, {});
  EXPECT_EQ(Rows[0].Original->Threads, 128u);
  EXPECT_EQ(Rows[0].Rewritten->DynamicSharedBytes, 512u);
}
