//===-- IncludesTest.cpp - what a source includes -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wrap/Includes.h"
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

TEST(Look, WhatIsTooMuchToReadMayHoldAnything) {
  IncludeTree Tree;
  Tree.Complete = false;
  EXPECT_TRUE(mayHoldPrivateArray(Tree));
}

// Whether one of the kernels or arrays of a file with Text may move alone.
static bool movesAlone(const std::string &Text) {
  IncludeTree Tree;
  Tree.Files["/a.cu"].Text = Text;
  return mayMoveAlone(Tree);
}

TEST(LookAlone, AnArrayOfAKernelOfAllStays) {
  EXPECT_FALSE(movesAlone("__global__ void k() { int a[4]; a[0] = 1; }"));
  EXPECT_FALSE(movesAlone("__global__ void k() { struct { int v[4]; } a; }"));
}

TEST(LookAlone, BoundsLetArraysMove) {
  EXPECT_TRUE(
      movesAlone("__global__ void __launch_bounds__(128) k() { int a[4]; }"));
  EXPECT_TRUE(movesAlone("MY_LAUNCH_BOUNDS(128) void k() { int a[4]; }"));
}

TEST(LookAlone, KernelsOfThisFileAloneLetArraysMove) {
  EXPECT_TRUE(movesAlone("static __global__ void k() { int a[4]; }"));
  EXPECT_TRUE(movesAlone("__global__ static void k() { int a[4]; }"));
  EXPECT_TRUE(movesAlone("namespace { __global__ void k() { int a[4]; } }"));
  EXPECT_TRUE(movesAlone("template <class F> __global__ void k(F f) { f(); }\n"
                         "void run() { k<<<1, 1>>>([=] __device__() {}); }"));
  EXPECT_FALSE(movesAlone("static int n; namespace kit {\n"
                          "__global__ void k() { int a[4]; } }"));
}

TEST(LookAlone, TablesMoveWhoeverCallsTheirKernel) {
  EXPECT_TRUE(movesAlone("__global__ void k() { int a[] = {1, 2}; }"));
  EXPECT_TRUE(movesAlone("__global__ void k() { const int a[2]{1, 2}; }"));
  EXPECT_TRUE(movesAlone("__device__ int f() { int a[2], b[2] = {}; }"));
  EXPECT_TRUE(movesAlone("#define TABLE(n) int n[2] = {1, 2}\n"
                         "__global__ void k() { TABLE(a); }"));
  EXPECT_TRUE(movesAlone("__global__ void k() { const char a[] = \"b\"; }"));
  EXPECT_TRUE(movesAlone("BOTH int g() { int a[2] = {1, 2}; }"));
  EXPECT_FALSE(movesAlone("__global__ void k() { int a[2]; a[0] = 0; }\n"
                          "int main() { int sizes[] = {1, 2}; }\n"
                          "int table[2] = {1, 2};"));
}

TEST(LookAlone, WhatIsTooMuchToReadMayMove) {
  IncludeTree Tree;
  Tree.Complete = false;
  EXPECT_TRUE(mayMoveAlone(Tree));
}
