//===-- TerminalTest.cpp - what depends on the terminal -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/Terminal.h"
#include "gtest/gtest.h"

using namespace bankstripe;

TEST(Wrapped, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("as long as it fits", 12, 2), "as long as\n  it fits");
  EXPECT_EQ(wrapped("as long as it fits", 20, 2), "as long as it fits");
}

TEST(Wrapped, KeepsBlanks) {
  EXPECT_EQ(wrapped("   7   9 of it", 20, 0), "   7   9 of it");
}

TEST(Wrapped, LeavesWhatIsTooLongAlone) {
  EXPECT_EQ(wrapped("a/very/long/name of it", 8, 2),
            "a/very/long/name\n  of it");
}

TEST(Wrapped, IsAsItIsWithoutATerminal) {
  EXPECT_EQ(wrapped("as long as it fits", 0, 2), "as long as it fits");
}

TEST(Printable, HasNoControlCharacters) {
  EXPECT_EQ(printable("a\x1b]0;title\x07\r\x7f\xc2\x9b"
                      "31m\n\t\xc3\xa9"),
            "a\\x1b]0;title\\x07\\x0d\\x7f\\x9b31m\n\t\xc3\xa9");
}

TEST(Printable, TurnsNoText) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xe2\x81\xa6\xe2\x80\xa8"
                      "c\xe2\x80\x94"),
            "a\\u202eb\\u2066\\u2028c\xe2\x80\x94");
}

TEST(Printable, MayHaveColours) {
  EXPECT_EQ(printable("\x1b[0;1;31mred\x1b[0m\x1b[2J", /*HasColours=*/true),
            "\x1b[0;1;31mred\x1b[0m\\x1b[2J");
}

TEST(Progress, LineTellsTheFile) {
  EXPECT_EQ(progressLine(12, 340, "src/a.cu", 80), "[ 12/340] src/a.cu");
}

TEST(Progress, LineFitsTheTerminal) {
  EXPECT_EQ(progressLine(12, 340, "some/long/path/a.cu", 20),
            "[ 12/340] ...th/a.cu");
  EXPECT_EQ(progressLine(12, 340, "a.cu", 12), "[ 12/340] ");
  EXPECT_EQ(progressLine(12, 340, "a.cu", 5), "[ 12/");
}
