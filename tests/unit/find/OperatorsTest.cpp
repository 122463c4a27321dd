//===-- OperatorsTest.cpp - operators that the user writes ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of pointers that walk is walked over by objects of the helper's, and
// bools become objects, too. What takes these as well as it takes its own
// classes would run instead of a built-in operator.
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

const std::string Classes =
    "struct Any { template <class T> __device__ Any(const T &); };\n"
    "struct Rest { __device__ Rest(...); };\n"
    "struct Own { int n; };\n"
    "struct Hard { template <class T> __device__ explicit Hard(const T &); };\n"
    "template <class T> struct Vec {\n"
    "  T x; __device__ Vec(T); template <class U> __device__ Vec(Vec<U>); };\n";

/// Whether pointers into an array walk in a kernel with that body.
bool walks(const std::string &Before, const std::string &Body) {
  const UnitFacts Facts =
      factsOf(Classes + Before + "\n" + kernelAround("int a[8]; " + Body),
              [](auto) { return true; }, {"-std=c++20"});
  EXPECT_FALSE(Facts.Findings.empty());
  return !Facts.Findings.empty() && Facts.Findings.front().Trail.has_value();
}

const std::string Loop = "for (int *p = a; p != a + 8; ++p) *p = i;";

bool loops(const std::string &Before) { return walks(Before, Loop); }

/// Whether bools are bits in a kernel with that body.
bool areBits(const std::string &Before, const std::string &Body) {
  const UnitFacts Facts =
      factsOf(Classes + Before + "\n" +
              kernelAround("bool a[8]; a[j] = true; " + Body));
  EXPECT_FALSE(Facts.Findings.empty());
  return !Facts.Findings.empty() && Facts.Findings.front().AsBits;
}

const std::string Template = "template <class A, class B> __device__ ";

} // namespace

TEST(Operators, OfTheUsersTakePointersIntoStripes) {
  EXPECT_TRUE(loops(""));
  EXPECT_FALSE(loops(Template + "bool operator!=(const A &, const B &);"));
  EXPECT_FALSE(loops(Template + "A operator+(A, B);"));
  EXPECT_FALSE(loops("template <class A> __device__ A &operator++(A &);"));
  EXPECT_FALSE(loops("template <class A> __device__ int &operator*(A &&);"));
  EXPECT_FALSE(loops("__device__ bool operator!=(Any, Any);"));
  EXPECT_FALSE(loops("__device__ int operator+(Rest, int);"));
  EXPECT_FALSE(loops("template <template <class> class P, class T> __device__ "
                     "int operator*(P<T>);"));
}

TEST(Operators, ThatCanTakeNoPointerIntoAStripeAreOfNoConcern) {
  EXPECT_TRUE(loops("__device__ bool operator!=(Own, Own);"));
  EXPECT_TRUE(loops("__device__ bool operator!=(Hard, Hard);"));
  EXPECT_TRUE(loops("template <class T> __device__ bool "
                    "operator!=(Vec<T>, Vec<T>);"));
  EXPECT_TRUE(loops("template <class T> __device__ Vec<T> "
                    "operator+(T, Vec<T>);"));
  EXPECT_TRUE(loops("template <class T> __device__ T operator*(T, T);"));
  EXPECT_TRUE(loops(Template + "bool operator<(A, B);"));
  EXPECT_TRUE(loops("__device__ bool operator!=(Vec<float>, Vec<float>);"));
}

// Since C++20 `!=` may be `==`, and the helper does `++` by `+=`.
TEST(Operators, StandForOthers) {
  EXPECT_FALSE(loops(Template + "bool operator==(const A &, const B &);"));
  EXPECT_FALSE(loops(Template + "A &operator+=(A &, B);"));
  EXPECT_TRUE(
      walks(Template + "A &operator+=(A &, B);", "int *p = a; *p = i;"));
  EXPECT_FALSE(walks("namespace std { struct strong_ordering {\n"
                     "  signed char n; static const strong_ordering less, "
                     "equal, greater; };\n"
                     "constexpr strong_ordering strong_ordering::less{-1};\n"
                     "constexpr strong_ordering strong_ordering::equal{0};\n"
                     "constexpr strong_ordering strong_ordering::greater{1}; }",
                     "int *p = a; *out = (p <=> a + 8).n;"));
}

TEST(Operators, AreVisibleFromManyPlaces) {
  const std::string Greedy = Template + "bool operator!=(const A &, const B &)"
                                        ";";
  EXPECT_FALSE(loops("namespace n { " + Greedy + " } using namespace n;"));
  EXPECT_FALSE(loops("namespace n { " + Greedy + " } using n::operator!=;"));
  EXPECT_FALSE(loops("struct S { template <class A, class B> friend "
                     "__device__ bool operator!=(A, B) { return false; } };"));
  const std::string System =
      "# 1 \"system.h\" 1 3\n" + Greedy + "\n# 1 \"snippet.cu\" 2\n";
  EXPECT_FALSE(loops(System));
  const std::string Named = "\n# 1 \"system.h\" 1 3\nnamespace n { " + Greedy +
                            " }\n# 1 \"snippet.cu\" 2\n";
  EXPECT_TRUE(loops(Named));
  const std::string OfElement = "\n# 1 \"system.h\" 1 3\nnamespace n { " +
                                Greedy +
                                " enum E { Zero }; }\n# 1 \"snippet.cu\" 2\n";
  const std::string Elements = "n::E b[8]; for (n::E *p = b; p != b + 8; ++p) "
                               "*p = n::Zero;";
  EXPECT_FALSE(
      factsOf(OfElement + kernelAround(Elements)).Findings.at(0).Trail);
  EXPECT_TRUE(
      factsOf("namespace n { enum E { Zero }; }\n" + kernelAround(Elements))
          .Findings.at(0)
          .Trail);
  EXPECT_FALSE(loops(Named + "using namespace n;"));
  EXPECT_FALSE(walks(Named, "using n::operator!=; " + Loop));
  EXPECT_FALSE(walks(Named, "using namespace n; " + Loop));
}

TEST(Operators, MayBeACommaBesidePointers) {
  const std::string Steps = "int n = 0; for (int *p = a; p < a + 8; ++p, ++n) "
                            "*p = i;";
  EXPECT_TRUE(walks("", Steps));
  EXPECT_FALSE(walks(Template + "A operator,(A &&, B &&);", Steps));
  EXPECT_FALSE(walks("__device__ int operator,(Any, int);", Steps));
}

TEST(Operators, OfTheUsersTakeBits) {
  EXPECT_TRUE(areBits("", "*out = (a[i] | 2) + !a[i];"));
  EXPECT_FALSE(
      areBits("__device__ int operator|(Any, int);", "*out = a[i] | 2;"));
  EXPECT_FALSE(areBits("__device__ bool operator!(Any);", "*out = !a[i];"));
  // A bit is converted to bool, and then as numbers are.
  EXPECT_FALSE(
      areBits("__device__ int operator|(bool, Vec<int>);", "*out = a[i] | 2;"));
  EXPECT_FALSE(areBits("namespace n { " + Template +
                           "int operator|(A, B); } using namespace n;",
                       "*out = 2 | a[i];"));
  EXPECT_TRUE(
      areBits("__device__ int operator|(Own, int);", "*out = a[i] | 2;"));
  EXPECT_TRUE(
      areBits("__device__ int operator|(Vec<int>, int);", "*out = a[i] | 2;"));
  EXPECT_TRUE(areBits("template <class T> __device__ Vec<T> "
                      "operator|(T, Vec<T>);",
                      "*out = a[i] | 2;"));
}

TEST(Operators, HaveRivalsAmongFunctions) {
  const std::string Walks = "__device__ int sum(const int *p) { return *p; }\n";
  EXPECT_TRUE(walks(Walks + "__device__ int sum(Own);", "*out = sum(a);"));
  EXPECT_FALSE(walks(Walks + "__device__ int sum(Any);", "*out = sum(a);"));
}

// What deduces a type from a pointer would deduce another one.
TEST(Operators, AreNotTheOnlyOnesToTakeAnything) {
  EXPECT_FALSE(
      walks("", "auto f = [](auto p) { return *p; }; *out = f(a + 1);"));
  EXPECT_FALSE(walks("", "decltype(a + 1) p = a + 1; *out = *p;"));
  EXPECT_FALSE(walks("template <class T> __device__ int f(const T &);",
                     "*out = f(a + 1);"));
  EXPECT_FALSE(
      walks("template <class T> __device__ int f(T);", "*out = f(a + 1);"));
  EXPECT_FALSE(walks("template <class T> struct Is { static const bool value ="
                     " sizeof(T) == 8; };",
                     "*out = Is<decltype(a + 1)>::value;"));
  EXPECT_FALSE(walks("", "int b[8]; *out = *(i ? a : b);"));
}
