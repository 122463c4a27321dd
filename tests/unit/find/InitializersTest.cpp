//===-- InitializersTest.cpp - initialisers and never-written tables ------===//
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

/// What the initialiser of `a` does, when \p Declaration is followed by uses.
InitializerKind kindOf(const std::string &Declaration) {
  Finding F = findingOf(kernelAround(Declaration));
  for (const Obstacle &O : F.Obstacles)
    ADD_FAILURE() << Declaration << ": " << infoOf(O.Why).Id.str();
  return F.Init;
}

bool neverWritten(llvm::StringRef Body, llvm::StringRef Prelude = "") {
  return findingOf(Prelude.str() + kernelAround(Body)).NeverWritten;
}

} // namespace

TEST(Initializer, None) {
  EXPECT_EQ(kindOf("int a[4];"), InitializerKind::None);
  EXPECT_EQ(kindOf("float4 a[4];"), InitializerKind::None);
  EXPECT_EQ(kindOf("float2 a[2][4];"), InitializerKind::None);
}

TEST(Initializer, NothingButZeros) {
  EXPECT_EQ(kindOf("int a[4] = {};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("int a[4]{};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("int a[4] = {0};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("int a[4] = {0, 0, 0};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("int t[2][4] = {{0}, {}};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("float a[4] = {0.0f, 0};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("int *a[4] = {nullptr, 0};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("bool a[4] = {false};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("char a[4] = {'\\0'};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("float4 a[2] = {};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("float4 a[2] = {{0, 0}};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("enum E { Zero }; E a[4] = {Zero};"), InitializerKind::Zero);
}

TEST(Initializer, OtherValues) {
  EXPECT_EQ(kindOf("int a[4] = {1};"), InitializerKind::List);
  EXPECT_EQ(kindOf("int a[4] = {i, j};"), InitializerKind::List);
  EXPECT_EQ(kindOf("int a[4] = {0, 0, 0, i};"), InitializerKind::List);
  EXPECT_EQ(kindOf("int t[2][4] = {{0}, {1, 2}};"), InitializerKind::List);
  EXPECT_EQ(kindOf("int t[2][2] = {{1, 2}, {3}};"), InitializerKind::List);
  EXPECT_EQ(kindOf("int *a[4] = {out, out + 1};"), InitializerKind::List);
  EXPECT_EQ(kindOf("float4 a[2] = {{0, 0, 1}};"), InitializerKind::List);
  EXPECT_EQ(kindOf("int a[4]{1, 2};"), InitializerKind::List);
}

TEST(Initializer, NegativeZeroIsNotZero) {
  EXPECT_EQ(kindOf("float a[4] = {-0.0f};"), InitializerKind::List);
  EXPECT_EQ(kindOf("double a[4] = {0.0, -0.0};"), InitializerKind::List);
}

TEST(Initializer, EffectsAreNotDropped) {
  EXPECT_EQ(kindOf("int a[4] = {(*out = 1, 0)};"), InitializerKind::List);
}

TEST(Initializer, ExtentsThatComeFromIt) {
  Finding F = findingOf(kernelAround("int a[] = {1, 2, 3}; a[i] = 1;"));
  EXPECT_EQ(F.Extents, (std::vector<uint64_t>{3}));
  EXPECT_EQ(F.Text.ExtentTexts, (std::vector<std::string>{""}));
}

TEST(Initializer, StringsAreNoLists) {
  testBody("char $initializer^a[4] = \"abc\"; $write^a[i] = 1;");
  testBody("char $initializer^a[] = \"abc\"; $write^a[i] = 1;");
  testBody("char $initializer^a[4] = {\"abc\"}; $write^a[i] = 1;");
  testBody(
      "char $initializer^t[2][4] = {\"abc\", \"def\"}; $write^t[i][j] = 1;");
  testBody("const char *a[2] = {\"abc\", \"def\"}; $write^a[i] = nullptr;");
}

// A parameter takes no list whose braces stand for several.
TEST(Initializer, ListsWithoutInnerBraces) {
  testBody("int $initializer^t[2][2] = {1, 2, 3, 4}; $write^t[i][j] = 1;");
  testBody("int $initializer^t[2][2] = {{1, 2}, 3, 4}; $write^t[i][j] = 1;");
  testBody("float2 $initializer^a[2] = {1, 2, 3, 4}; $write^a[i].x = 1;");
  testBody("float2 a[2] = {make_float2(1, 2)}; $write^a[i].x = 1;");
  EXPECT_EQ(kindOf("int t[2][4] = {0, 0};"), InitializerKind::Zero);
}

TEST(Initializer, FromAMacro) {
  testFind("#define VALUES {1, 2, 3, 4}\n"
           "__global__ void kernel(int i) {\n"
           "  int $initializer^a[4] = VALUES; $write^a[i] = 1; }");
}

TEST(Initializer, UsesOfOtherArraysInIt) {
  testBody("int a[4]; $write^a[0] = 1; int b[2] = {$read^a[i], $read^a[j]};"
           "$write^b[i] = 2;");
}

TEST(Initializer, Designators) {
  testBody("float2 a[2] = {{.x = 1, .y = 2}}; $write^a[i].x = 1;");
}

// --- Never-written tables --------------------------------------------------

TEST(NeverWritten, ConstantsThatAreOnlyRead) {
  EXPECT_TRUE(neverWritten("int a[4] = {1, 2, 3, 4}; *out = a[i] + a[j];"));
  EXPECT_TRUE(neverWritten("const int a[4] = {1, 2}; *out = a[i];"));
  EXPECT_TRUE(neverWritten("constexpr float a[4] = {1.5f}; *data = a[i];"));
  EXPECT_TRUE(neverWritten("const int a[4] = {1, 2}; *out = f(a);",
                           "__device__ int f(const int *);\n"));
}

TEST(NeverWritten, NotWhenSomethingMayWriteIt) {
  EXPECT_FALSE(neverWritten("int a[4] = {1, 2}; a[0] = 1; *out = a[i];"));
  EXPECT_FALSE(
      neverWritten("int a[4] = {1, 2}; int &r = a[0]; r = *out = a[i];"));
  EXPECT_FALSE(neverWritten("int a[4] = {1, 2}; f(a); *out = a[i];",
                            "__device__ void f(int *);\n"));
  EXPECT_FALSE(neverWritten("int a[4] = {1, 2}; int *p = a; p[1] = 2;"
                            "*out = a[i];"));
  EXPECT_FALSE(neverWritten("int a[4] = {1, 2};"
                            "auto f = [&] { a[0] = 1; }; f(); *out = a[i];"));
  EXPECT_FALSE(neverWritten("int a[4] = {1, 2}; SET(a); *out = a[i];",
                            "#define SET(x) x[0] = 3\n"));
  EXPECT_FALSE(neverWritten("int a[4] = {1, 2};\n#if 0\na[0] = 1;\n#endif\n"
                            "*out = a[i];"));
}

TEST(NeverWritten, NotWhenTheValuesAreNoConstants) {
  EXPECT_FALSE(neverWritten("int a[4] = {i, j}; *out = a[i];"));
  EXPECT_FALSE(neverWritten("int a[4]; *out = a[i];"));
}

TEST(NeverWritten, NotWhenNothingReadsIt) {
  EXPECT_FALSE(neverWritten("int a[4] = {1, 2};"));
}
