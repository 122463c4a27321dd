//===-- IncludePlaceTest.cpp - where the helper is included ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A caret in the code marks the place that is expected.
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;

namespace {

// The code with a caret where the #include would go.
std::string marked(StringRef WithCaret) {
  size_t Caret = WithCaret.find('^');
  std::string Code =
      (WithCaret.take_front(Caret) + WithCaret.drop_front(Caret + 1)).str();
  return Code.insert(includePlace(Code), "^");
}

void expectPlace(StringRef WithCaret) {
  EXPECT_EQ(marked(WithCaret), WithCaret.str());
}

TEST(IncludePlace, AfterTheLastInclude) {
  expectPlace("#include <a>\n#include \"b.h\"\n^\nvoid f();\n");
  expectPlace("#include <a>\n\n#define N 4\n#include \"b.h\"\n^#define M 5\n");
}

TEST(IncludePlace, BehindADirectiveThatGoesOn) {
  expectPlace("#include <a> /* one\n  two */\n\n^void f();\n");
  expectPlace("#include \\\n  \"b.h\"\n^void f();\n");
  expectPlace("#include <a> // one \\\n  two\n^void f();\n");
  expectPlace("#include <a> /* one */\n^\nvoid f();\n");
}

TEST(IncludePlace, DirectivesMayBeIndented) {
  expectPlace("  #  include <a>\n^void f();\n");
}

TEST(IncludePlace, InsideAnIncludeGuard) {
  expectPlace("#ifndef A_H\n#define A_H\n#include <a>\n^\nvoid f();\n#endif\n");
}

TEST(IncludePlace, InsideAnIncludeGuardWithoutIncludes) {
  expectPlace("#ifndef A_H\n#define A_H\n^void f();\n#endif\n");
}

TEST(IncludePlace, AfterPragmaOnce) {
  expectPlace("#pragma once\n^void f();\n");
  expectPlace("#pragma once\n#include <a>\n^void f();\n");
}

TEST(IncludePlace, NotInACondition) {
  expectPlace("#include <a>\n^#ifdef X\n#include <x>\n#endif\nvoid f();\n");
  expectPlace("#include <a>\n^#if 1\n#include <x>\n#else\n#include <y>\n"
              "#endif\nvoid f();\n");
}

TEST(IncludePlace, AfterAConditionThatIsClosed) {
  expectPlace("#ifdef X\n#include <x>\n#endif\n#include <a>\n^void f();\n");
}

TEST(IncludePlace, NotInAConditionInsideAGuard) {
  expectPlace("#ifndef A_H\n#define A_H\n#include <a>\n^#ifdef X\n"
              "#include <x>\n#endif\nvoid f();\n#endif\n");
}

TEST(IncludePlace, ConditionThatOnlyLooksLikeAGuard) {
  expectPlace("#ifndef N\n#define N 4\n#endif\n^void f();\n");
  expectPlace("#ifndef N\n#define N 4\n#endif\n#include <a>\n^void f();\n");
  expectPlace("#ifndef N\n#include <n>\n#endif\n^void f();\n");
  expectPlace("#ifndef N\n#include <n>\n#endif\n#include <a>\n^void f();\n");
}

TEST(IncludePlace, BeforeCodeThatAConditionGoverns) {
  expectPlace("^#define N 4\n#if N > 2\nvoid f();\n#endif\n");
}

TEST(IncludePlace, BeforeTheFirstCodeWithoutIncludes) {
  expectPlace("^void f();\n");
  expectPlace("#define N 4\n^void f();\n");
}

TEST(IncludePlace, BehindALicence) {
  expectPlace("// Licence.\n// More.\n\n^void f();\n");
  expectPlace("/* Licence.\n * More.\n */\n\n^void f();\n");
}

TEST(IncludePlace, BeforeACommentThatDescribesTheCode) {
  expectPlace("^// Does it.\nvoid f();\n");
  expectPlace("// Licence.\n\n^// Does it.\nvoid f();\n");
}

TEST(IncludePlace, NotAfterAnIncludeInAComment) {
  expectPlace("#include <a>\n^/*\n#include <b>\n*/\nvoid f();\n");
  expectPlace("#include <a>\n^// #include <b>\nvoid f();\n");
}

TEST(IncludePlace, NotAfterAnIncludeBehindCode) {
  expectPlace("#include <a>\n^void f();\n#include <b>\n");
}

TEST(IncludePlace, CommentsThatStartInDirectives) {
  expectPlace("#define N 4 /* of\n#include <b>\n*/\n#include <a>\n^f();\n");
  expectPlace("#include <a> // not /* a comment\n#include <b>\n^f();\n");
}

TEST(IncludePlace, BehindAByteOrderMark) {
  expectPlace("\xEF\xBB\xBF^void f();\n");
  expectPlace("\xEF\xBB\xBF#include <a>\n^void f();\n");
}

TEST(IncludePlace, CarriageReturns) {
  expectPlace("#include <a>\r\n^\r\nvoid f();\r\n");
  expectPlace("// Licence.\r\n\r\n^void f();\r\n");
}

TEST(IncludePlace, EmptyFile) { expectPlace("^"); }

// The text around it.

std::string withInclude(StringRef Code) {
  return carriedOut(planFor(Code, {{"a", {4}}}));
}

constexpr StringRef Declared =
    "__shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
    "auto a = ::bankstripe::column(a_stripes);";

TEST(IncludeText, StandsWithOtherIncludes) {
  EXPECT_EQ(withInclude("#include <x>\n\nint a[4];\n"),
            ("#include <x>\n#include \"bankstripe.cuh\"\n\n" + Declared + "\n")
                .str());
}

TEST(IncludeText, IsApartFromCode) {
  EXPECT_EQ(withInclude("int a[4];\n"),
            ("#include \"bankstripe.cuh\"\n\n" + Declared + "\n").str());
  EXPECT_EQ(withInclude("#include <x>\nint a[4];\n"),
            ("#include <x>\n#include \"bankstripe.cuh\"\n\n" + Declared + "\n")
                .str());
}

TEST(IncludeText, StandsBehindAByteOrderMark) {
  EXPECT_EQ(
      withInclude("\xEF\xBB\xBFint a[4];\n"),
      ("\xEF\xBB\xBF#include \"bankstripe.cuh\"\n\n" + Declared + "\n").str());
}

TEST(IncludeText, HasTheFilesLineEndings) {
  EXPECT_EQ(withInclude("#include <x>\r\n\r\nint a[4];\r\n"),
            "#include <x>\r\n#include \"bankstripe.cuh\"\r\n\r\n"
            "__shared__ int a_stripes[::bankstripe::warps(128)][4][32];\r\n"
            "auto a = ::bankstripe::column(a_stripes);\r\n");
}

TEST(HelperInclude, IsSeenWhereItAlwaysIs) {
  EXPECT_TRUE(hasHelperInclude("#include <a>\n#include \"bankstripe.cuh\"\n"));
  EXPECT_TRUE(hasHelperInclude("#ifndef A_H\n#define A_H\n"
                               "# include \"bankstripe.cuh\" // Stripes.\n"
                               "void f();\n#endif\n"));
}

TEST(HelperInclude, IsNotSeenElsewhere) {
  for (StringRef Code :
       {"", "#include <a>\n", "// #include \"bankstripe.cuh\"\n",
        "#include \"a.h\" // For \"bankstripe.cuh\".\n",
        "#include \"my_bankstripe.cuh\"\n",
        "#ifdef X\n#include \"bankstripe.cuh\"\n#endif\nvoid f();\n",
        "#ifndef X\n#include \"bankstripe.cuh\"\n#endif\nvoid f();\n",
        "void f();\n#include \"bankstripe.cuh\"\n"})
    EXPECT_FALSE(hasHelperInclude(Code)) << Code.str();
}

} // namespace
