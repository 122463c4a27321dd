//===-- UsesTest.cpp - subscripts, and uses that are more than that -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

// --- Kinds of access -------------------------------------------------------

TEST(Access, ReadsAndWrites) {
  testBody("int a[4]; $write^a[i] = 1; int x = $read^a[j]; *out = x;");
  testBody("int a[4]; $write^a[i] = $read^a[j] + 2 * $read^a[0];");
  testBody("int a[4]; out[$read^a[i]] = $read^a[j];");
  testBody("int a[4]; if ($read^a[i]) *out = 1; while ($read^a[j] > 1) ++j;");
  testBody("int a[4]; switch ($read^a[i]) { case 1: $write^a[j] = 2; }");
  testBody("int a[4]; *out = $read^a[i] ? $read^a[0] : -$read^a[1];");
  testBody("int a[4]; *out = (short)$read^a[i]; (void)$read^a[j];");
  testBody("int a[4]; auto x = $read^a[i]; int y{$read^a[j]}; *out = x + y;");
}

TEST(Access, CompoundAssignmentReadsAndWrites) {
  testBody("int a[4]; $readwrite^a[i] += 1; $readwrite^a[j] <<= $read^a[0];");
}

TEST(Access, IncrementsReadAndWrite) {
  testBody("int a[4]; $readwrite^a[i]++; ++$readwrite^a[i];"
           "$readwrite^a[i]--; --$readwrite^a[i];");
  testBody("int a[4]; *out = $readwrite^a[i]++ + --$readwrite^a[j];");
  testBody("int a[4]; ++++$readwrite^a[i];");
}

TEST(Access, ChainedAssignments) {
  testBody("int a[4], b[4]; $write^a[i] = $readwrite^b[j] = 0;");
  testBody("int a[4]; *out = $readwrite^a[i] = 3;");
  testBody("int a[4]; ($readwrite^a[i] = 3) += 4;");
}

TEST(Access, TheBodyOfEveryLoop) {
  testBody("int a[4]; for (;;) $write^a[i] = 0;");
  testBody("int a[4]; while (i) $write^a[i--] = 0;");
  testBody("int a[4]; do $write^a[i] = 0; while (--i);");
  testFind("struct Three { int v[3];\n"
           "  __device__ int *begin() { return v; }\n"
           "  __device__ int *end() { return v + 3; } };\n"
           "__global__ void kernel(Three *three, int i) { int a[4];\n"
           "  for (int x : *three) $write^a[x] = i; }");
}

TEST(Access, BehindLabels) {
  testBody("int a[4]; again: $write^a[i] = 0;");
  testBody("int a[4]; switch (i) { case 0: $write^a[i] = 0; break; "
           "default: $readwrite^a[j]++; }");
}

TEST(Access, ConditionalLvalues) {
  testBody("int a[4], b[4]; (i ? $write^a[i] : $write^b[j]) = 1;");
  testBody("int a[4]; (i ? $readwrite^a[i] : $readwrite^a[j]) += 1;");
  testBody("int a[4]; *out = $read^a[i] ?: 7;");
}

TEST(Access, Commas) {
  testBody("int a[4]; *out = ($write^a[i] = 1, $read^a[j]);");
  testBody("int a[4]; ($readwrite^a[i]++, $write^a[j]) = 2;");
}

TEST(Access, AnUnusedValueIsNotUnderstood) {
  testBody("int a[4]; $unknown_use^a[i];");
}

TEST(Access, ElementsOfEveryKind) {
  testBody("bool a[4]; $write^a[i] = !$read^a[j];");
  testBody("double a[4]; $write^a[i] = data[j]; data[0] = $read^a[j];");
  testBody("int *a[4]; $write^a[i] = out; *$read^a[j] = 1; $read^a[0][7] = 2;");
  testBody("enum class Colour : char { Red, Blue }; Colour a[4];"
           "$write^a[i] = Colour::Red; *out = $read^a[j] == Colour::Blue;");
}

TEST(Access, MembersOfVectors) {
  testBody("float4 v[4]; $write^v[i].x = 1; data[0] = $read^v[j].w;"
           "$readwrite^v[i].y += 2;");
  testBody(
      "float2 v[4]; $write^v[i] = make_float2(1, 2);"
      "float2 copy = $read^v[j]; data[0] = copy.x; $write^v[0] = $read^v[1];");
  testBody("int2 v[4]; int &r = $address^v[i].y; r = 2;");
}

TEST(Access, SizesAndTypesOfElements) {
  testBody("int a[4]; *out = sizeof($read^a[0]) + sizeof $read^a[i];");
}

// --- Indices ---------------------------------------------------------------

TEST(Indices, Nested) {
  testBody("int a[4], b[4]; *out = $read^a[$read^b[$read^a[i]]];");
  testBody("int a[4]; $write^a[$readwrite^a[0]++] = $read^a[$read^a[j] & 3];");
}

TEST(Indices, OfEveryIntegerType) {
  testBody("int a[4]; char c = i; unsigned long long u = i; bool b = i > 1;"
           "$write^a[c] = 1; $write^a[u] = 2; $write^a[b] = 3;"
           "$write^a[i > 1 ? 1 : 0] = 4; $write^a['\\1'] = 5;");
  testBody("enum E { One = 1 }; int a[4]; $write^a[One] = 1;");
}

TEST(Indices, OfAClass) {
  testFind(
      "struct Index { int v; __device__ operator int() const { return v; } };\n"
      "__global__ void kernel(Index x) { int a[4]; a[$index_type^x] = 1; }");
  testFind(
      "struct Index { int v; __device__ operator int() const { return v; } };\n"
      "__global__ void kernel(Index x) { int a[4]; $write^a[int(x)] = 1; }");
}

TEST(Indices, ConstantsInsideAndOutside) {
  testBody("int a[4]; $write^a[0] = $read^a[3]; a[$out_of_bounds^4] = 1;");
  testBody("int a[4]; $write^a[0] = 1; *out = a[$out_of_bounds^-1];");
  testBody("int a[4]; int *end = &a[$out_of_bounds^5]; *end = 1;");
  testBody("const int n = 7; int a[4]; a[$out_of_bounds^n - 1] = 1;");
  testBody("int t[2][4]; $write^t[1][3] = 1; t[0][$out_of_bounds^4] = 1;");
  testBody("int t[2][4]; t[$out_of_bounds^2][0] = 1;");
}

TEST(Indices, OfLoopsThatLeaveTheArray) {
  testBody("int a[4]; for (int k = 0; k <= 4; ++k) a[$out_of_bounds^k] = k;");
  testBody(
      "int a[4]; for (int k = 0; k < 4; k++) a[$out_of_bounds^k + 1] = k;");
  testBody(
      "int a[4]; for (int k = 3; k >= 0; k--) a[$out_of_bounds^k - 1] = k;");
  testBody("int a[8]; for (int k = 0; k < 3; ++k) for (int l = 0; l < 3; ++l)"
           " a[$out_of_bounds^3 * k + l] = k;");
  testBody("int t[4][4]; for (int k = 0; k <= 4; ++k)"
           " t[0][$out_of_bounds^k] = k;");
}

TEST(Indices, OfLoopsThatMayNotLeaveTheArray) {
  testBody("int a[4]; for (int k = 0; k < 4; ++k) $write^a[k] = k;");
  testBody(
      "int a[4]; for (int k = 0; k <= 4; ++k) if (k < 4) $write^a[k] = k;");
  testBody("int a[4]; for (int k = 0; k <= 4; ++k)"
           " *out += k < 4 && $read^a[k];");
  testBody("int a[4]; for (int k = 0; k <= 4; ++k)"
           " { if (k == i) break; $write^a[k] = k; }");
  testBody("int a[4]; for (int k = 0; k <= 4; ++k) $write^a[k & 3] = k;");
  testBody("int a[4]; for (int k = 0; k <= 4; ++k) $write^a[k - k] = k;");
  testBody("int a[4]; for (int k = 0; k <= i; ++k) $write^a[k] = k;");
  testBody("int a[4]; for (int k = 0; k <= 4; ++k)"
           " for (int l = k; l < 4; ++l) $write^a[k] = k;");
}

// They are evaluated one after the other, as those of an accessor are.
TEST(Indices, ThatChangeEachOther) {
  testBody("int t[4][4]; $write^t[i++][i++] = 1;");
  testBody("int t[4][4]; $write^t[i][i++] = 1;");
  testBody("int t[4][4]; $write^t[i++][1] = 1; $write^t[2][i = j] = 1;");
  testBody("int a[4]; $write^a[i++] = 1;");
  const char *Next = "__device__ int next(int &);\n";
  testFind(Next + kernelAround("int t[4][4]; $write^t[next(i)][i] = 1;"));
}

// Where a loop over the array ends. It is only an address.
TEST(Indices, OfTheEnd) {
  testBody("int a[4]; *out = &$element_address_escapes^a[4] > out;");
  testBody("int t[2][4]; *out = &t[$out_of_bounds^2][0] > out;");
  testBody("int a[4]; int *p = &a[$out_of_bounds^4]; *p = 1;");
  testBody("int a[4]; atomicAdd(&a[$out_of_bounds^4], 1);");
}

TEST(Indices, AreKnownToBeConstant) {
  auto Uses =
      testBody("const int n = 1; int a[4]; $write^a[n + 1] = $read^a[i];"
               "$write^a[sizeof(int) - 1] = 2;")
          .front()
          .Uses;
  ASSERT_EQ(Uses.size(), 3u);
  EXPECT_TRUE(Uses[0].ConstantIndex);
  EXPECT_FALSE(Uses[1].ConstantIndex);
  EXPECT_TRUE(Uses[2].ConstantIndex);
  Finding T = testBody("int t[2][4]; $write^t[0][i] = $read^t[i][0];").front();
  EXPECT_FALSE(T.Uses[0].ConstantIndex);
  EXPECT_FALSE(T.Uses[1].ConstantIndex);
}

TEST(Indices, BeforeTheArray) { testBody("int a[4]; i[$unknown_use^a] = 1;"); }

// --- Text ------------------------------------------------------------------

// The accessor leaves it as it is.
TEST(UseText, DoesNotMatter) {
  testBody("int t[2][4]; ($write^t[i])[j] = 1; (($write^t) [i] [j]) = 2;");
  testBody("int t[2][4]; $write^t[i, j][(i, j)] = 1;");
  testFind("struct X { int v; };\n"
           "__device__ int operator,(X x, int y);\n" +
           kernelAround("int a[4]; $write^a[X{i}, j] = 1;"));
}

TEST(UseText, MayStandInAnotherFile) {
  llvm::SmallString<128> Path;
  int Descriptor = -1;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("uses", "inc", Descriptor, Path));
  llvm::FileRemover Remover(Path);
  llvm::raw_fd_ostream(Descriptor, /*shouldClose=*/true) << "a[i] = 1;\n";
  Finding F = findingOf(
      kernelAround("int a[4];\n#include \"" + Path.str().str() + "\"\n"));
  EXPECT_TRUE(F.Obstacles.empty());
  ASSERT_EQ(F.Uses.size(), 1u);
  EXPECT_EQ(F.Uses[0].Where.File, Path.str());
}

// --- Whole arrays ----------------------------------------------------------

TEST(WholeArray, AsAPointer) {
  testBody("int a[4]; *out = $pointer_taken^a == (int *)data;");
  testBody("int a[4]; auto *p = &$pointer_taken^a; (*p)[i] = 1;");
  testBody("int a[4]; *(float *)$pointer_taken^a = 1;");
  testBody("int a[4]; reinterpret_cast<float *>($pointer_taken^a)[i] = 1;");
  testBody(
      "int a[4], b[4]; int *both[2] = {$pointer_taken^a, $pointer_taken^b};"
      "*$read^both[i] = 1;");
  testBody("int a[4]; if ($pointer_taken^a) *out = 1;");
  testBody("int a[4]; data = (float *)(i ? $pointer_taken^a : out);");
}

TEST(WholeArray, PassedToAFunction) {
  testFind("__device__ void f(int *); __global__ void kernel() {\n"
           "  int a[4]; f($passed_to_function^a); }");
  testFind("__device__ void f(int (&)[4]); __global__ void kernel() {\n"
           "  int a[4]; f($reference_bound^a); }");
  testFind("struct View { int *p; __device__ View(int *q) : p(q) {} };\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; View view($passed_to_function^a); view.p[i] = 1; }");
  testFind("__device__ void f(int); __global__ void kernel(int i) {\n"
           "  int a[4]; $write^a[0] = 1; f($read^a[i]); }");
}

TEST(WholeArray, TheFunctionIsNamed) {
  Finding F =
      findingOf("namespace tools { __device__ void sort(int *); }\n"
                "__global__ void kernel() { int a[4]; tools::sort(a); }");
  ASSERT_EQ(F.Obstacles.size(), 1u);
  EXPECT_EQ(F.Obstacles[0].Detail, "tools::sort");
}

TEST(WholeArray, BoundToAReference) {
  testBody("int a[4]; int(&r)[4] = $reference_bound^a; r[i] = 1;");
  testBody("int a[4]; int &r = $address^a[i]; r = 1;");
}

TEST(WholeArray, InARangeFor) {
  testBody("int a[4]; for (int x : $range_for^a) *out += x;");
  testBody("int a[4]; for (int x = 0; x < 4; ++x) $write^a[x] = 1;");
}

TEST(WholeArray, MeasuredOrNamedAsAType) {
  testBody("int a[4]; $write^a[i] = sizeof($sizeof^a);");
  testBody("int a[4]; decltype($decltype^a) *p = nullptr; $write^a[i] = !p;");
  testBody("int a[4]; __typeof__($decltype^a) *p = nullptr; $write^a[i] = !p;");
}

TEST(WholeArray, NamedAsATypeInsideAnExpression) {
  testFind("template <class T> __device__ int size() { return sizeof(T); }\n"
           "__global__ void kernel(int *out, int i) {\n"
           "  int a[4]; $write^a[i] = size<decltype($decltype^a)>(); }");
  testBody("int a[4]; $write^a[i] = sizeof(decltype($decltype^a));");
}

TEST(WholeArray, ARowAsAnArray) {
  testBody("int t[2][4]; int *row = $partial_subscript^t[i]; row[j] = 1;");
  testBody("int t[2][4]; auto &row = $partial_subscript^t[i]; row[j] = 1;");
  testBody("int t[2][4]; *out = sizeof($partial_subscript^t[0]);");
  testBody("int t[2][4]; *$partial_subscript^t[i] = 1;");
  testBody("int t[2][4]; $write^t[i][j] = 1; $readwrite^t[0][1]++;");
}

TEST(WholeArray, CapturedByALambda) {
  testBody("int a[4]; auto f = [&] { $captured_by_lambda^a[i] = 1; }; f();");
  testBody("int a[4]; auto f = [=] { return $captured_by_lambda^a[i]; };"
           "*out = f();");
  testBody("int a[4]; auto f = [&$captured_by_lambda^a, i] {"
           "  $captured_by_lambda^a[i] = 1; }; f();");
  testBody("int a[4]; auto f = [$captured_by_lambda^a, i] {"
           "  return $captured_by_lambda^a[i]; }; *out = f();");
  testBody("int a[4]; $write^a[0] = 1; auto f = [x = $read^a[i]] { return x; };"
           "*out = f();");
  testBody("int a[4]; auto f = [&x = $element_address_escapes^a[i]] { x = 1; };"
           "f();");
}

TEST(WholeArray, CopiedAsAWhole) {
  testBody("int a[2]; $write^a[i] = 1; auto $initializer^[x, y] "
           "= $unknown_use^a;"
           "*out = x + y;");
}

TEST(WholeArray, InAssembly) {
  testBody("int a[4]; asm(\"\" :: \"l\"($inline_assembly^a));"
           "$write^a[i] = 1;");
  testBody("int a[4]; asm(\"\" :: \"r\"($read^a[i]));");
}

// --- What the address may be taken for --------------------------------------

namespace {

unsigned slotAlignment(llvm::StringRef Code) {
  return findingOf(Code).Instances.at(0).SlotAlignment;
}

} // namespace

TEST(SlotAlignment, IsWhatACastClaims) {
  EXPECT_EQ(slotAlignment(kernelAround(
                "float a[8]; *data = reinterpret_cast<float4 *>(a)[i].x;")),
            16u);
  EXPECT_EQ(slotAlignment(kernelAround(
                "char a[8]; *out = *reinterpret_cast<int *>(&a[i]);")),
            4u);
}

TEST(SlotAlignment, IsWhatACalleesCastClaims) {
  const std::string Callee = "__device__ float first(const float *values) {\n"
                             "  return ((const float2 *)values)->x; }\n";
  EXPECT_EQ(slotAlignment(Callee + kernelAround("float a[8]; a[i] = 1;"
                                                "*data = first(a);")),
            8u);
  EXPECT_EQ(slotAlignment(Callee + kernelAround("float a[8]; a[i] = 1;"
                                                "*data = first(data);")),
            4u);
}

// C++20 makes `!(v == w)` of it.
TEST(SlotAlignment, IsWhatARewrittenOperatorsCastClaims) {
  UnitFacts Facts =
      factsOf("struct V { float v[8]; };\n"
              "__device__ bool operator==(const V &a, const V &b) {\n"
              "  return ((const int4 *)a.v)->x == ((const int4 *)b.v)->x; }\n" +
                  kernelAround("V v{}, w{}; v.v[i] = 1; *out = v != w;"),
              [](llvm::StringRef) { return true; }, {"-std=c++20"});
  ASSERT_EQ(Facts.Findings.size(), 2u);
  for (const Finding &F : Facts.Findings)
    EXPECT_EQ(F.Instances.at(0).SlotAlignment, 16u);
}

// Local memory has it aligned so.
TEST(SlotAlignment, IsWhatCodeThatIsNotSeenMayClaim) {
  const std::string Array = "float a[8]; a[i] = 1; ";
  auto InLinkedCode = [&](const std::string &Declared) {
    return factsOf(Declared + "\n" + kernelAround(Array + "f(a);"),
                   [](llvm::StringRef) { return true; }, {"-fgpu-rdc"})
        .Findings.at(0)
        .Instances.at(0)
        .SlotAlignment;
  };
  EXPECT_EQ(InLinkedCode("__device__ void f(float *);"), 16u);
  EXPECT_EQ(InLinkedCode("__device__ void f(float *) {}"), 4u);
  // A method gets its object.
  auto OfObject = [](const std::string &Method) {
    return factsOf("struct S { int v[8]; " + Method + " };\n" +
                       kernelAround("S s{}; s.v[i] = 1; *out = s.pop();"),
                   [](llvm::StringRef) { return true; }, {"-fgpu-rdc"})
        .Findings.at(0)
        .Instances.at(0)
        .SlotAlignment;
  };
  EXPECT_EQ(OfObject("__device__ int pop();"), 16u);
  EXPECT_EQ(OfObject("__device__ int pop() { return v[0]; }"), 4u);
  EXPECT_EQ(
      slotAlignment("struct R { virtual __device__ void f(float *) {} };\n"
                    "__device__ R *r;\n" +
                    kernelAround(Array + "r->f(a);")),
      16u);
  EXPECT_EQ(slotAlignment("__device__ void (*f)(float *);\n" +
                          kernelAround(Array + "f(a);")),
            16u);
  EXPECT_EQ(slotAlignment(
                kernelAround(Array + "auto q = __builtin_assume_aligned(a, 8); "
                                     "*data = *(float *)q;")),
            8u);
  EXPECT_EQ(slotAlignment(kernelAround(
                Array + "float *q = a; asm(\"\" :: \"r\"(i)); *data = q[1];")),
            16u);
}

TEST(SlotAlignment, IsThatOfTheMembersOfAPackedClass) {
  EXPECT_EQ(slotAlignment("#pragma pack(push, 1)\n"
                          "struct P { double sums[4]; int scale; };\n"
                          "#pragma pack(pop)\n"
                          "__device__ double get(double *p, int i) { return "
                          "p[i]; }\n" +
                          kernelAround("P p; p.sums[i] = 1; *data = "
                                       "get(p.sums, i);")),
            8u);
}

TEST(SlotAlignment, IsTheTypesWithoutCasts) {
  EXPECT_EQ(slotAlignment(kernelAround("double a[8]; a[i] = 1;")), 8u);
  EXPECT_EQ(slotAlignment("__device__ void f(char *) {}\n" +
                          kernelAround("char a[8]; f(a);")),
            1u);
}
