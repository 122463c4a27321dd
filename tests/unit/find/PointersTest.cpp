//===-- PointersTest.cpp - pointers that only walk over an array ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They can walk over a stripe as well, so the array gets an accessor. Whatever
// else a pointer does asks for a slot.
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// The text of \p R in \p Code.
std::string textOf(const TextRange &R, llvm::StringRef Code) {
  return Code.substr(R.Offset, R.Length).str();
}

/// The only callee of \p Code.
Callee calleeOf(llvm::StringRef Code) {
  UnitFacts Facts = factsOf(Code);
  EXPECT_EQ(Facts.Callees.size(), 1u) << Code.str();
  return Facts.Callees.empty() ? Callee() : Facts.Callees.front();
}

constexpr llvm::StringRef Sum =
    "__device__ int sum(const int *values, int n) {\n"
    "  int total = 0;\n"
    "  while (n--) total += values[n];\n"
    "  return total; }\n";

} // namespace

// --- In one function -------------------------------------------------------

TEST(Walking, FromElementToElement) {
  testBody("int $pointers^a[4]; int *p = a; *p++ = 1; p += i; p[j] = 2;");
  testBody("int $pointers^a[4]; for (int *p = a; p != a + 4; ++p) *p = i;");
  testBody("int $pointers^a[4]; for (int *p = a, *end = a + 4; p < end; ++p)"
           "  *p = i;");
  testBody("int $pointers^a[4]; const int *p; p = a + i; *out = *p - p[-1];");
  testBody("int $pointers^a[4]; auto p = a + 1; *out = *(p - 1);");
  testBody("float4 $pointers^a[4]; float4 *p = a; p->x = 1; ++p;");
  testBody("int $pointers^a[4]; int *p = a; if (i) ++p; else p = a; *p = 1;");
}

TEST(Walking, BesideSubscripts) {
  auto F = testBody("int $pointers^a[4]; int *p = a; *p = 1;"
                    "$write^a[i] = $read^a[j];");
  EXPECT_EQ(F.front().Uses.size(), 2u);
  EXPECT_TRUE(F.front().HasOtherUses);
}

TEST(Walking, IsNotNeededForSubscripts) {
  EXPECT_FALSE(findingOf(kernelAround("int a[4]; a[i] = 1;")).Trail);
}

TEST(Walking, PointersAreDeclaredAnew) {
  std::string Code =
      kernelAround("int a[4]; const int *p = a, * q = a + 1; *out = *p - *q;");
  Finding F = findingOf(Code);
  ASSERT_FALSE(F.Trail->Locals.empty());
  const PointerDeclaration &D = F.Trail->Locals.front();
  EXPECT_EQ(textOf(D.Specifiers, Code), "const int ");
  EXPECT_EQ(D.To.Text, "int");
  EXPECT_TRUE(D.To.Const);
  ASSERT_EQ(D.Stars.size(), 2u);
  EXPECT_EQ(textOf(D.Stars[0], Code), "*");
  EXPECT_EQ(textOf(D.Stars[1], Code), "* ");
}

// The array comes first, and all others point into it.
TEST(Walking, PointersMayBeDeclaredWithTheArray) {
  constexpr llvm::StringRef Body =
      "struct Item { int node; float weight; };"
      "Item $pointers^a[4], *p = a, *end = a + 4;"
      "if (p < end) *p++ = Item{i, 0.5f}; Item e = *--p; *out = e.node;";
  auto F = testBody(Body);
  const PointerTrail &Trail = F.front().Trail.value();
  ASSERT_FALSE(Trail.Locals.empty());
  EXPECT_EQ(Trail.Locals[0].To.Text, "Item");
  EXPECT_EQ(Trail.Locals[0].Stars.size(), 2u);
  EXPECT_EQ(Trail.Locals[0].Specifiers.Length, 0u);
  EXPECT_EQ(Trail.Locals[0].Specifiers.Offset, Trail.Locals[0].Stars[0].Offset);
  testBody("int a[4], *p = $pointer_taken^a, n = 3; *p = n;");
  testBody("int a[4]; const auto *p = $pointer_taken^a; *out = *p;");
  testBody("int a[4]; auto *p = $pointer_taken^a, *q = p; *p = *q;");
  testBody("int *q = out, a[4], *p = $pointer_taken^a; *p = *q;");
}

TEST(Walking, EndsWhereAPointerLeaves) {
  testBody("int a[4]; int *p = $pointer_taken^a; out = p;");
  testBody("int a[4]; int *p = $pointer_taken^a; *out = (long long)p;");
  testBody("int a[4]; int *p = $pointer_taken^a; *out = !p;");
  testBody("int a[4]; int *p = $pointer_taken^a; p = out; *p = 1;");
  testBody("int a[4]; int *p = $pointer_taken^a; *out = p < out;");
  testBody("int a[4]; int *p = $pointer_taken^a; int **q = &p; **q = 1;");
  testBody("int a[4]; int *p = $pointer_taken^a; int &r = *p; (&r)[1] = 2;");
  testBody("int a[4]; int *p = $pointer_taken^a;"
           "auto f = [&] { *p = 1; }; f();");
  testBody("int a[4]; void *p = $pointer_taken^a; *(int *)p = 1;");
  testBody("int a[4]; volatile int *p = $pointer_taken^a; *p = 1;");
}

TEST(Walking, MustNotMeetAnotherArray) {
  testBody("int a[4], b[4]; int *p = $pointer_taken^a; p = $pointer_taken^b;"
           "*p = 1;");
}

// One pointer that does more is enough.
TEST(Walking, IsAskedOfAllPointersTogether) {
  testBody("int a[4]; *$pointer_taken^a = 1;"
           "int *p = $pointer_taken^a; out = p;");
}

// --- Into other functions --------------------------------------------------

TEST(Callees, ThatOnlyWalkGetAnOverload) {
  std::string Code = Sum.str() + kernelAround("int a[4]; a[i] = 1;"
                                              "*out = sum(a, 4);");
  Finding F = findingOf(Code);
  EXPECT_TRUE(F.Trail);
  EXPECT_TRUE(F.Obstacles.empty());
  ASSERT_EQ(F.Trail->Arguments.size(), 1u);
  EXPECT_EQ(textOf(F.Trail->Arguments[0].Call, Code), "sum(a, 4)");
  EXPECT_EQ(F.Trail->Arguments[0].Parameter, 0u);

  Callee C = calleeOf(Code);
  EXPECT_EQ(C.Name, "sum");
  EXPECT_EQ(C.Where, F.Trail->Arguments[0].Callee);
  EXPECT_EQ(textOf(C.Definition, Code) + "\n", Sum);
  ASSERT_EQ(C.Parameters.size(), 1u);
  const CalleeParameter &P = C.Parameters.begin()->second;
  EXPECT_EQ(textOf(P.Text, Code), "const int *values");
  EXPECT_EQ(P.Name, "values");
  EXPECT_EQ(P.To.Text, "int");
  EXPECT_TRUE(P.To.Const);
  EXPECT_FALSE(P.To.Dependent);
}

// The name of the type that a template of `sum` deduces in \p Code.
static std::string deducedIn(const std::string &Code,
                             std::vector<std::string> ExtraArgs = {}) {
  UnitFacts Facts =
      factsOf(Code, [](llvm::StringRef) { return true; }, std::move(ExtraArgs));
  EXPECT_EQ(Facts.Callees.size(), 1u) << Code;
  return Facts.Callees.empty() ? ""
                               : Facts.Callees.front().Parameters.at(0).Deduced;
}

static const std::string Caller =
    kernelAround("int a[4]; a[i] = 1; *out = sum(a, 4);");

TEST(Callees, BecomeTemplatesWhereNoCallCanTell) {
  EXPECT_EQ(deducedIn(Sum.str() + Caller), "values_pointer");
  // An ordinary pointer is deduced, and so is an array.
  EXPECT_EQ(deducedIn("__device__ int table[4];\n" + Sum.str() + Caller +
                      "__device__ int f(int *p, const int *const q) {\n"
                      "  return sum(p, 1) + sum((q + 1), 1) + sum(table, 4) +\n"
                      "         sum(&p[2], 1); }\n"),
            "values_pointer");
  EXPECT_EQ(
      deducedIn("#define TWICE(call) (call + call)\n" + Sum.str() + Caller +
                "__device__ int f(int *p) { return TWICE(sum(p, 2)); }\n"),
      "values_pointer");
  // It calls itself.
  EXPECT_EQ(deducedIn("__device__ int sum(int *p, int n) {\n"
                      "  return n ? *p + sum(p + 1, n - 1) : 0; }\n" +
                      Caller),
            "p_pointer");
}

TEST(Callees, ThatAreCalledWithWhatIsConvertedStayFunctions) {
  for (const char *Given : {"nullptr", "0", "view", "{}", "{table}"})
    EXPECT_EQ(deducedIn("struct View { __device__ operator int *(); };\n"
                        "__device__ int table[4];\n" +
                        Sum.str() + Caller +
                        "__device__ int f(View view) { return sum(" + Given +
                        ", 0); }\n"),
              "")
        << Given;
  EXPECT_EQ(deducedIn("__device__ int sum(const int *p = nullptr) {\n"
                      "  return p[1]; }\n" +
                      kernelAround("int a[4]; a[i] = 1; *out = sum(a);")),
            "");
}

// A mention that is no call, or one that the tree does not show.
TEST(Callees, WhoseNameStandsElsewhereStayFunctions) {
  for (const char *Mention :
       {"__device__ int sum(const int *, int);",
        "__device__ double sum(double, double);",
        "namespace n { __device__ int sum(int); }", "struct S { int sum; };",
        "#ifdef DEBUG\n__device__ int f() { return sum(0, 0); }\n#endif",
        "template <class T> __device__ int f(T p) { return sum(p, 0); }",
        "#define NONE sum(0, 0)",
        "__device__ int f(int *p);\n#define F(p) sum(p, 0)\n"
        "__device__ int f(int *p) { return F(p); }",
        "__device__ int (&same)(const int *, int) = sum;"})
    for (const std::string &Code : {Sum.str() + Mention + "\n" + Caller,
                                    Sum.str() + Caller + Mention + "\n"}) {
      UnitFacts Facts = factsOf(Code);
      EXPECT_TRUE(Facts.Callees.empty() ||
                  Facts.Callees.front().Parameters.at(0).Deduced.empty())
          << Code;
    }
  // A comment mentions nothing.
  EXPECT_NE(deducedIn(Sum.str() + "// sum() adds up.\n" + Caller), "");
}

TEST(Callees, ThatShareTheirNameWithALibraryStayFunctions) {
  auto Named = [](const std::string &Name) {
    return deducedIn(
        "namespace mine { __device__ int " + Name +
        "(const int *p, int n) {\n  return p[n]; } }\n" +
        kernelAround("int a[4]; a[i] = 1; *out = mine::" + Name + "(a, j);"));
  };
  EXPECT_EQ(Named("clock"), "");
  EXPECT_EQ(Named("watch"), "p_pointer");
}

TEST(Callees, ThatOtherFilesMayCallStayFunctions) {
  EXPECT_EQ(deducedIn(Sum.str() + Caller, {"-fgpu-rdc"}), "");
  for (const char *Own : {"static ", "inline "})
    EXPECT_NE(deducedIn(Own + Sum.str() + Caller, {"-fgpu-rdc"}), "") << Own;
  EXPECT_EQ(deducedIn("inline __host__ " + Sum.str() + Caller), "");
}

TEST(Callees, OfOtherParametersStayFunctions) {
  auto With = [](const std::string &Head, const std::string &Call = "sum") {
    return deducedIn(
        Head + "  return p[n]; }\n" +
        kernelAround("int a[4]; a[i] = 1; *out = " + Call + "(a, j);"));
  };
  EXPECT_NE(With("__device__ int sum(const int *p, int n) {"), "");
  EXPECT_EQ(With("__device__ int sum(const int *__restrict__ p, int n) {"), "");
  EXPECT_EQ(With("template <class T> __device__ T sum(T *p, int n) {"), "");
  EXPECT_EQ(
      With("template <int N> __device__ int sum(int *p, int n) {", "sum<3>"),
      "");
  EXPECT_EQ(deducedIn("__device__ float sum(float4 *p, int n) {\n"
                      "  return p[n].x; }\n" +
                      kernelAround("float4 a[4]; a[i].x = 1;\n"
                                   "*data = sum(a, j);")),
            "");
  EXPECT_EQ(deducedIn("__device__ int sum(const bool *p, int n) {\n"
                      "  return p[n]; }\n" +
                      kernelAround("bool a[4]; a[i] = 1; *out = sum(a, j);")),
            "");
  EXPECT_EQ(With("using p_pointer = int;\n"
                 "__device__ int sum(const int *p, int n) {"),
            "");
}

// In a template a call may mean another function, and the compiler must be told
// which names are types and templates.
TEST(Callees, WhoseBodyDiffersInATemplateStayFunctions) {
  auto Returning = [](const std::string &Value) {
    return deducedIn("struct Pair { template <int N> __device__ int get(); };\n"
                     "__device__ Pair pair(int);\n"
                     "__device__ Pair operator+(int, Pair);\n"
                     "__device__ int one(int), of(Pair);\n"
                     "__device__ int two(int), two(int &);\n"
                     "template <class T> __device__ int any(T &&);\n"
                     "__device__ int sum(const int *p, int n) { return " +
                     Value + "; }\n" + Caller);
  };
  EXPECT_NE(Returning("one(p[n])"), "");
  EXPECT_NE(Returning("min(p[n], __popc(n))"), "");
  EXPECT_EQ(Returning("two(p[n])"), "");
  EXPECT_EQ(Returning("of(p[n] + Pair())"), "");
  EXPECT_EQ(Returning("any(p[n] + 1)"), "");
  EXPECT_EQ(Returning("pair(p[n]).get<2>()"), "");
  EXPECT_EQ(Returning("p[n] + sizeof(decltype(n))"), "");
}

TEST(Callees, PassTheirPointersOn) {
  UnitFacts Facts =
      factsOf(Sum.str() +
              "__device__ int twice(int *v) {\n"
              "  return sum(v, 2) + sum(v + 2, 2); }\n" +
              kernelAround("int a[4]; a[i] = 1; *out = twice(a);"));
  ASSERT_EQ(Facts.Callees.size(), 2u);
  EXPECT_TRUE(Facts.Findings[0].Obstacles.empty());
  EXPECT_EQ(Facts.Callees[1].Parameters.at(0).Trail.Arguments.size(), 2u);
}

TEST(Callees, TemplatesDeduceTheElement) {
  Callee C = calleeOf("template <class T> __device__ void put(T *p, T v) {\n"
                      "  *p = v; }\n" +
                      kernelAround("int a[4]; put(a, i); *out = a[j];"));
  EXPECT_TRUE(C.Parameters.at(0).To.Dependent);
}

// `bankstripe::pointer<auto>` is no type.
TEST(Callees, OfAnAutoParameterGetNone) {
  UnitFacts Facts =
      factsOf("__device__ int sum(auto *p, int n) {\n"
              "  int s = 0; while (n--) s += *p++; return s; }\n" +
                  kernelAround("int a[4]; a[i] = 1; *out = sum(a, 4);"),
              [](llvm::StringRef) { return true; }, {"-std=c++20"});
  EXPECT_TRUE(Facts.Callees.empty());
}

// The copy repeats all of the text, and `first` takes no striped pointer.
TEST(Callees, WithTheParameterInADiscardedBranchGetNone) {
  const std::string Code =
      "__device__ int first(const int *p) { const volatile int *q = p;\n"
      "  return *q; }\n"
      "template <bool B> __device__ int f(const int *p, int m) {\n"
      "  if constexpr (B) return first(p);\n"
      "  else return p[m]; }\n" +
      kernelAround("int a[4]; a[i] = 1; *out = f<false>(a, j);");
  EXPECT_TRUE(factsOf(Code).Callees.empty());
}

TEST(Callees, WithAnotherDiscardedBranchGetAnOverload) {
  calleeOf("template <bool B> __device__ int f(const int *p, int m) {\n"
           "  if constexpr (B) m = 0;\n"
           "  return p[m]; }\n" +
           kernelAround("int a[4]; a[i] = 1; *out = f<false>(a, j);"));
}

// The same of a pointer beside the parameter, in a copy and in the function of
// the array.
TEST(Callees, WithAPointerInADiscardedBranchGetNone) {
  const std::string First =
      "__device__ int first(const int *p) { const volatile int *q = p;\n"
      "  return *q; }\n";
  EXPECT_TRUE(factsOf(First +
                      "template <bool B> __device__ int f(int *p) {\n"
                      "  int *q = p;\n"
                      "  if constexpr (B) return first(q);\n"
                      "  return *q++; }\n" +
                      kernelAround("int a[4]; a[i] = 1; *out = f<false>(a);"))
                  .Callees.empty());
  testFind(First +
           "template <bool B> __global__ void kernel(int *out, int i) {\n"
           "  int a[4]; int *q = $pointer_taken^a;\n"
           "  if constexpr (B) *out = first(q);\n"
           "  *q++ = i; $write^a[i] = 2; }\n"
           "template __global__ void kernel<false>(int *, int);");
}

TEST(Walking, EndsWhereThePreprocessorSkipsCode) {
  testBody("int a[4]; int *p = $pointer_taken^a; *p++ = 1;\n"
           "#ifdef DEBUG\n*out = long(p);\n#endif\n");
}

TEST(Callees, ThatAreFriendsGetNone) {
  const std::string Code = kernelAround("int a[4]; a[i] = 1; *out = f(a);");
  EXPECT_TRUE(
      factsOf("class C { int v; friend __device__ int f(const int *p); };\n"
              "__device__ int f(const int *p) { return *p + C().v; }\n" +
              Code)
          .Callees.empty());
  EXPECT_TRUE(factsOf("class C { int v; template <class T>\n"
                      "  friend __device__ int f(const T *p); };\n"
                      "template <class T> __device__ int f(const T *p) {\n"
                      "  return *p + C().v; }\n" +
                      Code)
                  .Callees.empty());
}

TEST(Callees, ThatShowTheirTypeOrCountCopiesGetNone) {
  const std::string Code = kernelAround("int a[4]; a[i] = 1; *out = f(a);");
  for (const char *Value : {"sizeof(__PRETTY_FUNCTION__)", "__COUNTER__"})
    EXPECT_TRUE(factsOf(std::string("__device__ int f(int *p) { return *p + ") +
                        Value + "; }\n" + Code)
                    .Callees.empty())
        << Value;
  calleeOf("__device__ unsigned f(int *p) { return *p + sizeof(__func__); }\n" +
           Code);
}

TEST(Callees, ThatComputeWithLinesGetNone) {
  const std::string Code = kernelAround("int a[4]; a[i] = 1; *out = f(a);");
  EXPECT_TRUE(
      factsOf("__device__ int f(int *p) { return *p + __LINE__; }\n" + Code)
          .Callees.empty());
  calleeOf("__device__ void check(bool, const char *, int);\n"
           "#define CHECK(x) check(x, __FILE__, __LINE__)\n"
           "__device__ int f(int *p) { CHECK(*p > 0); return *p; }\n" +
           Code);
}

TEST(Callees, ThatAreDeclaredInTheFunctionGetNone) {
  EXPECT_TRUE(
      factsOf(Sum.str() + kernelAround("int a[4]; a[i] = 1;\n"
                                       "__device__ int sum(const int *, int);\n"
                                       "*out = sum(a, 4);"))
          .Callees.empty());
  EXPECT_TRUE(factsOf("namespace n {\n" + Sum.str() + "}\n" +
                      kernelAround("int a[4]; a[i] = 1; using n::sum;\n"
                                   "*out = sum(a, 4);"))
                  .Callees.empty());
}

TEST(Callees, ThatCannotBeCopied) {
  auto Passed = [](llvm::StringRef Function) {
    testFind((Function + "\n__global__ void kernel(int *out, int i) {\n"
                         "  int a[4]; f($passed_to_function^a);\n"
                         "  *out = $read^a[i]; }\n")
                 .str());
  };
  Passed("__device__ void f(int *p);");
  Passed("__device__ void f(int *p) { static int n; *p = n; }");
  Passed("__device__ void f(int *p) { __shared__ int n; *p = n; }");
  Passed("__device__ void f(int *p) {\n#if 1\n  *p = 1;\n#endif\n}");
  Passed("__device__ constexpr void f(int *p) { *p = 1; }");
  Passed("extern \"C\" __device__ void f(int *p) { *p = 1; }");
  testFind("__device__ void f(int (&p)[4]) { p[0] = 1; }\n"
           "__global__ void kernel(int *out, int i) {\n"
           "  int a[4]; f($reference_bound^a);\n"
           "  *out = $read^a[i]; }\n");
  Passed("__device__ void f(int *p) { *(float *)p = 1; }");
  Passed("#define F __device__ void f\nF(int *p) { *p = 1; }\n"
         "#undef F\n__device__ void f(const int *p, int = 0);");
}

// The copy would lack the default that the first declaration gives.
TEST(Callees, WhoseDefaultArgumentStandsElsewhere) {
  auto Called = [](llvm::StringRef Call) {
    return findingOf(std::string(
        "__device__ int f(const int *p, int n = 3);\n"
        "__device__ int f(const int *p, int n) { return p[n]; }\n" +
        kernelAround(("int a[4]; a[i] = 1; *out = " + Call + ";").str())));
  };
  EXPECT_EQ(Called("f(a)").Obstacles.size(), 1u);
  EXPECT_TRUE(Called("f(a, i)").Obstacles.empty());
}

TEST(Callees, BehindTheirCallerCannotBeSeenByIt) {
  testFind("__device__ void f(int *p);\n"
           "__global__ void kernel(int *out, int i) {\n"
           "  int a[4]; f($passed_to_function^a); *out = $read^a[i]; }\n"
           "__device__ void f(int *p) { *p = 1; }\n");
}

TEST(Callees, OutsideTheGivenPathsAreNotCopied) {
  UnitFacts Facts =
      factsOf(Sum.str() + kernelAround("int a[4]; a[i] = 1; *out = sum(a, 4);"),
              [](llvm::StringRef File) { return File.empty(); });
  EXPECT_TRUE(llvm::any_of(Facts.Findings[0].Obstacles, [](const Obstacle &O) {
    return O.Why == Reason::PassedToFunction;
  }));
}

// A pointer to it would not know which of the two is meant.
TEST(Callees, WhoseAddressIsTakenAreNotCopied) {
  const std::string Code =
      Sum.str() + "__device__ int (*pointer)(const int *, int) = sum;\n" +
      kernelAround("int a[4]; a[i] = 1; *out = sum(a, 4);");
  Finding F = findingOf(Code);
  ASSERT_EQ(F.Obstacles.size(), 1u);
  EXPECT_EQ(F.Obstacles[0].Why, Reason::PassedToFunction);
  EXPECT_EQ(F.Obstacles[0].Detail, "sum");
}

TEST(Pointers, TwoPointersToPointersInOneDeclarationAreNotTakenApart) {
  Finding F = findingOf("__global__ void kernel(int **out, int i) {\n"
                        "  int *a[4];\n"
                        "  for (int **p = a, **end = a + 4; p != end; ++p)\n"
                        "    *p = out[0];\n"
                        "  out[i] = a[i & 3]; }\n");
  EXPECT_FALSE(F.Trail);
  EXPECT_FALSE(F.Obstacles.empty());
}

TEST(Pointers, AnArrayInsideAnElementMayBeSubscriptedButNotPassedOn) {
  auto ObstaclesWith = [](const std::string &Use) {
    return findingOf("struct Ray { float o[3]; };\n"
                     "__device__ float first(const float *);\n"
                     "__global__ void kernel(float *out, int i) { Ray r[4];\n"
                     "  r[i & 3].o[i % 3] = 1; *out = " +
                     Use + "; }\n")
        .Obstacles;
  };
  EXPECT_TRUE(ObstaclesWith("r[0].o[1]").empty());
  EXPECT_FALSE(ObstaclesWith("first(r[0].o)").empty());
}
