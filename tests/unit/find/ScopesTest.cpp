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
std::string scopeIn(const std::string &Code,
                    std::vector<std::string> ExtraArgs = {}) {
  auto MayEdit = [](llvm::StringRef) { return true; };
  for (const Finding &F : factsOf(Code, MayEdit, std::move(ExtraArgs)).Findings)
    if (F.Name == "a")
      return F.Scope.isValid() ? Code.substr(F.Scope.Offset, F.Scope.Length)
                               : "";
  ADD_FAILURE() << "no array a";
  return "";
}

std::string scopeInBody(const std::string &Body) {
  return scopeIn(kernelAround(Body));
}

// The element type of the array `a`.
std::string elementIn(const std::string &Code) {
  for (const Finding &F : factsOf(Code).Findings)
    if (F.Name == "a")
      return F.Instances.at(0).ElementType;
  ADD_FAILURE() << "no array a";
  return "";
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

// What another configuration would do there, or further down, is not seen.
TEST(Scopes, BesideConditionalCode) {
  EXPECT_EQ(scopeInBody("{ int a[4]; a[i] = 1; }\n#ifdef X\nf();\n#endif\n"),
            "");
  EXPECT_EQ(scopeIn("__device__ int f(int i) {\n  # if X\n  return 2;\n"
                    "#endif\n  return i;\n}\n" +
                    kernelAround("int a[4]; a[i] = f(j);")),
            "");
  EXPECT_NE(scopeInBody("#pragma unroll\nfor (int k = 0; k < i; ++k) { "
                        "int a[4]; a[i] = 1; }"),
            "");
}

// Another architecture may have other calls and blocks, also by way of a macro.
TEST(Scopes, BesideCodeOfAnArchitecture) {
  const std::string Kernel = kernelAround("{ int a[4]; a[i] = 1; }");
  EXPECT_EQ(scopeIn("#if __CUDA_ARCH__ >= 900\n#define AT(x) f(x)\n#else\n"
                    "#define AT(x) x\n#endif\n" +
                    Kernel),
            "");
  EXPECT_EQ(scopeIn(Kernel + "#define WAIT NV_IF_TARGET(NV_IS_DEVICE, (;))\n"),
            "");
  EXPECT_EQ(scopeIn(Kernel, {"-DBARE=__CUDA_ARCH__"}), "");
}

TEST(Scopes, BesideCodeOfAllArchitectures) {
  const std::string Kernel = kernelAround("{ int a[4]; a[i] = 1; }");
  EXPECT_EQ(scopeIn("#if __CUDACC_VER_MAJOR__ > 12\n#define AT(x) x\n"
                    "#endif\n" +
                        Kernel,
                    {"-DBARE=1"}),
            "{ int a[4]; a[i] = 1; }");
}

TEST(Scopes, FilesThatAreReadOnce) {
  EXPECT_TRUE(findingOf(kernelAround("int a[4]; a[i] = 1;")).FileEnteredOnce);
}

TEST(Scopes, FilesThatAreReadTwice) {
  const std::string Code =
      "#ifndef TWICE\n#define TWICE\n#include \"snippet.cu\"\n#else\n" +
      kernelAround("int a[4]; a[i] = 1;") + "#endif\n";
  EXPECT_FALSE(findingOf(Code).FileEnteredOnce);
}

// A second declaration would be one too many.
TEST(Scopes, FilesWhoseGuardCoversTheirStart) {
  const std::string Kernel = kernelAround("int a[4]; a[i] = 1;");
  auto IsOnce = [&](const std::string &Head, const std::string &Tail) {
    return findingOf(Head + Kernel + Tail).FileEnteredOnce;
  };
  EXPECT_TRUE(
      IsOnce("#ifndef A\n#define A\n#include <stddef.h>\n", "\n#endif\n"));
  EXPECT_FALSE(
      IsOnce("#ifndef A\n#define A\n#ifdef B\n#endif\n", "\n#endif\n"));
  EXPECT_TRUE(IsOnce("#pragma once\n#ifndef A\n#endif\n", ""));
}

TEST(Scopes, ElementTypesAreCanonical) {
  EXPECT_EQ(elementIn("typedef unsigned Word;\n" +
                      kernelAround("volatile Word a[4][2]; a[i][j] = 1;")),
            "unsigned int");
  EXPECT_EQ(elementIn("namespace n { struct P { int x, y; }; }\n"
                      "using namespace n;\n" +
                      kernelAround("P a[4]; a[i].x = j;")),
            "n::P");
}

// Of all names, not only those in the text of the file. A number may follow.
TEST(Scopes, StorageHasANameThatNothingBeginsWith) {
  auto NameBeside = [](const std::string &Other) {
    return findingOf("#define PASTE(a, b) a##b\n" + Other +
                     kernelAround("int a[4]; a[i] = 1;"))
        .StorageName;
  };
  EXPECT_EQ(NameBeside("int PASTE(a_stor, e);\n"), "a_storage");
  EXPECT_EQ(NameBeside("int PASTE(a_stor, age);\n"), "a_storage_2");
  EXPECT_EQ(NameBeside("int PASTE(a_stor, age_2);\n"), "a_storage_3");
}

// Another function can have a class of that name.
TEST(Scopes, LocalClassesHaveNoNameForAll) {
  EXPECT_EQ(elementIn(kernelAround("struct P { int x; }; P a[4]; a[i].x = j;")),
            "");
}
