//===-- IntervalTest.cpp - how sure a speedup is ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/Statistics.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace bankstripe;
using namespace bankstripe::runtime;

TEST(Interval, HoldsTheRatioAndLiesWithinTheExtremes) {
  const auto I =
      ratioInterval({200, 202, 204, 206, 198}, {100, 101, 99, 103, 97}, 0);
  ASSERT_TRUE(I);
  EXPECT_LT(I->Low, 2);
  EXPECT_GT(I->High, 2);
  EXPECT_GE(I->Low, 198.0 / 103);
  EXPECT_LE(I->High, 206.0 / 97);
  EXPECT_FALSE(I->holdsOne());
}

TEST(Interval, IsTheSameEveryTime) {
  // So many that other random numbers would give another interval.
  std::vector<double> A, B;
  for (int I = 0; I < 61; ++I) {
    A.push_back(1000 + 37 * I * I);
    B.push_back(900 + 41 * I * I);
  }
  EXPECT_EQ(ratioInterval(A, B)->Low, ratioInterval(A, B)->Low);
  EXPECT_EQ(ratioInterval(A, B)->High, ratioInterval(A, B)->High);
}

TEST(Interval, NeedsRunsAndTimes) {
  const std::vector<double> Four(4, 10), Five(5, 10), Zero(5, 0);
  EXPECT_FALSE(ratioInterval(Four, Five));
  EXPECT_FALSE(ratioInterval(Five, Four));
  EXPECT_FALSE(ratioInterval(Five, Zero));
  EXPECT_TRUE(ratioInterval(Five, Five));
}

// Five equal times each vary by nothing at all, and still by a timer step.
TEST(Interval, DifferenceOfOneTimerStepIsNone) {
  const std::vector<double> Short(5, 1600), Longer(5, 1632), Long(5, 1696);
  EXPECT_TRUE(ratioInterval(Longer, Short)->holdsOne());
  EXPECT_FALSE(ratioInterval(Long, Short)->holdsOne());
}

// Of many pairs of equal programs, few may be told apart: 5 % by design, which
// so few runs only approach.
TEST(Interval, SeldomTellsEqualProgramsApart) {
  std::mt19937_64 Random(1);
  const auto Draw = [&](size_t Count) {
    std::vector<double> Values;
    for (size_t I = 0; I < Count; ++I)
      Values.push_back(1e6 + static_cast<double>(Random() % 20000));
    return Values;
  };
  unsigned ToldApart = 0;
  for (unsigned Pair = 0; Pair < 200; ++Pair) {
    const std::vector<double> A = Draw(9);
    ToldApart += !ratioInterval(A, Draw(9))->holdsOne();
  }
  EXPECT_LE(ToldApart, 20u);
}
