//===-- LoopsTest.cpp - loops from constant to constant -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a loop shows where it leads out of an array.
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// Which element behind `int a[1]` \p Body is known to use; empty if none.
std::string outsideIn(const std::string &Body) {
  for (const Obstacle &O :
       findingOf(kernelAround("int a[1];" + Body)).Obstacles)
    if (O.Why == Reason::OutOfBounds)
      return O.Detail;
  return "";
}

} // namespace

TEST(Loops, CountFromAConstantToAConstant) {
  EXPECT_EQ(outsideIn("for (int k = 0; k < 8; ++k) a[k] = k;"), "index 7 of 1");
  EXPECT_EQ(outsideIn("for (int k = 0; k < 1; ++k) a[k] = k;"), "");
  EXPECT_EQ(outsideIn("for (int k = 7; k >= 0; k--) a[k] = k;"),
            "index 7 of 1");
  EXPECT_EQ(outsideIn("for (int k = 0; k > -3; k--) a[k] = k;"),
            "index -2 of 1");
}

TEST(Loops, InEveryUsualShape) {
  EXPECT_EQ(outsideIn("int k; for (k = 1; 16 > k; k += 5) a[k] = k;"),
            "index 11 of 1");
  EXPECT_EQ(outsideIn("for (unsigned k = 16; k != 0; k >>= 1) a[k] = k;"),
            "index 16 of 1");
  EXPECT_EQ(outsideIn("for (int k = 1; k <= 64; k *= 2) a[k] = k;"),
            "index 64 of 1");
  EXPECT_EQ(outsideIn("const int n = 4; for (int k = 0; k < n * 2; k++)\n"
                      "  for (int m = 0; m < 3; m++) a[k + m] = 1;"),
            "index 9 of 1");
}

// What wraps around runs otherwise than its numbers say.
TEST(Loops, BeyondTheirTypeHaveNoKnownValues) {
  for (const std::string Header :
       {"unsigned char k = 0; k < 300; ++k", "unsigned k = 1; k != 0; k <<= 1",
        "int k = 1; k != 0; k *= 3", "unsigned k = 4; k >= 0; --k",
        "int k = -1; k < 4u; ++k"})
    EXPECT_EQ(outsideIn("for (" + Header + ") a[k] = k;"), "") << Header;
}

TEST(Loops, UpToTheEndOfTheirTypeHaveThem) {
  EXPECT_EQ(outsideIn("for (signed char k = 126; k < 127; ++k) a[k] = k;"),
            "index 126 of 1");
  EXPECT_EQ(
      outsideIn("for (unsigned k = 1; k < 0x80000000; k <<= 1) a[k] = k;"),
      "index 1073741824 of 1");
}

TEST(Loops, ThatOnlyTheRunKnowsHaveNone) {
  for (const std::string Loop :
       {"for (int k = 0; k < i; ++k) a[k] = k;",
        "for (int k = i; k < 8; ++k) a[k] = k;",
        "for (int k = 0; k < 8; k += i) a[k] = k;",
        "for (int k = 0; k < 8; ++k) { a[k] = k; if (i) k = 5; }",
        "for (int k = 0; k < 8; ++k) { a[k] = k; int *p = &k; *p = 5; }",
        "for (int k = 0; k < 8; ) a[k++] = k;",
        "for (int k = 0; k < 8; ++k) { if (i) break; a[k] = k; }",
        "for (int k = 0; k < 8; ++k) if (i) a[k] = k;",
        "for (int k = 8; k < 8; ++k) a[k] = k;"})
    EXPECT_EQ(outsideIn(Loop), "") << Loop;
}

TEST(Loops, OfOtherKindsAreNone) {
  EXPECT_EQ(outsideIn("int k = 0; while (k < 8) a[k++] = 0;"), "");
  EXPECT_EQ(outsideIn("int k = 0; do a[k] = k; while (++k < 8);"), "");
}
