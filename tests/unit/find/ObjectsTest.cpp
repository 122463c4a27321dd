//===-- ObjectsTest.cpp - objects of classes that hold arrays -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object keeps its layout, in a slot, and is made there as it was made
// before; it must end without code of its own, which nobody would run there.
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

constexpr llvm::StringRef Classes =
    "struct Stack { int items[8]; int top; };\n"
    "struct Made { int items[8];\n"
    "  __device__ Made() { items[0] = 1; }\n"
    "  __device__ explicit Made(int x) { items[0] = x; } };\n"
    "struct Ended { int items[8]; __device__ ~Ended() { items[0] = 1; } };\n"
    "struct Copied { int items[8]; Copied() = default;\n"
    "  __device__ Copied(const Copied &c) { items[0] = c.items[1]; } };\n";

/// Holds the marks in \p Body against what is found, below the classes above.
std::vector<Finding>
testObjects(llvm::StringRef Body,
            std::source_location Test = std::source_location::current()) {
  return testFind(Classes.str() + kernelAround(Body), Test);
}

/// The text of the first finding's initialiser.
std::string initializerIn(llvm::StringRef Body) {
  std::string Code = Classes.str() + kernelAround(Body);
  Finding F = findingOf(Code);
  EXPECT_EQ(F.Init, InitializerKind::Construct) << Body.str();
  const TextRange &R = F.Text.Initializer;
  return R.isValid() ? Code.substr(R.Offset, R.Length) : "<none>";
}

} // namespace

// `Greedy(value)` would be another constructor than that of `= value`.
TEST(Objects, ThatAnExplicitConstructorMightCopy) {
  constexpr llvm::StringRef Greedy =
      "struct Greedy { int items[8]; Greedy() = default;\n"
      "  template <class T> __device__ explicit Greedy(T &&) {} };\n"
      "struct Second { int items[8]; Second() = default;\n"
      "  Second(const Second &) = default;\n"
      "  __device__ explicit Second(Second &, int = 3) {} };\n"
      "struct Plain { int items[8]; Plain() = default;\n"
      "  __device__ explicit Plain(int) {} };\n";
  for (const char *Body :
       {"Greedy $class_object^q; Greedy $class_object^$initializer^s = q; "
        "q.items[i] = s.items[i] = 1;",
        "Second $class_object^q; Second $class_object^$initializer^s = q; "
        "q.items[i] = s.items[i] = 1;",
        "Plain $class_object^q; Plain $class_object^s = q; "
        "q.items[i] = s.items[i] = 1;"})
    testFind(Greedy.str() + kernelAround(Body));
}

TEST(Objects, ThatBracesCopy) {
  auto BracesCopy = [](llvm::StringRef Body, const char *Standard) {
    const UnitFacts Facts =
        factsOf(Classes.str() + kernelAround(Body),
                [](llvm::StringRef) { return true; }, {Standard});
    return Facts.Findings.at(0).BracesCopy;
  };
  const char *Copy = "Stack s = *(const Stack *)out; s.items[i] = 1;";
  EXPECT_TRUE(BracesCopy(Copy, "-std=c++20"));
  EXPECT_FALSE(BracesCopy(Copy, "-std=c++17"));
  EXPECT_TRUE(BracesCopy("Stack s(*(const Stack *)out); s.items[i] = 1;",
                         "-std=c++20"));
  EXPECT_FALSE(BracesCopy("Stack s = {}; s.items[i] = 1;", "-std=c++20"));
  EXPECT_FALSE(
      BracesCopy("Made s = *(const Made *)out; s.items[i] = 1;", "-std=c++20"));
}

TEST(Objects, ThatAreIndexedAsArrays) {
  constexpr llvm::StringRef Vectors =
      "struct V3 { float x, y, z; float *p;\n"
      "  __device__ float &operator[](int i) { return (&x)[i]; }\n"
      "  __device__ float at(int i) const { return ((const float *)this)[i]; "
      "}\n"
      "  __device__ float first() const { return (&x)[0] + p[1]; } };\n"
      "struct Part { int axis; V3 *v; };\n";
  for (const char *Indexed :
       {"V3 $class_object^v{}; (&v.x)[i] = 1;",
        "V3 $class_object^v = {1, 2}; *out = reinterpret_cast<float *>(&v)[i];",
        "V3 $class_object^v{}; v[i] = v.z;",
        "const V3 $class_object^v{1}; *out = v.at(i);"})
    testFind(Vectors.str() + kernelAround(Indexed));
  for (const char *Other :
       {"V3 v{}; (&v.x)[1] = v.y;", "V3 v{}; *out = v.first() + v.p[i];",
        "V3 v{}; float *p = &v.x; *p = i;", "V3 *v; *out = (*v)[i];",
        "Part c{}; *out = (*c.v)[c.axis];",
        "Part c{}; *out = c.v->at(c.axis);"})
    testFind(Vectors.str() + kernelAround(Other));
}

TEST(Objects, AreReturnedAsTheyAre) {
  constexpr llvm::StringRef Types =
      "struct V { float x, y; }; struct T { float x, y; T() = default;\n"
      "  template <class U> __device__ T(U &&); };\n"
      "struct R { __device__ R(V &&); __device__ R(const V &); };\n"
      "struct M { float x, y; M() = default; M(M &&) = default; };\n";
  auto Returning = [&](const std::string &Head, const std::string &Variable,
                       const std::string &Return) {
    testFind(Types.str() + "__device__ " + Head + " f(int i) { " + Variable +
             " (&v.x)[i] = 1; return " + Return + "; }\n" +
             "__global__ void k(int i) { f(i); }");
  };
  Returning("V", "V $class_object^v{};", "v");
  Returning("auto", "V $class_object^v{};", "v");
  Returning("decltype(auto)", "V $class_object^v{};", "$class_lifetime^v");
  Returning("R", "V $class_object^v{};", "$class_lifetime^v");
  Returning("T", "T $class_object^v;", "$class_lifetime^v");
  Returning("M", "M $class_object^v;", "$class_lifetime^v");
}

TEST(Objects, WithAnAlignmentAreNotAskedForIt) {
  testFind("struct V { float x, y; };\n" +
           kernelAround("alignas(16) V $class_object^v{}; (&v.x)[i] = 1;"
                        "*out = __alignof($decltype^v) + sizeof(v);"));
}

TEST(Objects, HoldAnArraySomewhere) {
  testFind("struct Stack { int items[8]; int top; };\n"
           "struct Outer { Stack inner; }; struct Derived : Outer {};\n"
           "struct Plain { int x; };\n"
           "__global__ void kernel(int i) {\n"
           "  Stack $class_object^s; s.items[i] = 1;\n"
           "  Derived $class_object^d; d.inner.top = 1;\n"
           "  Plain p; p.x = 1; Stack *q = &s; Stack &r = s;\n"
           "  q->top = r.top; }");
}

TEST(Objects, AreWhole) {
  auto F = testObjects("for (;;) { Stack $class_object^s; s.items[i] = 1; }");
  EXPECT_TRUE(F.front().IsObject);
  EXPECT_TRUE(F.front().Shape.Extents.empty());
  EXPECT_EQ(F.front().Shape.BytesPerThread, 36u);
  EXPECT_TRUE(F.front().HasOtherUses);
  EXPECT_EQ(F.front().StorageSuffix, "");
}

TEST(Objects, LambdasAreNone) {
  testBody("int x = i; auto f = [=] { return x; }; *out = f();");
}

TEST(Objects, ByTheWayTheyAreMade) {
  EXPECT_EQ(findingOf(Classes.str() + kernelAround("Stack s; s.top = 1;")).Init,
            InitializerKind::None);
  EXPECT_EQ(initializerIn("Made m;"), "");
  EXPECT_EQ(initializerIn("Made m(i);"), "(i)");
  EXPECT_EQ(initializerIn("Made m{i};"), "{i}");
  EXPECT_EQ(initializerIn("Made m = Made(i);"), " = Made(i)");
  EXPECT_EQ(initializerIn("Stack s = {};"), " = {}");
  EXPECT_EQ(initializerIn("Stack s{{1, 2}, 3};"), "{{1, 2}, 3}");
}

TEST(Objects, MadeWithoutObstacles) {
  testObjects("Made $class_object^m; m.items[i] = 1;");
  testObjects("Made $class_object^m(i); m.items[i] = 1;");
  testObjects("Stack $class_object^s = {}; s.items[i] = 1;");
  testObjects("Stack $class_object^s; Stack $class_object^t = s; t.top = 1;");
}

TEST(Objects, MadeByAConversion) {
  testFind("struct Implicit { int items[8];\n"
           "  __device__ Implicit(int x) { items[0] = x; } };\n"
           "__global__ void kernel(int i) {\n"
           "  Implicit $class_object^$initializer^m = i; m.items[i] = 1; }");
}

TEST(Objects, ThatEndWithCode) {
  testObjects("Ended $class_object^$class_lifetime^e; e.items[i] = 1;");
  testFind("struct Ended { __device__ ~Ended(); };\n"
           "struct Holder { Ended e; int items[8]; };\n"
           "__global__ void kernel(int i) {\n"
           "  Holder $class_object^$class_lifetime^h; h.items[i] = 1; }");
}

TEST(Objects, ReturnedByValue) {
  testFind("struct Stack { int items[8]; };\n"
           "__device__ Stack f(int i) {\n"
           "  Stack $class_object^s; s.items[i] = 1; return s; }");
  testFind("struct Copied { int items[8]; Copied() = default;\n"
           "  __device__ Copied(const Copied &c) { items[0] = 2; } };\n"
           "__device__ Copied f(int i) {\n"
           "  Copied $class_object^s; s.items[i] = 1;\n"
           "  return $class_lifetime^s; }");
  // A part of it is not the object.
  testFind("struct Copied { int items[8]; Copied() = default;\n"
           "  __device__ Copied(const Copied &c) { items[0] = 2; } };\n"
           "__device__ int f(int i) {\n"
           "  Copied $class_object^s; s.items[i] = 1; return s.items[0]; }");
}

TEST(Objects, OfConst) {
  testObjects("const Stack $class_object^s = {}; *out = s.items[i];");
  testObjects("using Fixed = const Stack; Fixed "
              "$class_object^$const_elements^s = {}; *out = s.items[i];");
}

TEST(Objects, OfVolatile) {
  testObjects("volatile Stack $class_object^$qualified_type^s; s.top = i;");
}

TEST(Objects, NamedAsATypeWouldBecomeReferences) {
  testObjects("Stack $class_object^s; decltype(auto) "
              "$class_object^$declarator_shape^t = "
              "$decltype^s; *out = t.top + s.top;");
  testObjects("Stack $class_object^s; decltype($decltype^s) $class_object^t;"
              "t.top = s.top = 1;");
  testObjects("Stack $class_object^s; *out = sizeof(s) + sizeof(s.top);"
              "decltype(s.top) x = 1; *out = x;");
  testFind("struct Sized { int items[8];\n"
           "  __device__ constexpr int size() const { return 8; } };\n" +
           kernelAround("Sized $class_object^s; s.items[i] = sizeof(s);\n"
                        "*out = sizeof(int[$decltype^s.size()]) +\n"
                        "       (*(int(*)[$decltype^s.size()])out)[0] +\n"
                        "       sizeof(int[sizeof(s)]);"));
}

TEST(Objects, OfAutoHaveANameOfTheirClass) {
  const std::string Classes = "namespace n { template <int N> struct S {"
                              " int v[N]; private: struct P { int v[4]; };"
                              " public: static __device__ P p(); }; }\n"
                              "__device__ n::S<8> f();\n";
  Finding F = findingOf(Classes + kernelAround("auto s = f(); s.v[i] = 1;"));
  EXPECT_EQ(F.Text.Type, "::n::S<8>");
  testFind(Classes +
           kernelAround("const auto $class_object^s = f(); *out = s.v[i];"
                        "auto $class_object^$declarator_shape^p ="
                        " n::S<4>::p(); p.v[j] = 1;"));
}

// --- Arrays of objects -----------------------------------------------------

TEST(ArraysOfObjects, WithAConstructor) {
  auto F = testObjects("Made $element_type^m[4]; $write^m[i] = Made(j);");
  EXPECT_EQ(F.front().Init, InitializerKind::Construct);
  EXPECT_FALSE(F.front().IsObject);
}

TEST(ArraysOfObjects, WithoutAConstructor) {
  testFind("struct Pair { int x, y; };\n"
           "__global__ void kernel(int i) {\n"
           "  Pair a[4]; $write^a[i].x = 1; }");
}

TEST(ArraysOfObjects, ThatEndWithCode) {
  testFind("struct Ended { int x; __device__ ~Ended() { x = 1; } };\n"
           "__global__ void kernel(int i) {\n"
           "  Ended $element_type^$class_lifetime^a[4]; $write^a[i].x = 1; }");
}

TEST(ArraysOfObjects, AListIsAssigned) {
  auto F = testObjects("Made $element_type^m[2] = {Made(1), Made(2)};"
                       "$write^m[i] = Made(j);");
  EXPECT_EQ(F.front().Init, InitializerKind::List);
  // Copies with code of their own are no assignment of bytes.
  testObjects("Copied $element_type^$initializer^c[2] = {Copied(), Copied()};"
              "(void)sizeof($sizeof^c);");
}
