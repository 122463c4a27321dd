//===-- LocateTest.cpp - the launch and the element that differ ------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Locate.h"
#include "Programs.h"
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

TEST(Narrowed, FewLaunchesAreAllDigested) {
  EXPECT_EQ(narrowed({}, {16, 20}, 4).text(), "17-20\n");
  EXPECT_EQ(narrowed({}, {std::nullopt, 3}, 4).text(), "0-3\n");
  EXPECT_EQ(narrowed({}, {6, 7}, 4).text(), "7\n");
}

TEST(Narrowed, ManyLaunchesAreSpreadAndWhatIsFreedBetweenIsSeen) {
  EXPECT_EQ(narrowed({}, {9, 17}, 4).text(),
            "10+\n11\n12+\n13\n14+\n15\n16+\n17\n");
  EXPECT_EQ(narrowed({}, {std::nullopt, 8}, 4).text(),
            "0+\n1\n2+\n3\n4+\n5\n6-7+\n8\n");
}

TEST(Narrowed, DigestsBeforeTheRangeStayAsTheyWere) {
  Schedule Before;
  Before.add(2, 3, false);
  Before.add(5, 5, true);
  Before.add(9, 20, false);
  EXPECT_EQ(narrowed(Before, {9, 17}, 8).text(), "2-3\n5+\n9-17\n");
}

// The last launch is where the difference was seen, and each launch is either
// digested or watched for what is freed after it.
TEST(Narrowed, LeavesNoLaunchOut) {
  for (const unsigned Last : {64u, 65u, 1000u, 4294967294u}) {
    const Schedule S = narrowed({}, {std::nullopt, Last});
    EXPECT_TRUE(S.after(Last)) << Last;
    unsigned Points = 0;
    for (unsigned I = 0; I <= std::min(Last, 1000u); ++I) {
      EXPECT_NE(S.after(I), S.beforeFree(I)) << Last << ", " << I;
      Points += S.after(I);
    }
    EXPECT_TRUE(Last > 1000 || Points == LaunchesPerRound) << Points;
  }
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
