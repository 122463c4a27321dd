//===-- LineNumbersTest.cpp - text that keeps its line numbers ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "text/LineNumbers.h"
#include "edit/EditInternal.h"
#include <gtest/gtest.h>

using namespace bankstripe;

namespace {

/// \p Code with \p Text put in before line \p Line, as a file of a plan is
/// changed.
std::string withText(const std::string &Code, unsigned Line, std::string Text) {
  size_t Offset = 0;
  for (unsigned I = 1; I < Line; ++I)
    Offset = Code.find('\n', Offset) + 1;
  auto File = changeFile("/a.cu", FileText(Code),
                         {{unsigned(Offset), 0, std::move(Text)}});
  EXPECT_TRUE(bool(File));
  return File ? File->After : "";
}

} // namespace

TEST(LineNumbers, AreKeptWhereAValueIsMadeOfThem) {
  EXPECT_EQ(withText("int a;\nint b = __LINE__;\n", 1, "#include \"x\"\n"),
            "#include \"x\"\n#line 1\nint a;\nint b = __LINE__;\n");
}

TEST(LineNumbers, AreThoseThatTheTextSetsItself) {
  EXPECT_EQ(withText("#line 100 \"x.in\"\nint a;\nint b = __LINE__;\n", 2,
                     "int c;\n"),
            "#line 100 \"x.in\"\nint c;\n#line 100\nint a;\n"
            "int b = __LINE__;\n");
}

TEST(LineNumbers, MoveWhereNobodyAsks) {
  EXPECT_EQ(withText("int a;\nint b;\n", 1, "#include \"x\"\n"),
            "#include \"x\"\nint a;\nint b;\n");
}

TEST(LineNumbers, NeedNoDirectiveWhereNoLineIsAdded) {
  EXPECT_EQ(withText("int a;\nint b = __LINE__;\n", 1, "static "),
            "static int a;\nint b = __LINE__;\n");
}

TEST(LineNumbers, WaitForTheEndOfACall) {
  EXPECT_EQ(withText("f(1,\n  2,\n  3);\nint b = __LINE__;\n", 2, "  0,\n"),
            "f(1,\n  0,\n  2,\n  3);\n#line 4\nint b = __LINE__;\n");
}

TEST(LineNumbers, OfMessagesAreNoValues) {
  EXPECT_FALSE(computesWithLines("check(e, __FILE__, __LINE__);"));
  EXPECT_FALSE(computesWithLines("printf(\"line %d\", __LINE__);"));
  EXPECT_FALSE(computesWithLines("#define CHECK(e) \\\n"
                                 "  check(e, __FILE__, \\\n"
                                 "        __LINE__)\n"));
  EXPECT_FALSE(computesWithLines("// int b = __LINE__;\n"));
}

TEST(LineNumbers, InMacrosAreValues) {
  EXPECT_TRUE(computesWithLines("#define CODE(e) (-(__LINE__ * 1000 + (e)))\n"
                                "const char *text = \"text\";\n"));
}

// One directive for both, and none between them.
TEST(LineNumbers, AreSetOnceBehindEditsThatFollowEachOther) {
  const std::string Code = "int a;\nint b; int c;\nint d = __LINE__;\n";
  auto File =
      changeFile("/a.cu", FileText(Code), {{3, 0, "\n"}, {7, 6, "long b;"}});
  ASSERT_TRUE(bool(File));
  EXPECT_EQ(File->After,
            "int\n a;\nlong b; int c;\n#line 3\nint d = __LINE__;\n");
  EXPECT_EQ(File->Edits.size(), 3u);
}

TEST(LineNumbers, AreMissingRatherThanText) {
  EXPECT_EQ(withLineDirectives("int a;\nint b;\nint c;", {4, 5}, "a.cu"),
            "#line 4 \"a.cu\"\nint a;\nint b;\nint c;");
}
