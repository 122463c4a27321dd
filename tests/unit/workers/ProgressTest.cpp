//===-- ProgressTest.cpp - how far a long run is --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "workers/Progress.h"
#include "gtest/gtest.h"

using namespace bankstripe;

// What is left when Count of Total pieces took Each s, after Known that took
// none.
static double leftAfter(size_t Known, size_t Count, double Each, size_t Total) {
  Estimate E(Total);
  for (size_t I = 0; I < Known; ++I)
    E.done(Seconds(0));
  for (size_t I = 1; I <= Count; ++I)
    E.done(Seconds(I * Each));
  return E.left().value_or(Seconds(-1)).count();
}

TEST(Progress, TheRestTakesAsLong) {
  EXPECT_NEAR(leftAfter(0, 10, 1, 100), 90, 0.01);
}

TEST(Progress, WhatWasKnownDoesNotCount) {
  EXPECT_NEAR(leftAfter(1000, 50, 1, 1150), 100, 0.01);
}

TEST(Progress, NothingIsSaidTooEarly) {
  EXPECT_EQ(leftAfter(0, 3, 10, 100), -1);
  EXPECT_EQ(leftAfter(0, 100, 0.001, 1000), -1);
  EXPECT_EQ(leftAfter(0, 10, 1, 10), -1);
}

TEST(Progress, TimesAreRound) {
  EXPECT_EQ(describe(Seconds(3)), "a few seconds left");
  EXPECT_EQ(describe(Seconds(43)), "about 40 s left");
  EXPECT_EQ(describe(Seconds(115)), "about 2 min left");
  EXPECT_EQ(describe(Seconds(3 * 3600 + 100)), "about 3 h left");
}

TEST(Progress, LineTellsFileAndTime) {
  EXPECT_EQ(progressLine(12, 340, "src/a.cu", Seconds(115), 80),
            "[ 12/340] src/a.cu  about 2 min left");
  EXPECT_EQ(progressLine(1, 2, "src/a.cu", std::nullopt, 80), "[1/2] src/a.cu");
}

TEST(Progress, LineFitsTheTerminal) {
  EXPECT_EQ(progressLine(12, 340, "some/long/path/a.cu", Seconds(115), 40),
            "[ 12/340] ...path/a.cu  about 2 min left");
  EXPECT_EQ(progressLine(12, 340, "a.cu", Seconds(115), 12), "[ 12/340] ");
  EXPECT_EQ(progressLine(12, 340, "a.cu", std::nullopt, 5), "[ 12/");
}
