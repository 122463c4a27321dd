//===-- IncludesTest.cpp - what a source includes -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "text/Includes.h"
#include "text/PrivateArrays.h"
#include <gtest/gtest.h>

using namespace bankstripe;

TEST(Includes, AreFoundWithTheirNames) {
  const std::string Text = "#include \"a.h\"\n # include <b/c.h>\n"
                           "#include WHAT\n#include_next <d.h>\n";
  const auto Found = findIncludes(Text);
  ASSERT_EQ(Found.size(), 4u);
  EXPECT_EQ(Found[0].Name, "a.h");
  EXPECT_TRUE(Found[0].Quoted);
  EXPECT_EQ(Text.substr(Found[0].Offset, Found[0].Length), "\"a.h\"");
  EXPECT_EQ(Found[1].Name, "b/c.h");
  EXPECT_FALSE(Found[1].Quoted);
  EXPECT_EQ(Text.substr(Found[1].Offset, Found[1].Length), "<b/c.h>");
  EXPECT_EQ(Found[2].Length, 0u);
  EXPECT_TRUE(Found[3].Next);
}

TEST(Includes, InStringsAndCommentsAreNone) {
  EXPECT_TRUE(findIncludes("const char *s = R\"(\n#include \"a.h\"\n)\";\n"
                           "/*\n#include \"b.h\"\n*/ // #include \"c.h\"\n")
                  .empty());
}

TEST(Includes, QuestionsAreFound) {
  const auto Found = findIncludes("#if __has_include(\"a.h\")\n#endif\n");
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_TRUE(Found[0].Asks);
  EXPECT_EQ(Found[0].Name, "a.h");
}

TEST(Includes, QuestionsInStringsAndCommentsAreNone) {
  EXPECT_TRUE(findIncludes("const char *s = R\"(\n#if "
                           "__has_include(\"a.h\")\n)\";\n"
                           "// #if __has_include(\"b.h\")\n")
                  .empty());
}

TEST(Includes, OfATextThatCannotBeReadMayBeAnything) {
  const auto Found = findIncludes("#include \"a.h\n");
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Length, 0u);
}

TEST(Look, AFileWithoutDeviceCodeHoldsNoArray) {
  IncludeTree Tree;
  Tree.Files["/a.cu"].Text = "struct S { int v[4]; };";
  EXPECT_FALSE(mayHoldPrivateArray(Tree));
  Tree.Files["/b.cuh"].Text = "#define mark __device__\n";
  EXPECT_TRUE(mayHoldPrivateArray(Tree));
}

TEST(Look, DeviceCodeWithoutABracketHoldsNoArray) {
  IncludeTree Tree;
  Tree.Files["/a.cu"].Text = "__global__ void k(int *p) { *p = 1; }";
  EXPECT_FALSE(mayHoldPrivateArray(Tree));
}

// Whether the body of a kernel seems to move an array.
static bool seemsToMove(const std::string &Body) {
  IncludeTree Tree;
  Tree.Files["/a.cu"].Text = "__global__ void k(int *p) {" + Body + "}";
  return seemsToMoveArrays(Tree);
}

TEST(Look, AnIndexThatNoLoopGivesMovesAnArray) {
  EXPECT_TRUE(seemsToMove("int a[8]; a[p[0]] = 1;"));
  EXPECT_TRUE(seemsToMove("int a[8], n = *p; p[0] = a[n];"));
  EXPECT_TRUE(seemsToMove("int a[2][8]; p[0] = a[1][n];"));
  EXPECT_TRUE(
      seemsToMove("for (int i = 0; i < 8; ++i) { int a[8]; a[i % 3]; }"));
}

TEST(Look, OtherIndicesDoNot) {
  EXPECT_FALSE(
      seemsToMove("int a[8]; for (int i = 0; i < 8; ++i) a[i + N] = 1;"));
  EXPECT_FALSE(seemsToMove("int a[8]; a[0] = p[p[0]];"));
  EXPECT_FALSE(seemsToMove("__shared__ int a[8]; a[p[0]] = 1;"));
  EXPECT_FALSE(seemsToMove("return p[p[0]];"));
}

TEST(Look, NothingMovesOutsideOfDeviceCode) {
  IncludeTree Tree;
  Tree.Files["/a.cu"].Text = "__device__ int g(int);\n"
                             "int f(int n) { int a[8]; return a[n]; }";
  EXPECT_FALSE(seemsToMoveArrays(Tree));
}
