//===-- ScopesTest.cpp - the blocks that arrays live in -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// The text of the block that the array `a` of Code lives in; empty when that is
// not understood.
std::string scopeIn(const std::string &Code) {
  for (const Finding &F : factsOf(Code).Findings)
    if (F.Name == "a")
      return F.Scope.isValid() ? Code.substr(F.Scope.Offset, F.Scope.Length)
                               : "";
  ADD_FAILURE() << "no array a";
  return "";
}

std::string scopeInBody(const std::string &Body) {
  return scopeIn(kernelAround(Body));
}

} // namespace

TEST(Scopes, TheInnermostBlock) {
  EXPECT_EQ(scopeInBody("if (i) { int a[4]; a[i] = 1; }"),
            "{ int a[4]; a[i] = 1; }");
  EXPECT_EQ(scopeInBody("for (int k = 0; k < i; ++k) { while (j) { int a[4]; "
                        "a[k] = 1; { a[i] = 2; } } }"),
            "{ int a[4]; a[k] = 1; { a[i] = 2; } }");
  EXPECT_EQ(scopeInBody("switch (i) { case 1: { int a[4]; a[j] = 1; } }"),
            "{ int a[4]; a[j] = 1; }");
}

TEST(Scopes, OfATemplateAreThoseOfItsText) {
  EXPECT_EQ(scopeIn("template <class T> __global__ void k(T *out, int i) {\n"
                    "  { T a[4]; a[i] = 1; out[i] = a[i + 1]; }\n}\n"
                    "template __global__ void k(int *, int);\n"
                    "template __global__ void k(float *, int);\n"),
            "{ T a[4]; a[i] = 1; out[i] = a[i + 1]; }");
}

TEST(Scopes, BracesOfAMacro) {
  EXPECT_EQ(scopeIn("#define BEGIN {\n" +
                    kernelAround("if (i) BEGIN int a[4]; a[i] = 1; }")),
            "");
}

TEST(Scopes, InsideAnExpression) {
  EXPECT_EQ(scopeInBody("j = ({ int a[4]; a[i] = 1; a[j]; });"), "");
}

// These are several functions for the compiler.
TEST(Scopes, OfConstructorsAndDestructors) {
  EXPECT_EQ(scopeIn("struct S { int s; __device__ S(int i) { int a[4]; "
                    "a[i] = 1; s = a[i + 1]; } };\n"
                    "__global__ void k(int *out, int i) { out[0] = S(i).s; }"),
            "");
}
