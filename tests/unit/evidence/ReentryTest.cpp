//===-- ReentryTest.cpp - functions that are entered again ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether an array's function can be entered again before it returns. Calls
// that stand nowhere in the text count too.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// Why the array `a` cannot move; empty when nothing is said of recursion.
std::string whyReentered(llvm::StringRef Code,
                         std::vector<std::string> Arguments = {}) {
  const GatheredUnit Unit = gather(Code, std::move(Arguments));
  for (auto [F, E] : llvm::zip(Unit.Facts.Findings, Unit.Evidence.Arrays))
    for (const Obstacle &O : E.Obstacles)
      if (F.Name == "a" && O.Why == Reason::RecursiveFunction)
        return O.Detail;
  return "";
}

/// A function with an array that returns \p Result.
std::string returning(const std::string &Result) {
  return "__device__ int f(int n) {\n"
         "  int a[4]; a[n & 3] = n;\n"
         "  return " +
         Result + "; }\n";
}

constexpr llvm::StringRef Itself = "it calls itself";
constexpr llvm::StringRef Hidden =
    "it may call itself through a pointer or a virtual function";

} // namespace

// --- Calls that can be seen ------------------------------------------------

TEST(Reentry, OfAFunctionThatCallsItself) {
  EXPECT_EQ(whyReentered(returning("n ? f(n - 1) : a[0]")), Itself);
}

TEST(Reentry, NotOfAFunctionThatCallsAnother) {
  EXPECT_EQ(whyReentered("__device__ int g(int n) { return n + 1; }\n" +
                         returning("g(n) + a[0]")),
            "");
}

TEST(Reentry, OfFunctionsThatCallEachOther) {
  const std::string Code =
      "__device__ int g(int n);\n" + returning("g(n) + a[0]") +
      "__device__ int g(int n) { return n ? f(n - 1) : 0; }";
  EXPECT_EQ(whyReentered(Code), Itself);
}

// The cycle lies below the function, which itself runs once at a time.
TEST(Reentry, NotOfACallerOfARecursiveFunction) {
  EXPECT_EQ(
      whyReentered("__device__ int g(int n) { return n ? g(n - 1) : 0; }" +
                   returning("g(n) + a[0]")),
      "");
}

// nvcc is often wrong about the rest of such a kernel.
TEST(Reentry, BelowAKernelKeepsItsArrays) {
  const std::string Kernel = "__global__ void k(int *p) {\n"
                             "  int a[4]; a[*p & 3] = g(*p); *p = a[1]; }\n";
  EXPECT_EQ(
      whyReentered("__device__ int g(int n) { return n ? g(n - 1) : 0; }\n" +
                   Kernel),
      "kernel 'k(int*)' calls 'g(int)', and it calls itself");
  EXPECT_EQ(
      whyReentered("__device__ int h(int n) { return n ? h(n - 1) : 0; }\n"
                   "__device__ int g(int n) { return n; }\n" +
                   Kernel + "__global__ void other(int *p) { *p = h(*p); }"),
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

// --- Calls that stand elsewhere --------------------------------------------

TEST(HiddenCalls, InDefaultArguments) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "__device__ int g(int n, int m = f(0)) {\n"
                         "  return n + m; }\n" +
                         returning("n ? g(n) : a[0]")),
            Itself);
  EXPECT_EQ(whyReentered("__device__ int h(int n);\n"
                         "__device__ int g(int n, int m = h(0)) {\n"
                         "  return n + m; }\n" +
                         returning("n ? g(n) : a[0]")),
            "");
}

TEST(HiddenCalls, InMemberInitialisers) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "struct S { int x = f(0); };\n" +
                         returning("n ? S().x : a[0]")),
            Itself);
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "struct S { int x; __device__ S() : x(f(0)) {} };\n" +
                         returning("n ? S().x : a[0]")),
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
                         "  return f(0); } };\n" +
                         returning("n ? int(S()) : a[0]")),
            Itself);
}

TEST(HiddenCalls, OfDestructors) {
  const std::string Class = "__device__ int f(int n);\n"
                            "struct S { int x; __device__ ~S() { f(x); } };\n";
  EXPECT_EQ(whyReentered(Class + "__device__ int f(int n) {\n"
                                 "  int a[4]; a[n & 3] = n;\n"
                                 "  if (n) { S s; s.x = 0; }\n"
                                 "  return a[0]; }"),
            Itself);
  EXPECT_EQ(whyReentered("__device__ int g(int n) { return n; }\n"
                         "struct S { int x; __device__ ~S() { g(x); } };\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  if (n) { S s; s.x = 0; }\n"
                         "  return a[0]; }"),
            "");
}

TEST(HiddenCalls, OfRewrittenOperators) {
  const std::string Class = "struct V { int x; };\n"
                            "__device__ int f(int n);\n"
                            "__device__ bool operator==(V l, V r) {\n"
                            "  return f(l.x - r.x); }\n"
                            "__device__ int f(int n) {\n"
                            "  int a[4]; a[n & 3] = n;\n"
                            "  V l{n - 1}, r{1};\n";
  EXPECT_EQ(
      whyReentered(Class + "return n && l != r ? 1 : a[0]; }", {"-std=c++20"}),
      Itself);
  EXPECT_EQ(
      whyReentered(Class + "return l.x != r.x ? 1 : a[0]; }", {"-std=c++20"}),
      "");
}

TEST(HiddenCalls, OfOperatorNew) {
  EXPECT_EQ(whyReentered("using size_t = decltype(sizeof 0);\n"
                         "__device__ void *f(int n);\n"
                         "struct S { int x;\n"
                         "  __device__ void *operator new(size_t) {\n"
                         "    return f(0); } };\n"
                         "__device__ void *f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n && a[0] ? new S : nullptr; }"),
            Itself);
}

// --- Calls whose callee nobody can name ------------------------------------

TEST(UnknownCallees, OfPointers) {
  const std::string Declared = "__device__ int f(int n);\n"
                               "__device__ int (*pointer)(int);\n";
  const std::string Calling = returning("n ? pointer(n - 1) : a[0]");
  const std::string Taking = "__global__ void k() { pointer = f; }";
  EXPECT_EQ(whyReentered(Declared + Calling + Taking), Hidden);
  // Its address is never taken: the pointer means another function.
  EXPECT_EQ(whyReentered(Declared + Calling), "");
  EXPECT_EQ(whyReentered(Declared + returning("a[0]") + Taking), "");
}

TEST(UnknownCallees, OfPointersInTables) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "__device__ int (*table[])(int) = {f};\n" +
                         returning("n ? table[0](n - 1) : a[0]")),
            Hidden);
}

TEST(UnknownCallees, OfPointerParameters) {
  EXPECT_EQ(whyReentered("__device__ int apply(int (*g)(int), int n) {\n"
                         "  return g(n); }\n" +
                         returning("n ? apply(f, n - 1) : a[0]")),
            Hidden);
}

TEST(UnknownCallees, OfVirtualFunctions) {
  EXPECT_EQ(whyReentered("struct Base { __device__ virtual int f(int n) = 0; };"
                         "struct Derived : Base {\n"
                         "  Base *next;\n"
                         "  __device__ int f(int n) override {\n"
                         "    int a[4]; a[n & 3] = n;\n"
                         "    return n ? next->f(n - 1) : a[0]; } };\n"
                         "__global__ void k(int *p) {\n"
                         "  Derived d; Base *b = &d; *p = b->f(*p); }"),
            Hidden);
  EXPECT_EQ(whyReentered("struct Base { __device__ virtual int f(int n) = 0; };"
                         "struct Derived : Base {\n"
                         "  __device__ int f(int n) override {\n"
                         "    int a[4]; a[n & 3] = n; return a[0]; } };\n"
                         "__global__ void k(int *p) {\n"
                         "  Derived d; Base *b = &d; *p = b->f(*p); }"),
            "");
}

// A kernel is not called, whatever its callees do.
TEST(UnknownCallees, DoNotReachKernels) {
  EXPECT_EQ(whyReentered("__device__ int (*pointer)(int);\n"
                         "__global__ void kernel(int *out, int i) {\n"
                         "  int a[4]; a[i & 3] = pointer(i); *out = a[0]; }"),
            "");
}
