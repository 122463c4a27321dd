//===-- DeclarationsTest.cpp - what is an array, and how written ----------===//
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

/// A declaration's text, range by range.
struct DeclarationTexts {
  std::string Statement, Specifiers, Declarator, Name, Extents, Initializer,
      Values;
  std::vector<std::string> All;
  DeclarationText Raw;
};

/// The texts of the array `a` in \p Body, which must hold no obstacle.
DeclarationTexts declarationIn(llvm::StringRef Body,
                               llvm::StringRef Prelude = "") {
  std::string Code = Prelude.str() + kernelAround(Body);
  UnitFacts Facts = factsOf(Code);
  DeclarationTexts T;
  for (const Finding &F : Facts.Findings) {
    if (F.Name != "a")
      continue;
    for (const Obstacle &O : F.Obstacles)
      ADD_FAILURE() << Body.str() << ": " << infoOf(O.Why).Id.str();
    auto Text = [&](const TextRange &R) {
      return R.isValid() ? Code.substr(R.Offset, R.Length) : std::string();
    };
    T = {Text(F.Text.Statement),
         Text(F.Text.Specifiers),
         Text(F.Text.Declarator),
         Text(F.Text.Name),
         Text(F.Text.Extents),
         Text(F.Text.Initializer),
         Text(F.Text.Values),
         {},
         F.Text};
    for (const TextRange &R : F.Text.AllDeclarators)
      T.All.push_back(Text(R));
    return T;
  }
  ADD_FAILURE() << "no array 'a' in " << Body.str();
  return T;
}

using Texts = std::vector<std::string>;

} // namespace

// --- What is a per-thread array ----------------------------------------------

TEST(PrivateArrays, AreAutomaticAndInDeviceCode) {
  EXPECT_TRUE(factsOf("void host() { int a[4]; a[0] = 1; }").Findings.empty());
  EXPECT_TRUE(factsOf("__device__ int a[4]; __constant__ int c[4] = {1};"
                      "__global__ void kernel(int i) { a[i] = c[i]; }")
                  .Findings.empty());
  testBody("__shared__ int s[4]; static int t[4]; extern __shared__ int e[];"
           "s[i] = t[i] = e[i]; int x = i; *out = x;");
  testFind("__global__ void kernel(int a[4], int i) { a[i] = 1; }");
}

TEST(PrivateArrays, HaveTypeAndSize) {
  Finding F = findingOf(kernelAround("unsigned char a[4][8]; a[i][j] = 1;"));
  EXPECT_EQ(F.Name, "a");
  EXPECT_EQ(F.Function.Name, "kernel");
  EXPECT_EQ(F.Function.Id, "_Z6kernelPiPfii");
  EXPECT_TRUE(F.Function.IsKernel);
  EXPECT_EQ(F.Shape.Type, "unsigned char[4][8]");
  EXPECT_EQ(F.Shape.ElementBytes, 1u);
  EXPECT_EQ(F.Shape.Extents, (std::vector<uint64_t>{4, 8}));
  EXPECT_EQ(F.Shape.BytesPerThread, 32u);
  EXPECT_EQ(F.Instances.at(0).Shape.elements(), 32u);
  EXPECT_EQ(F.Where, (Place{SnippetFile.str(), 2, 15}));
}

TEST(PrivateArrays, InEveryScopeOfAKernel) {
  testBody("{ int a[4]; $write^a[i] = 1; }"
           "for (;;) { int a[4]; $write^a[i] = 2; if (i) { int a[2];"
           "  $write^a[j] = 3; } }");
}

TEST(PrivateArrays, ThatAreNeverUsedHaveNothing) {
  Finding F = findingOf(kernelAround("int a[4];"));
  EXPECT_TRUE(F.Uses.empty());
  EXPECT_TRUE(F.Obstacles.empty());
}

TEST(PrivateArrays, OutsideTheGivenPaths) {
  UnitFacts Facts = factsOf(kernelAround("int a[4]; a[i] = 1;"),
                            [](llvm::StringRef File) { return File.empty(); });
  ASSERT_EQ(Facts.Findings.size(), 1u);
  ASSERT_EQ(Facts.Findings[0].Obstacles.size(), 1u);
  EXPECT_EQ(Facts.Findings[0].Obstacles[0].Why, Reason::OutsidePaths);
}

TEST(PrivateArrays, ContentsAreKeptForEdits) {
  std::string Code = kernelAround("int a[4]; a[i] = 1;");
  UnitFacts Facts = factsOf(Code);
  EXPECT_EQ(Facts.MainFile, SnippetFile);
  ASSERT_EQ(Facts.Contents.count(SnippetFile.str()), 1u);
  EXPECT_EQ(Facts.Contents[SnippetFile.str()], Code);
}

// --- Where it is declared --------------------------------------------------

TEST(Context, DeviceFunctions) {
  auto F = testFind("__device__ int f(int i) {\n"
                    "  int a[4]; $write^a[i] = 1;\n"
                    "  return $read^a[0]; }\n"
                    "__global__ void k(int *out) { *out = f(1); }");
  EXPECT_FALSE(F.front().Function.IsKernel);
}

TEST(Context, FunctionsForTheHostAsWell) {
  auto F = testFind("struct S { __host__ __device__ void f(int i) {\n"
                    "  int a[4]; $write^a[i] = 1; } };");
  EXPECT_TRUE(F.front().Function.HostDevice);
  F = testFind("struct S { __device__ void f(int i) {\n"
               "  int a[4]; $write^a[i] = 1; } };");
  EXPECT_FALSE(F.front().Function.HostDevice);
}

TEST(Context, ConstexprFunctions) {
  testFind("__device__ constexpr int f(int i) {\n"
           "  int $constexpr_function^a[4] = {}; $write^a[i & 3] = 1;\n"
           "  return $read^a[0]; }");
  testFind("__device__ int f(int i) {\n"
           "  int a[4] = {}; $write^a[i & 3] = 1; return $read^a[0]; }");
}

TEST(Context, Lambdas) {
  testBody("auto f = [=] { int $in_lambda^a[4]; $write^a[i] = 1;"
           "  return $read^a[j]; }; *out = f();");
  testBody("auto f = [=](auto x) { int $in_lambda^a[4]; $write^a[i] = 1;"
           "  *out = $read^a[j]; return x; }; f(1);");
}

TEST(Context, LambdasForTheDeviceInFunctionsOfTheHost) {
  std::vector<Finding> Findings = testFind(
      "template <class F> __global__ void call(F f) { f(threadIdx.x); }\n"
      "void run(int *out) {\n"
      "  auto onHost = [=](int i) { int b[4] = {0}; return b[i]; };\n"
      "  call<<<1, 32>>>([=] __device__(int i) {\n"
      "    int a[4]; $write^a[i] = 1; out[i] = $read^a[out[i]];\n"
      "  });\n"
      "  call<<<1, 32>>>([=] __host__ __device__(int i) {\n"
      "    int $in_lambda^a[4]; $write^a[i] = 1; });\n"
      "}\n");
  EXPECT_EQ(Findings.size(), 2u);
  EXPECT_NE(Findings[0].Function.Name, "run");
}

TEST(Context, ClassesInsideFunctions) {
  testBody("struct Local { __device__ int f(int k) {"
           "  int $in_lambda^a[4]; $write^a[k] = 1;"
           "  return k ? f(k - 1) : $read^a[0]; } }; *out = Local().f(i);");
  testBody("struct Local { int k; }; int a[4]; $write^a[i] = Local{1}.k;");
}

// --- Its type --------------------------------------------------------------

TEST(Type, OfElements) {
  testFind("struct Hit { float t; int id; };\n"
           "__global__ void kernel(int i) {\n"
           "  Hit a[4]; $write^a[i].id = 1; }");
  testBody("float3 a[4]; $write^a[i].x = 1;");
  testFind("struct Odd { char text[6]; };\n"
           "__global__ void kernel(int i) {\n"
           "  Odd $element_type^a[4]; $write^a[i] = Odd(); }");
  testFind("struct Copied { int x; __device__ Copied(const Copied &);\n"
           "  Copied() = default; };\n"
           "__global__ void kernel(int i) {\n"
           "  Copied $element_type^a[4]; $write^a[i].x = 1; }");
  testBody("float4 a[4]; double2 b[4]; uchar4 c[4]; $write^a[i].x = 1;"
           "$write^b[i].x = 1; $write^c[i].x = 1;");
}

TEST(Type, OfTheUserWithAVectorsName) {
  testFind("namespace mine { struct float2 { float x, y;\n"
           "  __device__ float2() : x(0), y(0) {} }; }\n"
           "__global__ void kernel(int i) {\n"
           "  mine::float2 $element_type^a[4]; $write^a[i].x = 1; }");
}

TEST(Type, Dimensions) {
  testBody("int $too_many_dimensions^a[2][2][2][2][2][2];"
           "$write^a[i][j][0][0][0][0] = 1;");
  testBody("int a[2][2][2][2][2]; $write^a[i][j][0][1][0] = 1;");
  testBody("int a[2][2]; $write^a[i][j] = 1;");
}

TEST(Type, Volatile) {
  testBody("volatile int $qualified_type^a[4]; $write^a[i] = 1;");
  testBody("int volatile $qualified_type^a[4] = {1, 2}; *out = $read^a[i];");
  testBody("volatile int *a[4]; $write^a[i] = out;");
}

TEST(Type, Const) {
  for (const char *Word : {"const int", "int const", "unsigned const int"}) {
    const std::string Code =
        kernelAround(Word + std::string(" a[4] = {}; *out = a[i];"));
    const Finding F = findingOf(Code);
    EXPECT_TRUE(F.Obstacles.empty());
    EXPECT_EQ(Code.substr(F.Text.Const.Offset, F.Text.Const.Length), "const");
  }
  testBody("using Fixed = const int; Fixed $const_elements^a[4] = {i, j};"
           "*out = $read^a[i];");
  testBody("using Fixed = const int; const Fixed $const_elements^a[1] = {i};"
           "*out = $read^a[i];");
  testFind("#define FIXED const\n"
           "__global__ void kernel(int *out, int i) {"
           " FIXED int $const_elements^a[4] = {i}; *out = $read^a[i]; }");
  testBody("int const t[2][2] = {}; *out = $read^t[i][j];");
  testBody("constexpr int a[4] = {1, 2}; *out = $read^a[i];");
  testBody("const int *a[4]; $write^a[i] = out;");
  testBody("int *const $const_elements^$declarator_shape^a[4] = {out};"
           "*out = *$read^a[i];");
  EXPECT_TRUE(
      findingOf(kernelAround("const int a[4] = {1}; *out = a[i];")).HasConst);
  EXPECT_FALSE(
      findingOf(kernelAround("const int *a[4]; a[i] = out;")).HasConst);
}

TEST(Type, Attributes) {
  for (const char *Large :
       {"alignas(32) int $over_aligned^a[4]; $write^a[i] = 1;",
        "alignas(32) int b, $over_aligned^a[4]; $write^a[i] = b = 1;",
        "int b, $over_aligned^$declarator_shape^a[4] "
        "__attribute__((aligned(16))); $write^a[i] = b = 1;",
        "__align__(128) int $over_aligned^a[4]; $write^a[i] = 1;"})
    testBody(Large);
  for (const char *None :
       {"[ [maybe_unused]] int a[4]; $write^a[i] = 1;",
        "[ [maybe_unused]] int a[4], b; $write^a[i] = b;",
        "alignas(16) int a[4]; $write^a[i] = 1;",
        "alignas(16) int a[4], b; $write^a[i] = b = 1;",
        "__align__(16) int b[2] = {1}, a[4]; $write^a[i] = $read^b[0];",
        "__align__(8) const float *a[4]; $write^a[i] = 0;",
        "__attribute__((unused)) int a[4]; $write^a[i] = 1;"})
    testBody(None);
  Finding F = findingOf(kernelAround("alignas(32) int a[4]; a[i] = 1;"));
  EXPECT_EQ(F.Obstacles[0].Detail, "alignas");
  EXPECT_EQ(findingOf(kernelAround("alignas(16) int a[4]; a[i] = 1;"))
                .Instances[0]
                .SlotAlignment,
            16u);
}

TEST(Type, AttributesOfMacros) {
  const std::string Macros = "\n#define UNUSED __attribute__((unused))\n"
                             "#define ALIGN(n) __attribute__((aligned(n)))\n"
                             "#define BOTH(n) UNUSED __align__(n)\n"
                             "#define WIDE alignas(16)\n"
                             "#define MAYBE [ [maybe_unused]]\n"
                             "#define TYPE __attribute__((unused)) int\n"
                             "#define FIXED __attribute__((unused)) const\n"
                             "#define VOLATILE ALIGN(16) __volatile__\n"
                             "#define COUNTED ++j; ALIGN(16)\n";
  for (const char *Served :
       {"UNUSED int a[4]; $write^a[i] = 1;",
        "UNUSED unsigned long a[4], b; $write^a[i] = b;",
        "UNUSED int *b, a[4]; $write^a[i] = *b;",
        "ALIGN(16) int a[4]; $write^a[i] = 1;",
        "ALIGN(16) int a[4], b; $write^a[i] = b = 1;",
        "BOTH(8) int a[4]; $write^a[i] = 1;",
        "UNUSED ALIGN(4 + 4) UNUSED int a[4]; $write^a[i] = 1;",
        "WIDE int a[4]; $write^a[i] = 1;", "MAYBE int a[4]; $write^a[i] = 1;",
        "MAYBE UNUSED int a[4]; $write^a[i] = 1;"})
    testBody(Macros + Served);
  for (const char *Refused :
       {"TYPE $over_aligned^a[4]; $write^a[i] = 1;",
        "int UNUSED $over_aligned^$declarator_shape^a[4]; $write^a[i] = 1;",
        "int $over_aligned^$declarator_shape^a[4] UNUSED; $write^a[i] = 1;",
        "ALIGN(32) int $over_aligned^a[4]; $write^a[i] = 1;",
        "FIXED int $over_aligned^$const_elements^a[4] = {j};"
        "*out = $read^a[i];",
        "VOLATILE int $over_aligned^$qualified_type^a[4]; $write^a[i] = 1;",
        "COUNTED int $over_aligned^a[4]; $write^a[i] = 1;"})
    testBody(Macros + Refused);
  const Finding F =
      findingOf(kernelAround(Macros + "BOTH(16) int a[4]; a[i] = 1;"));
  EXPECT_EQ(F.Instances[0].SlotAlignment, 16u);
}

TEST(Type, AlignmentIsNotAskedAbout) {
  testBody("alignas(16) int a[4]; *out = alignof($decltype^a) + $read^a[i];");
  testBody("int a[4]; *out = alignof($sizeof^a) + $read^a[i];");
}

TEST(Type, Aliases) {
  testBody("typedef int Row[4]; Row $array_typedef^a; $write^a[i] = 1;");
  testBody("using Row = int[4]; Row $array_typedef^t[2]; $write^t[i][j] = 1;");
  testBody("typedef int Number; Number a[4]; $write^a[i] = 1;");
}

// --- How it is written -----------------------------------------------------

TEST(Declaration, OfOneArray) {
  DeclarationTexts T = declarationIn("unsigned char a[4] = {1, 2};");
  EXPECT_EQ(T.Statement, "unsigned char a[4] = {1, 2};");
  EXPECT_EQ(T.Specifiers, "unsigned char");
  EXPECT_EQ(T.Declarator, "a[4]");
  EXPECT_EQ(T.Name, "a");
  EXPECT_EQ(T.Extents, "[4]");
  EXPECT_EQ(T.Initializer, " = {1, 2}");
  EXPECT_EQ(T.Values, "{1, 2}");
  EXPECT_EQ(T.All, (Texts{"a[4] = {1, 2}"}));
  EXPECT_EQ(T.Raw.ExtentTexts, (Texts{"4"}));
}

TEST(Declaration, OfSeveralVariables) {
  DeclarationTexts T =
      declarationIn("float sum = i + (j, 2), *p, a[2][4], b[3] = {0};");
  EXPECT_EQ(T.Specifiers, "float");
  EXPECT_EQ(T.Declarator, "a[2][4]");
  EXPECT_EQ(T.Extents, "[2][4]");
  EXPECT_EQ(T.Initializer, "");
  EXPECT_EQ(T.Raw.IndexInStatement, 2u);
  EXPECT_EQ(T.Raw.ExtentTexts, (Texts{"2", "4"}));
  EXPECT_EQ(T.All, (Texts{"sum = i + (j, 2)", "*p", "a[2][4]", "b[3] = {0}"}));
}

TEST(Declaration, OfPointers) {
  DeclarationTexts T = declarationIn("int x, * *a[4];");
  EXPECT_EQ(T.Declarator, "* *a[4]");
  EXPECT_EQ(T.Name, "a");
  EXPECT_EQ(T.All, (Texts{"x", "* *a[4]"}));
}

TEST(Declaration, BesideOtherShapes) {
  EXPECT_EQ(declarationIn("int a[4], (*f)(int), &r = i;").All,
            (Texts{"a[4]", "(*f)(int)", "&r = i"}));
  EXPECT_EQ(declarationIn("int (*f)(int, char), a[4];").All,
            (Texts{"(*f)(int, char)", "a[4]"}));
}

TEST(Declaration, SpecifiersInEveryOrder) {
  EXPECT_EQ(declarationIn("long unsigned int a[4];").Specifiers,
            "long unsigned int");
  EXPECT_EQ(declarationIn("const int *a[4];").Specifiers, "const int");
  EXPECT_EQ(declarationIn("decltype(i + 1) a[4];").Specifiers,
            "decltype(i + 1)");
  EXPECT_EQ(declarationIn("ns::T a[4];", "namespace ns { using T = int; }\n")
                .Specifiers,
            "ns::T");
  EXPECT_EQ(declarationIn("::V<int>::type a[4];",
                          "template <class T> struct V { using type = T; };\n")
                .Specifiers,
            "::V<int>::type");
  EXPECT_EQ(declarationIn("enum E a[4];", "enum E { Zero };\n").Specifiers,
            "enum E");
}

TEST(Declaration, WithMacrosForTypeExtentAndValues) {
  DeclarationTexts T =
      declarationIn("REAL a[N] = {ONE, 2};",
                    "#define REAL float\n#define N 4\n#define ONE 1\n");
  EXPECT_EQ(T.Specifiers, "REAL");
  EXPECT_EQ(T.Raw.ExtentTexts, (Texts{"N"}));
  EXPECT_EQ(T.Values, "{ONE, 2}");
  EXPECT_EQ(declarationIn("VEC(float, 2) a[2];", "#define VEC(t, n) t##n\n")
                .Specifiers,
            "VEC(float, 2)");
}

TEST(Declaration, OverSeveralLinesAndWithComments) {
  DeclarationTexts T = declarationIn("int /* of */ a[ 2 * 2 ], // four\n"
                                     "    b; // and more");
  EXPECT_EQ(T.Specifiers, "int");
  EXPECT_EQ(T.Raw.ExtentTexts, (Texts{"2 * 2"}));
  EXPECT_EQ(T.All, (Texts{"a[ 2 * 2 ]", "b"}));
  testBody("int $declarator_shape^a /* of */ [4]; $write^a[i] = 1;");
}

TEST(Declaration, InMacros) {
  testFind("#define DECLARE(n) int n[4]\n"
           "__global__ void kernel(int i) {\n"
           "  DECLARE($declaration_in_macro^a); $write^a[i] = 1; }");
  testFind("#define DIM [4]\n"
           "__global__ void kernel(int i) {\n"
           "  int $declaration_in_macro^a DIM; $write^a[i] = 1; }");
  testFind("#define END ;\n"
           "__global__ void kernel(int i) {\n"
           "  int $declaration_in_macro^a[4] END $write^a[i] = 1; }");
  testFind("#define NAME a\n"
           "__global__ void kernel(int i) {\n"
           "  int $declaration_in_macro^NAME[4]; $write^a[i] = 1; }");
}

TEST(Declaration, SeveralFromOneMacro) {
  UnitFacts Facts = factsOf("#define TWO int a[4]; int b[4]\n" +
                            kernelAround("TWO; a[i] = b[j] = 1;"));
  ASSERT_EQ(Facts.Findings.size(), 2u);
  for (const Finding &F : Facts.Findings) {
    ASSERT_EQ(F.Obstacles.size(), 1u);
    EXPECT_EQ(F.Obstacles[0].Why, Reason::DeclarationInMacro);
  }
}

TEST(Declaration, AcrossConfigurations) {
  testBody("int $declaration_in_macro^a[4],\n"
           "#ifdef MORE\n"
           "    more,\n"
           "#endif\n"
           "    b; $write^a[i] = b = 1;");
  testBody("int $declaration_in_macro^a[4],\n"
           "#pragma diag_suppress 177\n"
           "    b; $write^a[i] = b = 1;");
}

TEST(Declaration, AStarInAMacroBindsToOneDeclarator) {
  testFind(
      "#define POINTER int *\n"
      "__global__ void kernel(int *p, int i) {\n"
      "  POINTER $declaration_in_macro^a[4], b; $write^a[i] = p; b = 1; }");
}

TEST(Declaration, OutsideABlock) {
  testBody("for (int $declaration_place^a[2] = {}; i; --i)"
           "  $readwrite^a[j]++;");
  testBody("if (int $declaration_place^a[2] = {}; i) $readwrite^a[j]++;");
  testBody("switch (int $declaration_place^a[2] = {}; i) {"
           "  case 1: $readwrite^a[j]++; }");
  testBody("switch (i) { case 1: int $declaration_place^a[2];"
           "  $write^a[j] = 1; }");
  testBody("if (i) int $declaration_place^a[2];");
  testBody("label: int $declaration_place^a[2]; $write^a[j] = 1;");
}

// A label of a switch further out, as in Duff's device.
TEST(Declaration, PassedByACaseLabel) {
  testBody("switch (i) { case 0: do { int $declaration_place^a[2];"
           "  case 1: $write^a[j] = 1; } while (--i); }");
  testBody("switch (i) { case 0: { int $declaration_place^a[2];"
           "  if (j) { default: $write^a[j] = 1; } } }");
  testBody("switch (i) { case 0: { int a[2]; $write^a[j] = 1; } default:; }");
  testBody("int a[2]; switch (i) { case 0: $write^a[j] = 1; }");
}

// What is written once means something else when it is repeated.
TEST(Declaration, HidesANameThatItUses) {
  testBody(
      "const int n = 4; { int $hidden_name^n[n] = {i}; $write^n[j] = 1; }");
  testFind("#define N (n)\n" +
           kernelAround("const int n = 4; { int $hidden_name^n[N];"
                        "  $write^n[j] = 1; }"));
  testFind("struct S { int v; };\n" +
           kernelAround("S $hidden_name^S[4]; $write^S[j].v = 1;"));
  testFind("struct S { int v; };\n" +
           kernelAround("S S, $hidden_name^a[4]; $write^a[j].v = S.v;"));
  testBody("const int n = 4; int a[n], m[n]; $write^a[j] = $read^m[j];");
}

// What a lambda captures may stay there as a reference, but not its type.
TEST(Declaration, WhoseTypeALambdaAsksFor) {
  testBody("float a[4]; auto f = [&](int e) { decltype($decltype^a) *p = "
           "&$captured_by_lambda^a; return (*p)[e & 3]; }; out[0] = f(i);");
  testFind("template <class T, int N> __device__ constexpr int len(T (&)[N])"
           " { return N; }\n" +
           kernelAround("int a[4]; auto f = [&](int e) {"
                        " constexpr int n = len($decltype^a);"
                        " return $captured_by_lambda^a[e & 3] + n; };"
                        " out[0] = f(i);"));
}

// A constant expression takes no reference.
TEST(Declaration, OfWhichAConstantExpressionAsksTheLength) {
  const std::string Prelude =
      "template <class T, int N> __device__ constexpr int len(T (&)[N])"
      " { return N; }\ntemplate <int N> __device__ int g();\n";
  auto Test = [&](llvm::StringRef Body) {
    testFind(Prelude + kernelAround(Body));
  };
  Test("int a[4]; constexpr int n = len($decltype^a); $write^a[i] = n;");
  Test("int a[4]; const int n = len($decltype^a); $write^a[i] = n;");
  Test("int a[4]; int b[len($decltype^a)]; $write^a[i] = $read^b[j];");
  Test(
      "int a[4]; static_assert(len($decltype^a) == 4, \"\"); $write^a[i] = 1;");
  Test("int a[4]; $write^a[i] = g<len($decltype^a)>();");
  Test("int a[4]; int n = len($reference_bound^a); $write^a[i] = n;");
  Test("int a[4]; constexpr int n = sizeof($sizeof^a); $write^a[i] = n;");
  Test("struct S { int v[4]; __device__ constexpr int size() const"
       " { return 4; } }; S $class_object^s; s.v[i] = 1;"
       " constexpr int n = $decltype^s.size();");
}

// A jump may pass the declaration of an array, but not that of a reference.
TEST(Declaration, InAFunctionWithAGoto) {
  testBody("if (i) goto end; int $goto^a[4]; $write^a[j] = 1; end:;");
  testBody("int a[4]; if (i) { $write^a[j] = 1; } end:;");
  testBody("int a[4]; again: if ($readwrite^a[j]++) goto again;");
  testBody("again:; int a[4]; if ($readwrite^a[j]++) goto again;");
  testBody("if (i) goto end; { int a[4]; $write^a[j] = 1; } end:;");
  testBody("if (i) goto in; { int $goto^a[4]; in: $write^a[j] = 1; }");
  testBody("void *p = &&end; int $goto^a[4]; $write^a[j] = 1; goto *p; end:;");
}

TEST(Declaration, OfAnotherShape) {
  testBody("int ($declarator_shape^a)[4]; $write^a[i] = 1;");
  testBody("int *($declarator_shape^a[4]); $write^a[i] = out;");
  testBody("int (*$declarator_shape^a[4])(int); $write^a[i] = nullptr;");
  testBody("const struct S { int x; } *$declarator_shape^a[4];"
           "$write^a[i] = nullptr;");
  testBody("static int a[4]; a[i] = 1;");
}

TEST(Declaration, OfAClassInFrontOfIt) {
  auto TypeIn = [](const std::string &Declaration) {
    const auto Facts = factsOf(kernelAround(Declaration + " a[i].x = 1;"));
    EXPECT_TRUE(Facts.Findings.back().Obstacles.empty()) << Declaration;
    return Facts.Findings.back().Text.Type;
  };
  EXPECT_EQ(TypeIn("struct S { int x; } a[4];"), "S");
  EXPECT_EQ(TypeIn("struct { int x; } a[4];"), "a_type");
  EXPECT_EQ(TypeIn("struct { int x; } b[4], a[4]; b[i].x = 1;"), "b_type");
  EXPECT_EQ(TypeIn("int a_type; struct { int x; } a[4];"), "a_type_2");
  testBody("struct a { int x; } $hidden_name^a[4]; $write^a[i].x = 1;");
}

TEST(Declaration, AsARegister) {
  UnitFacts Facts =
      factsOf(kernelAround("register int a[4]; a[i] = 1;"),
              [](llvm::StringRef) { return true; }, {"-std=c++14"});
  ASSERT_EQ(Facts.Findings.size(), 1u);
  ASSERT_EQ(Facts.Findings[0].Obstacles.size(), 1u);
  EXPECT_EQ(Facts.Findings[0].Obstacles[0].Why, Reason::DeclaratorShape);
}

// --- NOLINT ----------------------------------------------------------------

TEST(Nolint, OnTheLineOrTheLineBefore) {
  testBody("int $nolint^a[4]; // NOLINT(bankstripe)\n$write^a[i] = 1;");
  testBody("// NOLINTNEXTLINE(bankstripe)\nint $nolint^a[4]; $write^a[i] = 1;");
  testBody("int $nolint^a[4]; /* NOLINT(bankstripe): slower */\n"
           "$write^a[i] = 1;");
}

TEST(Nolint, SpeaksForAllNamesOfItsLine) {
  testBody("int $nolint^a[4], $nolint^b[4]; // NOLINT(bankstripe)\n"
           "$write^a[i] = $readwrite^b[i] = 1;");
  testBody("int $nolint^a[4], // NOLINT(bankstripe)\n"
           "    b[4];\n$write^a[i] = $readwrite^b[i] = 1;");
}

TEST(Nolint, WithLists) {
  testBody("int $nolint^a[4]; // NOLINT(other, bankstripe)\n$write^a[i] = 1;");
  testBody("int $nolint^a[4]; // NOLINT(bankstripe,other)\n$write^a[i] = 1;");
  testBody("int $nolint^a[4]; // NOLINT(*)\n$write^a[i] = 1;");
  testBody("int $nolint^a[4]; // NOLINT(other) NOLINT(bankstripe)\n"
           "$write^a[i] = 1;");
}

TEST(Nolint, OfOthersSaysNothing) {
  testBody("int a[4]; // NOLINT\n$write^a[i] = 1;");
  testBody("int a[4]; // NOLINT(other)\n$write^a[i] = 1;");
  testBody("int a[4]; // NOLINT(bankstripes)\n$write^a[i] = 1;");
  testBody("int a[4]; // NOLINTNEXTLINE(bankstripe)\n$write^a[i] = 1;");
  testBody("// NOLINT(bankstripe)\nint a[4]; $write^a[i] = 1;");
  testBody("// NOLINTNEXTLINE(bankstripe)\n\nint a[4]; $write^a[i] = 1;");
}

TEST(Declaration, KeepsItsLineWhereThatIsAValue) {
  auto KeepsLine = [](const char *Body) {
    return findingOf(kernelAround(Body)).Text.KeepsLine;
  };
  EXPECT_TRUE(KeepsLine("int a[4] = {1}; a[i] = __LINE__;\n"));
  EXPECT_TRUE(KeepsLine("int a[__LINE__]; a[i] = 1;\n"));
  EXPECT_FALSE(KeepsLine("int a[4];\n a[i] = __LINE__;\n"));
  testBody("int $hidden_name^a[4],\n b = __LINE__; $write^a[i] = b;\n");
}
