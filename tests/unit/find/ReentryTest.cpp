//===-- ReentryTest.cpp - functions that may run twice at once ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static storage exists once, so a function that can be entered again before it
// returns cannot hold any. Calls that stand nowhere in its text count too.
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// Why the array `a` cannot move; empty when nothing is said of recursion.
std::string whyReentered(llvm::StringRef Code,
                         std::vector<std::string> Arguments = {}) {
  UnitFacts Facts =
      factsOf(Code, [](llvm::StringRef) { return true; }, std::move(Arguments));
  for (const Finding &F : Facts.Findings)
    for (const Obstacle &O : F.Obstacles)
      if (F.Name == "a" && O.Why == Reason::RecursiveFunction)
        return O.Detail;
  return "";
}

constexpr llvm::StringRef Itself = "it calls itself";
constexpr llvm::StringRef Hidden =
    "it may call itself through a pointer or a virtual function";
constexpr llvm::StringRef Destroyed = "a destructor reaches it";

} // namespace

// --- Calls that can be seen ------------------------------------------------

TEST(Reentry, OfAFunctionThatCallsItself) {
  testFind("__device__ int f(int n) {\n"
           "  int $recursive_function^a[4]; $write^a[n & 3] = n;\n"
           "  return n ? f(n - 1) : $read^a[0]; }");
}

TEST(Reentry, NotOfAFunctionThatCallsAnother) {
  testFind("__device__ int g(int n) { return n + 1; }\n"
           "__device__ int f(int n) {\n"
           "  int a[4]; $write^a[n & 3] = n; return g(n) + $read^a[0]; }");
}

TEST(Reentry, OfFunctionsThatCallEachOther) {
  const char *Code = "__device__ int g(int n);\n"
                     "__device__ int f(int n) {\n"
                     "  int a[4]; a[n & 3] = n; return g(n) + a[0]; }\n"
                     "__device__ int g(int n) { return n ? f(n - 1) : 0; }";
  EXPECT_EQ(whyReentered(Code), Itself);
}

// The cycle lies below the function, which itself runs once at a time.
TEST(Reentry, NotOfACallerOfARecursiveFunction) {
  EXPECT_EQ(whyReentered("__device__ int g(int n) { return n ? g(n - 1) : 0; }"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n; return g(n) + a[0]; }"),
            "");
}

TEST(Reentry, OfAnotherInstantiationIsNone) {
  EXPECT_EQ(whyReentered("template <int N> __device__ int f(int i) {\n"
                         "  int a[4]; a[i & 3] = i;\n"
                         "  if constexpr (N > 0) return f<N - 1>(i) + a[0];\n"
                         "  return a[1]; }\n"
                         "__global__ void k(int *out) { *out = f<3>(1); }"),
            "");
}

TEST(Reentry, OfTheSameInstantiation) {
  EXPECT_EQ(whyReentered("template <class T> __device__ T f(T i) {\n"
                         "  T a[4]; a[i & 3] = i;\n"
                         "  return i ? f(i - 1) : a[0]; }\n"
                         "__global__ void k(int *out) { *out = f(1); }"),
            Itself);
}

TEST(Reentry, OfMethods) {
  EXPECT_EQ(whyReentered("struct S { __device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? f(n - 1) : a[0]; } };"),
            Itself);
}

// --- Calls that stand elsewhere --------------------------------------------

TEST(HiddenCalls, InDefaultArguments) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "__device__ int g(int n, int m = f(0)) {\n"
                         "  return n + m; }\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? g(n) : a[0]; }"),
            Itself);
  EXPECT_EQ(whyReentered("__device__ int h(int n);\n"
                         "__device__ int g(int n, int m = h(0)) {\n"
                         "  return n + m; }\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? g(n) : a[0]; }"),
            "");
}

TEST(HiddenCalls, InMemberInitialisers) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "struct S { int x = f(0); };\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? S().x : a[0]; }"),
            Itself);
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "struct S { int x; __device__ S() : x(f(0)) {} };\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? S().x : a[0]; }"),
            Itself);
}

TEST(HiddenCalls, OfTheStepsOfARangeFor) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "struct Range { int v[2];\n"
                         "  __device__ int *begin() { f(0); return v; }\n"
                         "  __device__ int *end() { return v + 2; } };\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  if (n) { Range r; for (int x : r) n += x; }\n"
                         "  return n + a[0]; }"),
            Itself);
}

TEST(HiddenCalls, OfOperatorsAndConversions) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "struct S { __device__ operator int() const {\n"
                         "  return f(0); } };\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? int(S()) : a[0]; }"),
            Itself);
}

TEST(HiddenCalls, OfDestructors) {
  const std::string Class = "__device__ int f(int n);\n"
                            "struct S { int x; __device__ ~S() { f(x); } };\n";
  EXPECT_EQ(whyReentered(Class + "__device__ int f(int n) {\n"
                                 "  int a[4]; a[n & 3] = n;\n"
                                 "  if (n) { S s; s.x = 0; }\n"
                                 "  return a[0]; }"),
            Destroyed);
  EXPECT_EQ(whyReentered("__device__ int g(int n) { return n; }\n"
                         "struct S { int x; __device__ ~S() { g(x); } };\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  if (n) { S s; s.x = 0; }\n"
                         "  return a[0]; }"),
            "");
}

// --- Calls whose callee nobody can name ------------------------------------

TEST(UnknownCallees, OfPointers) {
  const std::string Declared = "__device__ int f(int n);\n"
                               "__device__ int (*pointer)(int);\n";
  const std::string Calling = "__device__ int f(int n) {\n"
                              "  int a[4]; a[n & 3] = n;\n"
                              "  return n ? pointer(n - 1) : a[0]; }\n";
  const std::string Taking = "__global__ void k() { pointer = f; }";
  EXPECT_EQ(whyReentered(Declared + Calling + Taking), Hidden);
  // Its address is never taken: the pointer means another function.
  EXPECT_EQ(whyReentered(Declared + Calling), "");
  EXPECT_EQ(whyReentered(Declared +
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n; return a[0]; }\n" +
                         Taking),
            "");
}

TEST(UnknownCallees, OfPointersInTables) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "__device__ int (*table[])(int) = {f};\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? table[0](n - 1) : a[0]; }\n"),
            Hidden);
}

TEST(UnknownCallees, OfPointerParameters) {
  EXPECT_EQ(whyReentered("__device__ int apply(int (*g)(int), int n) {\n"
                         "  return g(n); }\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? apply(f, n - 1) : a[0]; }"),
            Hidden);
}

TEST(UnknownCallees, OfVirtualFunctions) {
  EXPECT_EQ(whyReentered("struct Base { __device__ virtual int f(int n) = 0; };"
                         "struct Derived : Base {\n"
                         "  Base *next;\n"
                         "  __device__ int f(int n) override {\n"
                         "    int a[4]; a[n & 3] = n;\n"
                         "    return n ? next->f(n - 1) : a[0]; } };"),
            Hidden);
  EXPECT_EQ(whyReentered("struct Base { __device__ virtual int f(int n) = 0; };"
                         "struct Derived : Base {\n"
                         "  __device__ int f(int n) override {\n"
                         "    int a[4]; a[n & 3] = n; return a[0]; } };"),
            "");
}

// A kernel is not called, whatever its callees do.
TEST(UnknownCallees, DoNotReachKernels) {
  testFind("__device__ int (*pointer)(int);\n"
           "__global__ void kernel(int *out, int i) {\n"
           "  int a[4]; $write^a[i & 3] = pointer(i); *out = $read^a[0]; }");
}

// --- Calls that leave the translation unit ----------------------------------

namespace {

/// The function whose mangled name holds \p Part, as other units see it.
DeviceFunction functionIn(const UnitFacts &Facts, llvm::StringRef Part) {
  for (const DeviceFunction &F : Facts.Functions)
    if (llvm::StringRef(F.Id).contains(Part))
      return F;
  ADD_FAILURE() << "no function " << Part.str();
  return {};
}

constexpr llvm::StringRef Leaving =
    "__device__ int elsewhere(int n);\n"
    "__device__ int leaves(int n) {\n"
    "  int a[4]; a[n & 3] = n; __shared__ int s[2]; s[0] = n;\n"
    "  __syncthreads(); return n ? elsewhere(n - 1) : a[0] + s[0]; }\n"
    "__global__ void kernel(int *out) { *out = leaves(1); }\n";

UnitFacts relocatable(llvm::StringRef Code) {
  return factsOf(Code, [](llvm::StringRef) { return true; }, {"-fgpu-rdc"});
}

} // namespace

TEST(CallsBetweenUnits, AreLeftToThePlan) {
  EXPECT_EQ(whyReentered(Leaving, {"-fgpu-rdc"}), "");
}

TEST(CallsBetweenUnits, AreListedWithWhoDefinesWhat) {
  UnitFacts Facts = relocatable(Leaving);
  DeviceFunction Leaves = functionIn(Facts, "leaves");
  EXPECT_TRUE(Leaves.Defined);
  EXPECT_TRUE(llvm::is_contained(Leaves.Calls, "_Z9elsewherei"));
  EXPECT_EQ(Leaves.StaticSharedBytes, 8u);
  EXPECT_FALSE(functionIn(Facts, "elsewhere").Defined);
  EXPECT_EQ(functionIn(Facts, "kernel").Calls,
            std::vector<std::string>{Leaves.Id});
}

TEST(CallsBetweenUnits, AreNoneInAProgramOfOneUnit) {
  EXPECT_TRUE(factsOf(Leaving).Functions.empty());
}

// Nobody defines them, and they do not call back.
TEST(CallsBetweenUnits, BuiltinFunctionsAreNotMissed) {
  UnitFacts Facts = relocatable("__device__ int f(int n) {\n"
                                "  __syncthreads(); return n; }");
  ASSERT_EQ(Facts.Functions.size(), 1u);
  EXPECT_EQ(Facts.Functions.front().Id, "_Z1fi");
}
