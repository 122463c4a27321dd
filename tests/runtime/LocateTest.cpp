//===-- LocateTest.cpp - the launch and the element that differ ------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Locate.h"
#include "Programs.h"
#include "recording/Request.h"
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

// What is digested of so many launches of one kernel.
static std::vector<unsigned> digested(const DigestRule &Rule, unsigned Count) {
  Selection Select(Rule);
  std::vector<unsigned> Chosen;
  for (unsigned I = 0; I < Count; ++I)
    if (Select.launch(I, Select.kernel("k")).empty())
      Chosen.push_back(I);
  return Chosen;
}

using Numbers = std::vector<unsigned>;

TEST(Narrowed, FewLaunchesAreAllDigested) {
  const DigestRule None = DigestRule::none();
  EXPECT_EQ(digested(narrowed(None, {16, 20}, 4), 40),
            (Numbers{17, 18, 19, 20}));
  EXPECT_EQ(digested(narrowed(None, {std::nullopt, 3}, 4), 40),
            (Numbers{0, 1, 2, 3}));
}

TEST(Narrowed, ManyLaunchesAreSpread) {
  EXPECT_EQ(digested(narrowed(DigestRule::none(), {9, 17}, 4), 40),
            (Numbers{11, 13, 15, 17}));
}

TEST(Narrowed, DigestsBeforeTheRangeStayAsTheyWere) {
  DigestRule Before;
  Before.First = 1;
  const DigestRule Once = narrowed(Before, {4, 17}, 4);
  EXPECT_EQ(digested(Once, 40), (Numbers{0, 1, 2, 4, 7, 8, 10, 13, 16, 17}));
  EXPECT_EQ(digested(narrowed(Once, {10, 13}, 4), 40),
            (Numbers{0, 1, 2, 4, 7, 8, 10, 11, 12, 13}));
}

TEST(LaunchRange, EndsTheSearchWhenItIsOneLaunch) {
  EXPECT_TRUE((LaunchRange{4, 5}.isOne()));
  EXPECT_TRUE((LaunchRange{std::nullopt, 0}.isOne()));
  EXPECT_FALSE((LaunchRange{std::nullopt, 1}.isOne()));
  EXPECT_FALSE((LaunchRange{4, 6}.isOne()));
}

TEST(LaunchRange, BeginsAfterTheLastDigestOfAllMemory) {
  Recording R;
  for (unsigned I = 0; I < 6; ++I)
    launch(R, "_Z1aPi").Digested = I == 1 || I == 5;
  R.Launches[3].DigestedBeforeFree = true;
  EXPECT_EQ(rangeBefore(R, R, 5).EqualAfter, 1u);
  EXPECT_EQ(rangeBefore(R, R, 5).first(), 2u);
  EXPECT_EQ(rangeBefore(R, R, 1).EqualAfter, std::nullopt);
  EXPECT_EQ(rangeBefore(R, R, 1).first(), 0u);
  Recording Other = R;
  Other.Launches[1].Digested = false;
  EXPECT_EQ(rangeBefore(R, Other, 5).EqualAfter, std::nullopt);
}
