//===-- VersionTest.cpp - text of functions, with arrays moved beside it --===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;

namespace {

// Where every block is known, no second body is needed.
TEST(DeviceOnly, LinesThatChangeStandThereTwice) {
  EXPECT_EQ(rewritten("{\n  int i = 0, a[4];\n\n  // Why.\n  a[i] = 1;\n}\n",
                      {forTheHostToo({"a", {4}})}),
            "{\n"
            "#ifdef __CUDA_ARCH__\n"
            "  int i = 0;\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  ::bankstripe::require_block_of_at_most<128>();\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "#else\n"
            "  int i = 0, a[4];\n"
            "#endif\n"
            "\n"
            "  // Why.\n"
            "  a[i] = 1;\n"
            "}\n");
}

TEST(DeviceOnly, NeighboursShareADirective) {
  EXPECT_EQ(
      rewritten("{\n  int a[4];\n\n  int b[4];\n}\n",
                {forTheHostToo(slot("a", {4})), forTheHostToo(slot("b", {4}))}),
      "{\n"
      "#ifdef __CUDA_ARCH__\n"
      "  __shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
      "  ::bankstripe::require_block_of_at_most<128>();\n"
      "  int (&a)[4] = a_slots.mine();\n"
      "\n"
      "  __shared__ ::bankstripe::slots<int[4], 128> b_slots;\n"
      "  ::bankstripe::require_block_of_at_most<128>();\n"
      "  int (&b)[4] = b_slots.mine();\n"
      "#else\n"
      "  int a[4];\n"
      "\n"
      "  int b[4];\n"
      "#endif\n"
      "}\n");
}

// No directive stands in what may be the arguments of a macro.
TEST(DeviceOnly, ParenthesesAreNotParted) {
  EXPECT_EQ(rewritten("{ run(\n  [&] {\n  int a[4];\n  });\n}\n",
                      {forTheHostToo(slot("a", {4}))}),
            "#ifdef __CUDA_ARCH__\n"
            "{ run(\n  [&] {\n"
            "  __shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
            "  ::bankstripe::require_block_of_at_most<128>();\n"
            "  int (&a)[4] = a_slots.mine();\n"
            "  });\n"
            "#else\n"
            "{ run(\n  [&] {\n  int a[4];\n  });\n"
            "#endif\n"
            "}\n");
}

// What moves for both does so in either.
TEST(DeviceOnly, WhatTheHostSharesMovesInBoth) {
  EXPECT_EQ(
      rewritten("{\n  int a[4], t[2];\n}\n",
                {forTheHostToo(slot("a", {4})), inFunction(table("t", {2}))}),
      "{\n"
      "#ifdef __CUDA_ARCH__\n"
      "  __shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
      "  ::bankstripe::require_block_of_at_most<128>();\n"
      "  int (&a)[4] = a_slots.mine();\n"
      "  static const int t[2];\n"
      "#else\n"
      "  int a[4];\n"
      "  static const int t[2];\n"
      "#endif\n"
      "}\n");
}

// Without a line behind it there is nothing that could be cut off.
TEST(DeviceOnly, TheLastLineMayEndTheFile) {
  EXPECT_EQ(rewritten("{ int a[4]; }", {forTheHostToo({"a", {4}})}),
            "#ifdef __CUDA_ARCH__\n"
            "{ __shared__ int a_stripes[::bankstripe::warps(128)][4][32]; "
            "::bankstripe::require_block_of_at_most<128>();\n"
            "auto a = ::bankstripe::column(a_stripes); }\n"
            "#else\n"
            "{ int a[4]; }\n"
            "#endif");
}

TEST(DeviceOnly, LinesKeepTheirNumbersInBoth) {
  const std::string Code = "{\n  int a[4];\n  b(__LINE__);\n}\n";
  EXPECT_EQ(rewritten(Code, {forTheHostToo(slot("a", {4}))}),
            "#line 1\n"
            "{\n"
            "#ifdef __CUDA_ARCH__\n"
            "#line 2\n"
            "  __shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
            "  ::bankstripe::require_block_of_at_most<128>();\n"
            "  int (&a)[4] = a_slots.mine();\n"
            "#else\n"
            "#line 2\n"
            "  int a[4];\n"
            "#endif\n"
            "#line 3\n"
            "  b(__LINE__);\n"
            "}\n");
}

// The linker wants storage of one name to have one size.
TEST(Storage, OfAFunctionThatOtherFilesHaveHasNoName) {
  Plan P = planFor("{\n  int a[4];\n  float b[2];\n}\n",
                   {{"a", {4}}, slot("b", {2})});
  for (PlannedArray &A : P.Arrays)
    A.Array.IsWeak = true;
  const std::string Text = carriedOut(P);
  EXPECT_NE(
      Text.find("  auto &a_stripes = ::bankstripe::shared<int[::bankstripe::"
                "warps(128)][4][32], struct a_storage>();\n"
                "  auto a = ::bankstripe::column(a_stripes);\n"
                "  auto &b_slots = ::bankstripe::shared<::bankstripe::"
                "slots<float[2], 128>, struct b_storage>();\n"
                "  float (&b)[2] = b_slots.mine();\n"),
      std::string::npos)
      << Text;
}

/// The function in \p Code that is written \p Definition and called \p Name.
static FunctionText functionText(StringRef Code, StringRef Definition,
                                 StringRef Name) {
  FunctionText F;
  F.Definition = at(Code, Definition);
  F.StaticPlace = {F.Definition.File, F.Definition.Offset, 0};
  F.Name = {F.Definition.File,
            F.Definition.Offset + unsigned(Definition.find(Name)),
            unsigned(Name.size())};
  return F;
}

// Whatever else is edited there is edited in both.
TEST(Copies, StandBehindTheirFunctions) {
  const StringRef Inner = "__host__ __device__ int f(int i) {\n"
                          "  int a[4];\n"
                          "  bool b[4];\n"
                          "  return a[i] + b[i];\n"
                          "}";
  const StringRef Outer = "template <int N>\n"
                          "static __device__ int g(int i) { return f(N); }";
  const std::string Code =
      (Inner + "\n" + Outer + "\n__global__ void k(int i) { g<1>(i); }\n")
          .str();
  Plan P = planFor(
      Code, {inFunction({"a", {4}}),
             inFunction({"b", {4}, StripeForm::Bits, VerdictKind::Bits})});
  P.Arrays.front().Verdict.Storage.InCopy = true;
  P.Arrays.front().Verdict.Storage.TestsBlock = false;
  P.Copies = {functionText(Code, Inner, "f"), functionText(Code, Outer, "g(")};
  P.Copies[1].Name.Length = 1;
  P.Copies[1].StaticPlace = TextRange();
  NamedCall Call;
  Call.Name = at(Code, "f(N)");
  Call.Name.Length = 1;
  P.Copies[1].Calls = {Call};
  P.CallsOfCopies = {at(Code, "g<1>")};
  P.CallsOfCopies[0].Length = 1;
  EXPECT_EQ(carriedOut(P),
            "#include \"bankstripe.cuh\"\n"
            "\n"
            "__host__ __device__ int f(int i) {\n"
            "  int a[4];\n"
            "  ::bankstripe::bits<4> b;\n"
            "  return a[i] + b[i];\n"
            "}\n"
            "\n"
            "// The same as text DIGEST, with arrays in shared memory, for "
            "kernels whose blocks fit.\n"
            "static __device__ int f_striped(int i) {\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::bits<4> b;\n"
            "  return a[i] + b[i];\n"
            "}\n"
            "\n"
            "template <int N>\n"
            "static __device__ int g(int i) { return f(N); }\n"
            "\n"
            "// The same as text DIGEST, with arrays in shared memory, for "
            "kernels whose blocks fit.\n"
            "template <int N>\n"
            "static __device__ int g_striped(int i) { return f_striped(N); }\n"
            "\n"
            "__global__ void k(int i) { g_striped<1>(i); }\n");
}

// The copy of a function that is called before its definition is declared.
TEST(Copies, AreDeclaredBeforeThoseThatCallThemEarlier) {
  const StringRef Outer = "template <int N> __device__ int g(int i) { return "
                          "f(N); }";
  const StringRef Kernel = "__global__ void k(int i) { f(i); }";
  const std::string Code =
      ("int f(int);\n" + Outer + "\n" + Kernel + "\n").str();
  Plan P = planFor(Code, {});
  P.Copies = {functionText(Code, Outer, "g(")};
  P.Copies[0].Name.Length = 1;
  P.Copies[0].StaticPlace.Offset += StringRef("template <int N> ").size();
  P.Copies[0].Calls.resize(1);
  P.Copies[0].Calls[0].Name = at(Code, "f(N)");
  P.Copies[0].Calls[0].Name.Length = 1;
  P.Copies[0].Calls[0].Declarations = {"static int f_striped(int);",
                                       "static int h_striped(int);"};
  KernelPlan &K = P.Kernels.emplace_back();
  K.HasVersion = true;
  K.Facts.Name = K.Facts.Text.Name = "k";
  K.Facts.Where = {"/a.cu", 3, 17};
  K.Facts.Text.Linkage = "static";
  K.Facts.Text.Definition = at(Code, Kernel);
  K.Facts.Text.NamePlace = at(Code, "k(int");
  K.Facts.Text.Specifiers = K.Facts.Text.Definition;
  P.DeclaredCopies[K.Facts.Where] = {"static int f_striped(int);"};
  const std::string Text = carriedOut(P);
  EXPECT_TRUE(StringRef(Text).contains(
      "whose blocks fit.\nstatic int f_striped(int);\n"
      "static int h_striped(int);\n"
      "template <int N> static __device__ int g_striped(int i) {"))
      << Text;
  EXPECT_TRUE(
      StringRef(Text).contains("where they can.\nstatic int f_striped(int);\n"
                               "static __global__ void k_striped(int i) {"))
      << Text;
}

// The values go to a statement of their own, with the names in them.
TEST(Copies, AreCalledWhereAnArrayGetsItsValues) {
  const StringRef Inner = "__device__ int f(int i) { int a[4]; return a[i]; }";
  const std::string Code =
      (Inner + "\n__global__ void k(int i) {\n  int b[2] = {f(i), f(1)};\n}\n")
          .str();
  Plan P = planFor(Code, {inFunction({"a", {4}}), {"b", {2}}});
  P.Arrays.front().Verdict.Storage.InCopy = true;
  P.Arrays.front().Verdict.Storage.TestsBlock = false;
  P.Copies = {functionText(Code, Inner, "f(")};
  P.Copies[0].Name.Length = 1;
  for (StringRef Call : {"f(i), ", "f(1)"}) {
    P.CallsOfCopies.push_back(at(Code, Call));
    P.CallsOfCopies.back().Length = 1;
  }
  EXPECT_TRUE(StringRef(carriedOut(P))
                  .contains("::bankstripe::initialize<2>(b_stripes, "
                            "{f_striped(i), f_striped(1)});\n}"));
}

// Other compilers read headers, too, and know no shared memory.
TEST(Copies, InFilesForOtherCompilersAreForCudaAlone) {
  const StringRef Function = "__device__ int f(int i) { return i; }";
  const std::string Code =
      (Function + "\n__global__ void k(int i) { f(i); }\n").str();
  Plan P = planFor(Code, {});
  P.Copies = {functionText(Code, Function, "f(")};
  P.Copies[0].Name.Length = 1;
  EXPECT_FALSE(StringRef(carriedOut(P)).contains("__CUDACC__"));
  P.Copies[0].MayBeReadForHost = true;
  const std::string Text = carriedOut(P);
  EXPECT_TRUE(StringRef(Text).contains("}\n\n#ifdef __CUDACC__\n// The same"))
      << Text;
  EXPECT_TRUE(StringRef(Text).contains("{ return i; }\n#endif\n\n__global__"))
      << Text;
}

// The head of a template stands before all specifiers.
TEST(Copies, OfFunctionsThatBecomeTemplatesAreStaticBehindTheirHeads) {
  const StringRef Put = "__device__ void put(int *p) { int a[4]; a[*p] = 1; }";
  const std::string Code = (Put + "\n").str();
  const FunctionText F = functionText(Code, Put, "put");
  const FileText Text(Code);
  auto Copy = copyBehind(F.Definition, F.Name, F.StaticPlace, "static", Text,
                         {{0, 0, "template <class T>\n"}}, "// Twice.");
  ASSERT_TRUE(bool(Copy));
  EXPECT_TRUE(StringRef(Copy->Text)
                  .contains("// Twice.\ntemplate <class T>\nstatic "
                            "__device__ void put_striped(int *p)"));
}

} // namespace
