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
}

TEST(Initializer, NothingButZeros) {
  EXPECT_EQ(kindOf("int a[4] = {};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("int a[4] = {0};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("int t[2][4] = {{0}, {}};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("float a[4] = {0.0f, 0};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("int *a[4] = {nullptr, 0};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("float4 a[2] = {};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("float4 a[2] = {{0, 0}};"), InitializerKind::Zero);
  EXPECT_EQ(kindOf("enum E { Zero }; E a[4] = {Zero};"), InitializerKind::Zero);
}

TEST(Initializer, OtherValues) {
  EXPECT_EQ(kindOf("int a[4] = {1};"), InitializerKind::List);
  EXPECT_EQ(kindOf("int a[4] = {0, 0, 0, i};"), InitializerKind::List);
  EXPECT_EQ(kindOf("int t[2][4] = {{0}, {1, 2}};"), InitializerKind::List);
  EXPECT_EQ(kindOf("int *a[4] = {out, out + 1};"), InitializerKind::List);
  EXPECT_EQ(kindOf("float4 a[2] = {{0, 0, 1}};"), InitializerKind::List);
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
  EXPECT_EQ(F.Shape.Extents, (std::vector<uint64_t>{3}));
  EXPECT_EQ(F.Text.ExtentTexts, (std::vector<std::string>{""}));
}

TEST(Initializer, Strings) {
  EXPECT_EQ(kindOf("char a[] = \"abc\";"), InitializerKind::List);
  EXPECT_EQ(kindOf("char a[8] = \"\";"), InitializerKind::Zero);
  testBody("char $initializer^a[8] = \"abc\"; $write^a[i] = 1;");
  testBody("char $initializer^a[4] = (\"abc\"); $write^a[i] = 1;");
  testBody("char $initializer^t[1][4] = {\"abc\"}; $write^t[i][j] = 1;");
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

TEST(Initializer, StatementExpressions) {
  testBody("int $pointers^b[4]; $write^b[i] = 1;"
           "int $initializer^a[2] = {({ const int *p = b; p[1]; }), 1};"
           "$write^a[i] = 1;");
}

TEST(Initializer, Designators) {
  testBody("float2 a[2] = {{.x = 1, .y = 2}}; $write^a[i].x = 1;");
}

// A statement behind the declaration computes all values before it stores any.
TEST(Initializer, ValuesThatLookAtTheArray) {
  testBody("int $initializer^a[2] = {i, $read^a[0] + 1}; $write^a[i] = 1;");
  testBody("int $initializer^a[2] = {i, [&] { return $captured_by_lambda^a[0]; "
           "}()}; $write^a[i] = 1;");
  testBody("int a[2] = {i, j}, b[2] = {$read^a[i], 1}; $write^b[i] = 1;");
  testFind("struct S { int x, y; int v[4]; };\n"
           "__global__ void kernel(int i) {\n"
           "  S $class_object^$initializer^s = {i, s.x + 1}; s.v[i] = 1; }");
}

TEST(Initializer, ZerosBehindWhichMembersHaveDefaults) {
  const std::string Prelude =
      "struct Q { int x; int y = 5; }; struct R { Q q; int z; };"
      "union U { int i = 3; float f; };";
  auto KindOf = [&](const std::string &Declaration) {
    return findingOf(Prelude + kernelAround(Declaration)).Init;
  };
  EXPECT_EQ(KindOf("Q a[2] = {{0, 0}, {0, 0}};"), InitializerKind::List);
  EXPECT_EQ(KindOf("R a[2] = {{{0, 0}, 0}, {{0, 0}, 0}};"),
            InitializerKind::List);
  EXPECT_EQ(KindOf("Q a[2] = {};"), InitializerKind::List);
  EXPECT_EQ(KindOf("U a[2] = {{0}, {0}};"), InitializerKind::List);
}

TEST(Initializer, ElementsThatCannotBeAssigned) {
  auto Test = [](const std::string &Class, const std::string &Mark) {
    testFind(Class + "\n__global__ void kernel(int i, int x) {\n  S $" + Mark +
             "^a[1] = {{x, 2}}; $write^a[i].v = 1; }");
  };
  Test("struct S { const int k; int v; };", "element_type^$initializer");
  Test("struct S { int &k; int v; };", "element_type^$initializer");
  Test("struct S { int k, v; S &operator=(const S &) = delete; };",
       "initializer");
  testFind("struct S { int k, v; S &operator=(const S &) = default; };\n"
           "__global__ void kernel(int i, int x) {\n"
           "  S a[1] = {{x, 2}}; $write^a[i].v = 1; }");
}

TEST(Initializer, ElementsThatMayHoldTheirAddress) {
  testFind(
      "struct P { int v; int *p = &v; };\n"
      "__global__ void kernel(int i) {\n"
      "  P $element_type^$initializer^a[2] = {{1}, {2}}; $write^a[i].v = 1; }");
  testFind("struct P { int v, *p; P() = default;\n"
           "  __device__ P(int x) : v(x), p(&v) {} };\n"
           "__global__ void kernel(int i) {\n"
           "  P $initializer^a[2] = {P(1), P(2)}; $write^a[i].v = 1; }");
  testFind("struct C { float x, y; C() = default;\n"
           "  __device__ C(float x, float y) : x(x), y(y) {} };\n"
           "__global__ void kernel(int i) {\n"
           "  C a[2] = {C(1, 2), {3, 4}}; $write^a[i].x = 1; }");
}

// --- Never-written tables --------------------------------------------------

TEST(NeverWritten, ConstantsThatAreOnlyRead) {
  EXPECT_TRUE(neverWritten("int a[4] = {1, 2, 3, 4}; *out = a[i] + a[j];"));
  EXPECT_TRUE(neverWritten("const int a[4] = {1, 2}; *out = a[i];"));
  EXPECT_TRUE(neverWritten("constexpr float a[4] = {1.5f}; *data = a[i];"));
  EXPECT_TRUE(neverWritten("int a[4] = {1, 2}; *out = GET(i);",
                           "#define GET(k) a[k]\n"));
  EXPECT_TRUE(neverWritten("const int a[4] = {1, 2}; *out = f(a);",
                           "__device__ int f(const int *);\n"));
}

TEST(NeverWritten, StringsAndListsWithoutBraces) {
  EXPECT_TRUE(neverWritten("const char a[] = \"abc\"; *out = a[i];"));
  EXPECT_TRUE(neverWritten("char a[] = \"abc\"; *out = a[i];"));
  EXPECT_TRUE(neverWritten("char a[2][4] = {\"abc\"}; *out = a[i][j];"));
  EXPECT_TRUE(neverWritten("int a[2][2] = {1, 2, 3, 4}; *out = a[i][j];"));
  EXPECT_FALSE(neverWritten("char a[] = \"abc\"; a[i] = 1; *out = a[j];"));
}

TEST(NeverWritten, PointersToConstantsThatWalk) {
  const char *Length = "__device__ int f(const char *s) {"
                       "  int n = 0; while (*s++) ++n; return n; }\n";
  EXPECT_TRUE(neverWritten("char a[] = \"abc\"; *out = f(a);", Length));
  EXPECT_TRUE(neverWritten("char a[] = \"abc\"; *out = a[i % sizeof(a)];"));
  EXPECT_TRUE(neverWritten("char a[] = \"abc\"; const char *p = a + i;"
                           "*out = *p;"));
  EXPECT_TRUE(neverWritten("char a[2][4] = {\"abc\", \"def\"};"
                           "*out = f(a[i]);",
                           Length));
  EXPECT_FALSE(neverWritten("char a[2][4] = {\"abc\", \"def\"};"
                            "char *p = a[i]; *p = 1;"));
  EXPECT_FALSE(neverWritten("char a[2][4] = {\"abc\", \"def\"}; f(a[i]);",
                            "__device__ void f(const char *s) {"
                            "  *const_cast<char *>(s) = 1; }\n"));
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

TEST(NeverWritten, NotWhenAMemberIsMutable) {
  const char *Class = "struct M { int v; mutable int hits; };";
  EXPECT_FALSE(
      neverWritten("const M a[2] = {{1, 0}, {2, 0}}; a[i].hits = j;", Class));
  EXPECT_TRUE(neverWritten("M a[2] = {{1, 0}, {2, 0}}; *out = a[i].v;", Class));
}

// Clang folds more calls than nvcc.
TEST(NeverWritten, NotWhenOnlyClangKnowsTheValues) {
  EXPECT_FALSE(
      neverWritten("double a[2] = {1, __builtin_fmax(1, 3)}; *data = a[i];"));
  EXPECT_FALSE(neverWritten("int a[2] = {1, 2 * warpSize}; *data = a[i];"));
  EXPECT_FALSE(neverWritten("double a[2] = {1, f(2)}; *data = a[i];",
                            "__device__ constexpr double f(double x) "
                            "{ return __builtin_fmax(x, 3); }\n"));
  EXPECT_TRUE(neverWritten("double a[2] = {1, f(2)}; *data = a[i];",
                           "__device__ constexpr double f(double x) "
                           "{ return x * x; }\n"));
  EXPECT_TRUE(
      neverWritten("float a[2] = {1, __builtin_inff()}; *data = a[i];"));
}

// nvcc reads in a constant what the language calls constant, and no more.
TEST(NeverWritten, NotWhenOnlyClangTakesAVariableForAConstant) {
  const std::string Pair = "struct P { int x, y; };\n";
  auto With = [&](const std::string &Before, const std::string &Values) {
    return factsOf(Pair +
                   "const int Number = 3;\nconstexpr P Fixed = {1, 2};\n" +
                   kernelAround(Before + " int a[2] = {" + Values +
                                "}; *out = a[i];"))
        .Findings.back()
        .NeverWritten;
  };
  EXPECT_FALSE(With("const float f = 1.5f;", "1, (int)f"));
  EXPECT_FALSE(With("const P p = {1, 2};", "p.x, 1"));
  EXPECT_FALSE(With("const int b[2] = {1, 2};", "b[0], 1"));
  EXPECT_FALSE(With("const int b[2] = {1, 2};", "*b, 1"));
  EXPECT_FALSE(neverWritten("const P p = {1, 2}; P a[2] = {p, p};"
                            "*out = a[i].x;",
                            Pair));
  EXPECT_TRUE(With("constexpr float f = 1.5f;", "1, (int)f"));
  EXPECT_TRUE(With("constexpr int b[2] = {1, 2};", "b[0], 1"));
  EXPECT_TRUE(With("const int n = 4;", "n, Number"));
  EXPECT_TRUE(With("const float f = 1.5f;", "1, sizeof(f)"));
  EXPECT_TRUE(With("", "Fixed.x, 1"));
  EXPECT_TRUE(neverWritten("int *a[2] = {&global, table}; *out = *a[i];",
                           "__device__ int global, table[4];\n"));
}

// A static variable is no variable to capture.
TEST(NeverWritten, NotWhenALambdaNamesItAmongItsCaptures) {
  const std::string Table = "const int a[4] = {1, 2, 3, 4}; ";
  EXPECT_TRUE(neverWritten(Table + "auto f = [=] { return a[i]; };"));
  EXPECT_TRUE(neverWritten(Table + "auto f = [&] { return a[i]; };"));
  EXPECT_FALSE(neverWritten(Table + "auto f = [a, i] { return a[i]; };"));
  EXPECT_FALSE(neverWritten(Table + "auto f = [&a, i] { return a[i]; };"));
}

TEST(NeverWritten, NotWhenNothingReadsIt) {
  EXPECT_FALSE(neverWritten("int a[4] = {1, 2};"));
}
