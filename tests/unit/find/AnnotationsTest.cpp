//===-- AnnotationsTest.cpp - the marks, and the failures made of them ----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The other tests are only as good as what tells them that something is wrong.
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

TEST(Annotations, PointsAndRangesAreTakenOut) {
  Annotations A("x = $read^a[i]; $text[[b[c[0]]]] ^; [[d]]");
  EXPECT_EQ(A.code(), "x = a[i]; b[c[0]] ; d");
  EXPECT_EQ(A.problem(), "");
  ASSERT_EQ(A.marks().size(), 4u);
  EXPECT_EQ(A.marks()[0].Name, "read");
  EXPECT_EQ(A.marks()[0].Begin, 4u);
  EXPECT_EQ(A.marks()[0].End, 4u);
  EXPECT_EQ(A.text(A.marks("text").front()), "b[c[0]]");
  EXPECT_EQ(A.marks()[2].Name, "");
  EXPECT_EQ(A.text(A.marks()[3]), "d");
}

TEST(Annotations, RangesNest) {
  Annotations A("$outer[[a[$inner[[i]]] + 1]]");
  EXPECT_EQ(A.code(), "a[i] + 1");
  EXPECT_EQ(A.text(A.marks("outer").front()), "a[i] + 1");
  EXPECT_EQ(A.text(A.marks("inner").front()), "i");
}

TEST(Annotations, DollarsWithoutAMarkAreCode) {
  Annotations A("$x = a$b;");
  EXPECT_EQ(A.code(), "$x = a$b;");
  EXPECT_TRUE(A.marks().empty());
}

TEST(Annotations, AnOpenRangeIsAProblem) {
  EXPECT_EQ(Annotations("a\nb [[c").problem(),
            "line 2: this range has no end\n    b c\n      ^\n");
}

TEST(Annotations, PlacesAreOffsets) {
  Annotations A("ab\ncd\n");
  EXPECT_EQ(A.offset(1, 1), 0u);
  EXPECT_EQ(A.offset(2, 2), 4u);
  EXPECT_EQ(A.offset(9, 1), 6u);
}

TEST(FindTester, AMissingMarkFailsAtItsPlace) {
  EXPECT_NONFATAL_FAILURE(testBody("int a[4]; a[i] = 1;"),
                          "line 2: unexpected write\n"
                          "    int a[4]; a[i] = 1;\n"
                          "              ^\n");
}

TEST(FindTester, AWrongMarkFailsAtItsPlace) {
  EXPECT_NONFATAL_FAILURE(testBody("int a[4]; $write^a[i] = 1; $read^i = 2;"),
                          "line 2: missing read\n"
                          "    int a[4]; a[i] = 1; i = 2;\n"
                          "                        ^\n");
}

TEST(FindTester, CodeThatDoesNotParseFails) {
  EXPECT_NONFATAL_FAILURE(testBody("int a[4"), "could not parse");
}
