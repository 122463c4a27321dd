//===-- SideChecksTest.cpp - who may be named on which side ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// As the standard library has it, and both kinds of questions about it.
constexpr char Declarations[] = R"cu(
template <class T> T any() noexcept; // A function of the host.
struct Square { __device__ int operator()(int x) const { return x * x; } };
template <class T> concept Ordered = requires { any<T>() < any<T>(); };
template <class F> concept Maps = requires(F f) { f(3); };
template <class T>
__device__ auto smaller(int) -> decltype(any<T>() < any<T>(), int());
template <class T> __device__ void smaller(long);
template <class T, class Wanted> constexpr bool Is = false;
template <class T> constexpr bool Is<T, T> = true;
)cu";

bool parses(const std::string &Code) {
  TemporaryFolder Folder;
  return parse(builtinJob(Folder.write("a.cu", Declarations + Code),
                          {"-std=c++20"}))
      .Succeeded;
}

TEST(SideChecks, ConstraintsInDeviceCodeMayNameFunctionsOfTheHost) {
  EXPECT_TRUE(parses("template <class T> __global__ void k() {\n"
                     "  static_assert(Ordered<T>);\n"
                     "}\n"
                     "void run() { k<int><<<1, 1>>>(); }\n"));
  EXPECT_TRUE(parses("template <Ordered T> __global__ void k(T) {}\n"
                     "void run() { k<<<1, 1>>>(3); }\n"));
}

TEST(SideChecks, ConstraintsOnTheHostMayNameFunctionsOfTheDevice) {
  EXPECT_TRUE(parses("template <class F> void run(F f) {\n"
                     "  static_assert(Maps<F>);\n"
                     "}\n"
                     "void all() { run(Square()); }\n"));
}

TEST(SideChecks, SignaturesInDeviceCodeMayNameFunctionsOfTheHost) {
  EXPECT_TRUE(parses("__global__ void k() {\n"
                     "  static_assert(Is<decltype(smaller<int>(0)), int>);\n"
                     "}\n"));
}

TEST(SideChecks, SignaturesOnTheHostMayNameFunctionsOfTheDevice) {
  constexpr char Detection[] = R"cu(
template <class F> auto applies(F f, int) -> decltype(f(3), int());
template <class F> void applies(F f, long);
// As in std::is_invocable.
template <class F> struct Invocable {
  template <class G> static auto test(G *g) -> decltype((*g)(3), int());
  template <class G> static void test(...);
  static constexpr bool value = Is<decltype(test<F>(nullptr)), int>;
};
)cu";
  EXPECT_TRUE(parses(std::string(Detection) +
                     "template <class F> void run(F f) {\n"
                     "  static_assert(Is<decltype(applies(f, 0)), int>);\n"
                     "  static_assert(Invocable<F>::value);\n"
                     "  static_assert(!Invocable<int>::value);\n"
                     "}\n"
                     "void all() { run(Square()); }\n"));
  EXPECT_TRUE(parses(std::string(Detection) +
                     "template <class F> __global__ void k(F f) {\n"
                     "  static_assert(Invocable<F>::value);\n"
                     "}\n"
                     "void all() { k<<<1, 1>>>(Square()); }\n"));
}

TEST(SideChecks, WhatIsNotThereStaysFalse) {
  EXPECT_TRUE(parses("struct None {};\n"
                     "template <class T> __global__ void k() {\n"
                     "  static_assert(!Ordered<T> && !Maps<T>);\n"
                     "  static_assert(Is<decltype(smaller<T>(0)), void>);\n"
                     "}\n"
                     "void run() { k<None><<<1, 1>>>(); }\n"));
}

TEST(SideChecks, CallsOfTheOtherSideStayErrors) {
  EXPECT_FALSE(parses("__global__ void k(int *p) { *p = any<int>(); }\n"));
  EXPECT_FALSE(parses("template <class F> int run(F f) { return f(3); }\n"
                      "int all() { return run(Square()); }\n"));
  EXPECT_FALSE(parses("template <class T> T made() { return T(); }\n"
                      "__global__ void k(int *p) { *p = made<int>(); }\n"));
}

} // namespace
