//===-- BitsTest.cpp - arrays whose elements can be bits ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `flags[i]` becomes an object that stands for a bit. Each test names places
// where that is the same as an lvalue of type bool, or where it is not.
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

const std::string Flags = "bool flags[9];";

// Whether the first array of a kernel with that body, behind Before, can be
// bits.
bool asBits(const std::string &Body, const std::string &Before = "") {
  const UnitFacts Facts = factsOf(Before + kernelAround(Body));
  EXPECT_FALSE(Facts.Findings.empty());
  return !Facts.Findings.empty() && Facts.Findings.front().AsBits;
}

bool withFlags(const std::string &Rest, const std::string &Before = "") {
  return asBits(Flags + " flags[j] = true; " + Rest, Before);
}

} // namespace

// --- Types -----------------------------------------------------------------

TEST(Bits, AreUpTo64Bools) {
  EXPECT_TRUE(asBits("bool a[1]; a[i] = true;"));
  EXPECT_TRUE(asBits("bool a[64]; a[i] = true;"));
  EXPECT_FALSE(asBits("bool a[65]; a[i] = true;"));
}

TEST(Bits, HaveOneToFiveDimensions) {
  EXPECT_TRUE(asBits("bool a[3][3]; a[i][j] = true;"));
  EXPECT_TRUE(asBits("bool a[2][2][2][2][2]; a[i][j][0][1][0] = true;"));
  EXPECT_FALSE(asBits("bool a[1][1][1][1][1][2]; a[0][0][0][0][0][i] = true;"));
  EXPECT_FALSE(asBits("bool a[13][5]; a[i][j] = true;"));
}

TEST(Bits, AreOfNoOtherType) {
  EXPECT_FALSE(asBits("char a[4]; a[i] = 1;"));
  EXPECT_FALSE(asBits("int a[4]; a[i] = 1;"));
  EXPECT_FALSE(asBits("volatile bool a[4]; a[i] = 1;"));
  EXPECT_FALSE(asBits("const bool a[4] = {true, i > 2}; *out = a[i] + 1;"));
  EXPECT_TRUE(asBits("flag a[4]; a[i] = 1;", "typedef bool flag;\n"));
  EXPECT_FALSE(asBits("row a; a[i] = 1;", "typedef bool row[4];\n"));
}

// --- Writing ---------------------------------------------------------------

TEST(Bits, AreAssignedNumbers) {
  EXPECT_TRUE(withFlags("flags[i] = j; flags[i] = data[j]; flags[i] = i < j;"));
  EXPECT_TRUE(withFlags("for (flags[i] = true; i < 9; ++i, flags[i] = false) "
                        "if (j) flags[j] = i;"));
  EXPECT_TRUE(withFlags("(flags[i]) = flags[j];"));
}

TEST(Bits, AreAssignedNothingElse) {
  EXPECT_FALSE(withFlags("flags[i] = out;"));
  EXPECT_FALSE(withFlags("flags[i] = {};"));
  EXPECT_FALSE(withFlags("flags[i] = Thing();",
                         "struct Thing { __device__ operator bool() const; "
                         "};\n"));
}

TEST(Bits, AreCombinedWithNumbers) {
  EXPECT_TRUE(withFlags("flags[i] |= i; flags[i] &= flags[j]; flags[i] ^= 1;"));
  EXPECT_FALSE(withFlags("flags[i] += 1;"));
  EXPECT_FALSE(withFlags("flags[i] <<= 1;"));
}

TEST(Bits, GiveTheValueOfAnAssignment) {
  EXPECT_TRUE(withFlags("bool x = flags[i] = j; *out = x;"));
  EXPECT_TRUE(withFlags("flags[i] = flags[j] = true;"));
  EXPECT_TRUE(withFlags("auto x = flags[i] = j; *out = x;"));
  EXPECT_TRUE(withFlags("if (flags[i] |= j) *out = 1;"));
  EXPECT_FALSE(withFlags("(flags[i] = j) = true;"));
  EXPECT_FALSE(withFlags("bool &x = flags[i] = j; *out = x;"));
}

// --- Reading ---------------------------------------------------------------

TEST(Bits, AreConditions) {
  EXPECT_TRUE(withFlags("if (flags[i]) *out = 1; while (!flags[i]) ++i;"
                        "do ++i; while (flags[i]); for (; flags[i];) ++i;"
                        "*out = flags[i] ? i : j;"));
  EXPECT_FALSE(withFlags("switch (flags[i]) { case 1: *out = 1; }"));
}

TEST(Bits, AreOperands) {
  EXPECT_TRUE(withFlags("*out = flags[i] + 2 * flags[j] - ~flags[0];"));
  EXPECT_TRUE(withFlags("*out = flags[i] && flags[j] || i > j;"));
  EXPECT_TRUE(withFlags("*out = flags[i] == flags[j] ? 1 : 2;"));
  EXPECT_TRUE(withFlags("*out += flags[i]; *data *= flags[i];"));
  EXPECT_FALSE(withFlags("*(out + flags[i]) = 1;"));
  EXPECT_FALSE(withFlags("out[flags[i]] = 1;"));
}

TEST(Bits, AreNoOperandsBesideTemplatesOfOperators) {
  const std::string Template =
      "struct V { int x; };\n"
      "template <class A, class B> __device__ int operator+(A a, B b);\n";
  EXPECT_FALSE(withFlags("*out = flags[i] + 1;", Template));
  EXPECT_TRUE(withFlags("*out = flags[i] - 1;", Template));
  EXPECT_FALSE(
      withFlags("*out = !flags[i];",
                "template <class A> __device__ int operator!(A a);\n"));
  EXPECT_FALSE(withFlags("flags[i] |= j;",
                         "template <class A, class B>\n"
                         "__device__ A operator|=(A &&a, B b);\n"));
}

TEST(Bits, InitialiseNumbersOfAWrittenType) {
  EXPECT_TRUE(withFlags("bool x = flags[i]; const int y(flags[j]); "
                        "*out = x + y;"));
  EXPECT_TRUE(withFlags("*out = (int)flags[i] + static_cast<char>(flags[j]) + "
                        "bool(flags[0]);"));
  EXPECT_FALSE(withFlags("auto x = flags[i]; *out = x;"));
  EXPECT_FALSE(withFlags("decltype(auto) x = flags[i]; *out = x;"));
  EXPECT_FALSE(withFlags("int x{flags[i]}; *out = x;"));
  EXPECT_FALSE(withFlags("int x[2] = {flags[i], flags[j]}; *out = x[j];"));
  EXPECT_FALSE(withFlags("E x = (E)flags[i]; *out = x;", "enum E { A, B };\n"));
}

TEST(Bits, AreNoArmsOfAConditional) {
  EXPECT_FALSE(withFlags("*out = i ? flags[i] : j;"));
  EXPECT_FALSE(withFlags("*out = i ? flags[i] : flags[j];"));
  EXPECT_FALSE(withFlags("(i ? flags[i] : flags[j]) = true;"));
}

TEST(Bits, AreArgumentsOfTheOnlyFunction) {
  EXPECT_TRUE(withFlags("take(flags[i]);", "__device__ void take(bool x);\n"));
  EXPECT_TRUE(
      withFlags("take(1, flags[i]);", "__device__ void take(int n, int x);\n"));
  EXPECT_FALSE(withFlags("take(flags[i]);", "__device__ void take(bool x);\n"
                                            "__device__ void take(int x);\n"));
  EXPECT_FALSE(withFlags("take(flags[i]);",
                         "template <class T> __device__ void take(T x);\n"));
  EXPECT_FALSE(withFlags("take(flags[i]);",
                         "struct T { __device__ T(bool); };\n"
                         "__device__ void take(T x);\n"));
  EXPECT_FALSE(
      withFlags("take(flags[i]);", "__device__ void take(const bool &x);\n"));
}

TEST(Bits, AreNoArgumentsWithoutAParameter) {
  EXPECT_FALSE(
      withFlags("print(1, flags[i]);", "__device__ void print(int n, ...);\n"));
}

// A template's instance does not say whether there were other functions.
TEST(Bits, AreArgumentsOfTheOnlyFunctionInTemplatesToo) {
  auto InTemplate = [](const std::string &Take) {
    const UnitFacts Facts =
        factsOf(Take + "template <int N> __global__ void k(int i) {\n"
                       "  bool flags[9];\n  flags[i] = true;\n"
                       "  take(flags[i]);\n}\n"
                       "template __global__ void k<2>(int);\n");
    return Facts.Findings.size() == 1 && Facts.Findings.front().AsBits;
  };
  EXPECT_TRUE(InTemplate("__device__ void take(bool x);\n"));
  EXPECT_FALSE(InTemplate("__device__ void take(bool x);\n"
                          "template <class T> __device__ void take(T x);\n"));
}

TEST(Bits, AreReturnedAsAWrittenType) {
  auto Returned = [](const std::string &Type) {
    return factsOf("__device__ " + Type +
                   " f(int i) { bool flags[9]; flags[i] = true; "
                   "return flags[i + 1]; }\n" +
                   kernelAround("*out = f(i);"))
        .Findings.front()
        .AsBits;
  };
  EXPECT_TRUE(Returned("bool"));
  EXPECT_TRUE(Returned("int"));
  EXPECT_FALSE(Returned("auto"));
}

// --- Addresses -------------------------------------------------------------

TEST(Bits, HaveNoAddresses) {
  EXPECT_FALSE(withFlags("bool *x = &flags[i]; *x = true;"));
  EXPECT_FALSE(withFlags("bool &x = flags[i]; x = true;"));
  EXPECT_FALSE(withFlags("swap(flags[i], flags[j]);",
                         "__device__ void swap(bool &a, bool &b) {\n"
                         "  bool c = a; a = b; b = c; }\n"));
  EXPECT_FALSE(withFlags("*out = sizeof(flags);"));
  EXPECT_FALSE(withFlags("for (bool &x : flags) x = true;"));
  EXPECT_FALSE(withFlags("auto f = [&] { return flags[0]; }; *out = f();"));
  EXPECT_FALSE(withFlags("*out = *(char *)flags;"));
}

TEST(Bits, ArePointedToWhereAStripeIs) {
  EXPECT_TRUE(withFlags("for (bool *p = flags; p != flags + 9; ++p) *p = i;"));
  EXPECT_TRUE(withFlags("const bool *p = flags + i; *out = p[1] + *p++;"));
  EXPECT_FALSE(withFlags("bool *p = flags; auto x = *p; *out = x;"));
}

TEST(Bits, ArePassedToFunctionsThatUseThemAsSuch) {
  auto Passed = [](const std::string &Body) {
    return withFlags("use(flags, 9);",
                     "__device__ void use(bool *p, int n) {" + Body + "}\n");
  };
  EXPECT_TRUE(Passed("for (int i = 0; i < n; ++i) p[i] = false;"));
  EXPECT_TRUE(Passed("while (n--) *p++ ^= true;"));
  EXPECT_FALSE(Passed("auto x = p[n]; p[0] = x;"));
  EXPECT_FALSE(Passed("if (n) use(p, n - 1); p[n] += 1;"));
}

TEST(Bits, AreClearedByMemset) {
  const std::string Declared = "namespace std { using ::memset; }\n";
  EXPECT_TRUE(withFlags("memset(flags, 0, sizeof(flags));", Declared));
  EXPECT_TRUE(withFlags("memset(flags, false, 9);", Declared));
  EXPECT_FALSE(withFlags("memset(flags, 1, sizeof(flags));", Declared));
  EXPECT_FALSE(withFlags("memset(flags, 0, 8);", Declared));
  EXPECT_FALSE(withFlags("memset(flags + 1, 0, 8);", Declared));
  EXPECT_FALSE(withFlags("std::memset(flags, 0, sizeof(flags));", Declared));
  EXPECT_FALSE(withFlags("*out = memset(flags, 0, 9) != nullptr;", Declared));
}

// --- Texts -----------------------------------------------------------------

// Nothing is edited at their uses.
TEST(Bits, MayBeUsedInMacros) {
  EXPECT_TRUE(withFlags("SET(flags, i);", "#define SET(a, i) a[i] = true\n"));
}

TEST(Bits, StayWhereCodeIsNotSeen) {
  EXPECT_FALSE(withFlags("\n#ifdef TRACE\n*out = flags[i];\n#endif\n"));
}

TEST(Bits, MustBeSoInAllInstances) {
  auto InTemplate = [](const std::string &Instances) {
    const UnitFacts Facts =
        factsOf("template <class T, int N> __global__ void k(int i) {\n"
                "  T a[N];\n  a[i] = true;\n}\n" +
                Instances);
    return Facts.Findings.size() == 1 && Facts.Findings.front().AsBits;
  };
  EXPECT_TRUE(InTemplate("template __global__ void k<bool, 9>(int);\n"
                         "template __global__ void k<bool, 40>(int);\n"));
  EXPECT_FALSE(InTemplate("template __global__ void k<bool, 9>(int);\n"
                          "template __global__ void k<bool, 70>(int);\n"));
  EXPECT_FALSE(InTemplate("template __global__ void k<bool, 9>(int);\n"
                          "template __global__ void k<char, 9>(int);\n"));
}
