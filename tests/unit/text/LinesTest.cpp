//===-- LinesTest.cpp - rewritten text that keeps its line numbers --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "text/LineNumbers.h"
#include <gtest/gtest.h>

using namespace bankstripe;

static std::string lines(const std::string &Text,
                         const std::vector<unsigned> &Originals) {
  return withLineDirectives(Text, Originals, "a.cu");
}

TEST(Lines, UnchangedTextGetsItsName) {
  EXPECT_EQ(lines("int a;\nint b;\n", {1, 2}),
            "#line 1 \"a.cu\"\nint a;\nint b;\n");
}

TEST(Lines, ChangedLinesKeepTheirNumbers) {
  EXPECT_EQ(lines("int a;\nlong b;\nint c;\n", {1, 2, 3}),
            "#line 1 \"a.cu\"\nint a;\nlong b;\nint c;\n");
}

TEST(Lines, AddedLinesAreOfTheOneBefore) {
  EXPECT_EQ(lines("int a;\nint x;\nint b;\n", {1, 1, 2}),
            "#line 1 \"a.cu\"\nint a;\n#line 1 \"a.cu\"\nint x;\n"
            "int b;\n");
}

TEST(Lines, RemovedLinesAreSkipped) {
  EXPECT_EQ(lines("int a;\nint c;\n", {1, 3}),
            "#line 1 \"a.cu\"\nint a;\n#line 3 \"a.cu\"\nint c;\n");
}

TEST(Lines, DirectivesPartNoMacroAndNoArguments) {
  const std::string Rest = "#define M(x) \\\n  x\nint c = M(\n 3);\nint d;\n";
  EXPECT_EQ(withLineDirectives(Rest, {7, 9, 9, 11, 12}, "a.cu"),
            "#line 7 \"a.cu\"\n#define M(x) \\\n  x\nint c = M(\n 3);\n"
            "#line 12 \"a.cu\"\nint d;\n");
}

TEST(Lines, DirectivesStandInNoStringAndNoComment) {
  const std::string Text = "auto s = R\"(\nb)\";\n/*\nc */ int d;\nint e;\n";
  EXPECT_EQ(withLineDirectives(Text, {1, 5, 6, 9, 10}, "a.cu"),
            "#line 1 \"a.cu\"\nauto s = R\"(\nb)\";\n/*\nc */ int d;\n"
            "#line 10 \"a.cu\"\nint e;\n");
}

TEST(Lines, BranchesMayOpenTheSameParenthesis) {
  const std::string Text = "#if A\nf(1,\n#else\nf(2,\n#endif\n3);\nint e;\n";
  EXPECT_EQ(withLineDirectives(Text, {1, 2, 3, 4, 5, 6, 9}, "a.cu"),
            "#line 1 \"a.cu\"\n" + Text.substr(0, Text.find("int e")) +
                "#line 9 \"a.cu\"\nint e;\n");
}

TEST(Lines, AByteOrderMarkStaysFirst) {
  EXPECT_EQ(lines("\xEF\xBB\xBFint a;\n", {1}),
            "\xEF\xBB\xBF#line 1 \"a.cu\"\nint a;\n");
}

TEST(Lines, NamesWithQuotesCannotBeGiven) {
  EXPECT_TRUE(canNameInDirective("a b.cu"));
  EXPECT_FALSE(canNameInDirective("a\"b.cu"));
  EXPECT_FALSE(canNameInDirective("a\\b.cu"));
}
