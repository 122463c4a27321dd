//===-- ParametersTest.cpp - objects that are passed by value -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parameter is found where it may need memory and where a copy of it by text
// is the same.
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

constexpr llvm::StringRef Classes =
    "struct S { int a[8]; int n;\n"
    "  __device__ int at(int i) const { return a[i]; }\n"
    "  __device__ void push(int v) { a[n++ & 7] = v; } };\n"
    "struct V { float x, y, z, w; };\n";

void testParameters(llvm::StringRef Code, std::source_location Test =
                                              std::source_location::current()) {
  testFind((Classes + Code).str(), Test);
}

/// A function and its one parameter `s`, which is found if \p Found.
void testHead(const std::string &Before, const std::string &Behind,
              bool Found = false,
              std::source_location Test = std::source_location::current()) {
  testParameters(Before + (Found ? "$class_object^s" : "s") + Behind, Test);
}

} // namespace

TEST(Parameters, OfKernelsThatAreIndexedAndChanged) {
  for (const char *Uses :
       {"s.a[i] = 1;", "s.n = i; *out = s.a[i];", "++s.n; *out = s.at(i);",
        "s.push(i);", "int *p = s.a; p[i] = 1;", "S &r = s; r.a[i] = 1;",
        "[&] { s.a[i] = 1; }();"})
    testParameters("__global__ void k(S $class_object^s, int i, int *out) { " +
                   std::string(Uses) + " }");
  for (const char *Uses :
       {"*out = s.at(i);", "s.a[1] = 1; *out = s.n;", "*out = s.a[1];",
        "const S &r = s; *out = r.a[i];", "S $class_object^t = s; t.a[i] = 1;"})
    testParameters("__global__ void k(S s, int i, int *out) { " +
                   std::string(Uses) + " }");
}

// They may become grid constants, where no other declaration would have to say
// so, too.
TEST(Parameters, OfKernelsThatAreIndexedAndOnlyRead) {
  auto IsOnlyRead = [](const std::string &Before, const std::string &Uses) {
    const UnitFacts Facts =
        factsOf((Classes + Before +
                 "__global__ void k(S s, int i, int *out) { " + Uses + " }")
                    .str());
    return !Facts.Findings.empty() && Facts.Findings[0].isOnlyRead();
  };
  EXPECT_TRUE(IsOnlyRead("", "*out = s.a[i];"));
  EXPECT_FALSE(IsOnlyRead("", "*out = s.a[i]; s.n = 1;"));
  EXPECT_FALSE(IsOnlyRead("", "const S &r = s; *out = r.a[i];"));
  EXPECT_FALSE(
      IsOnlyRead("__global__ void k(S s, int i, int *out);", "*out = s.a[i];"));
  const std::string Template = "template <class T> ",
                    Body = "*out = s.a[i] + sizeof(T); }";
  EXPECT_TRUE(IsOnlyRead(
      Template, Body + "void run(S s) { k<int><<<1, 32>>>(s, 1, nullptr);"));
  EXPECT_FALSE(IsOnlyRead(
      Template,
      Body + "template __global__ void k<int>(S, int, int *); void run() {"));
}

TEST(Parameters, OfFunctionsThatAreIndexed) {
  testParameters("__device__ int f(S $class_object^s, int i) {\n"
                 "  return s.a[i]; }");
  testParameters("__device__ float f(V $class_object^v, int i) {\n"
                 "  return (&v.x)[i]; }");
  testParameters("struct T { int x; __device__ int f(S, int);};\n"
                 "__device__ int T::f(S $class_object^s, int i) {\n"
                 "  return s.at(i); }");
  testParameters("__device__ int f(S s, int i) { return s.a[2] + i; }");
  testParameters("int f(S s, int i) { return s.a[i]; }"); // On the host.
}

TEST(Parameters, OfTemplates) {
  testParameters("template <class T> __device__ int f(T $class_object^s, int i)"
                 " { return s.a[i]; }\n"
                 "__global__ void k(S *s, int i) { f(*s, i); }");
  testParameters("template <class T>\n"
                 "__global__ void k(T $class_object^f, int i) { f(i); }\n"
                 "void run(int *out) { int c[4] = {};\n"
                 "  k<<<1, 32>>>([=] __device__(int i) mutable\n"
                 "    { out[i] = ++c[i & 3]; }, 1); }");
  // A name for each of its parts.
  testParameters("template <class... T> __device__ int f(int i, T... s)"
                 " { return (s.a[i] + ...); }\n"
                 "__global__ void k(S *s, int i) { f(i, *s, *s); }");
  // One instance is no object.
  EXPECT_EQ(
      factsOf((Classes + "template <class T> __device__ int get(T t, int i) {\n"
                         "  if constexpr (sizeof(T) > 8) return t.a[i];\n"
                         "  return i; }\n"
                         "__global__ void k(S *s, int i) {\n"
                         "  get(*s, i) + get(1, i); }")
                  .str())
          .NoArrays.size(),
      1u);
}

TEST(Parameters, WhoseTextCanBeRepeated) {
  const std::string Body = ", int i) { return s.a[i]; }";
  testHead("__device__ int f(struct S ", Body, true);
  testHead("template <class T> struct Of { T a[4]; };\n"
           "__device__ int f(Of<Of<int>> ",
           ", int i) { return s.a[i].a[i]; }", true);
  testHead("__device__ int f(S *other, S ", Body, true);
  for (const char *Head :
       {"__device__ int f(const S ", "__device__ int f(volatile S ",
        "__device__ int f(__attribute__((unused)) S ", "__device__ int f(S &",
        "__device__ int f(S /*in*/ ", "__device__ int f(decltype(S()) ",
        "__device__ constexpr int f(S "})
    testHead(Head, Body);
  testHead("struct C { int r; __device__ C(S ", ", int i) : r(s.a[i]) {} };");
  testHead("__device__ int f(int i, S ", ", ...) { return s.a[i]; }");
  testHead("__device__ int f(S (", "), int i) { return s.a[i]; }");
  testHead("__device__ auto f(S ",
           ", int i) -> decltype(s.n) { return s.a[i]; }");
  testHead("__device__ int f(S ", ", int i, int (*p)[sizeof(s)])"
                                  " { return s.a[i]; }");
  testHead("typedef S T;\n__device__ int f(T ",
           ", int T, int i) { return s.a[i]; }");
  testHead("__device__ int f(S ", ",\n#ifdef X\n int j,\n#endif\n int i)"
                                  " { return s.a[i]; }");
  testHead("#define HEAD(s) __device__ int f(S s, int i)\nHEAD(",
           ") { return s.a[i]; }");
  testHead("__device__ int f(S ", ", int i) { return s.a[i] + __LINE__; }");
}

TEST(Parameters, OfClassesThatAreCopiedByTheirBytes) {
  for (const char *Class : {"struct C { int a[4]; C(const C &) {} };",
                            "struct C { int a[4]; ~C(); };",
                            "struct C { int a[4];"
                            " template <class T> __device__ C(T &&); };"})
    testParameters(std::string(Class) +
                   "__device__ int f(C c, int i) { return c.a[i]; }");
}

TEST(Parameters, ArePlacedInTheirDefinition) {
  const std::string Code = Classes.str() +
                           "__device__ int f(S other, int);\n"
                           "__device__ int f(S s, int i) { return s.a[i]; }";
  const Finding F = findingOf(Code);
  auto Text = [&](const TextRange &R) {
    return Code.substr(R.Offset, R.Length);
  };
  EXPECT_TRUE(F.isParameter());
  EXPECT_TRUE(F.IsObject);
  EXPECT_EQ(F.Init, InitializerKind::Construct);
  EXPECT_EQ(Text(F.Text.Statement), "S s");
  EXPECT_EQ(Text(F.Text.Specifiers), "S");
  EXPECT_EQ(Text(F.Text.Name), "s");
  EXPECT_EQ(Code.substr(F.Text.BodyBegin.Offset), " return s.a[i]; }");
}

TEST(Parameters, HaveNamesOfTheirOwn) {
  EXPECT_EQ(findingOf(Classes.str() +
                      "__device__ int f(S s, int i, int s_value) {\n"
                      "  return s.a[i]; }")
                .StorageSuffix,
            "_2");
}
