//===-- ChoosingLaunchesTest.cpp - launches that can choose ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// The choice of the launch in a host function with the body Body.
ChoiceText choiceOf(const std::string &Body,
                    const std::string &Before = KernelCode) {
  return launchOf(Before +
                  "int next();\n"
                  "int half(int n) { return n / 2; }\n"
                  "int calls;\n"
                  "int counted(int n) { return ++calls, n; }\n"
                  "struct Number { int Value; };\n"
                  "struct Counted { int Value;\n"
                  "  Counted(int n) : Value(n) { ++calls; } };\n"
                  "struct Ended { int Value; ~Ended() { ++calls; } };\n"
                  "void run(int *out, int n, cudaStream_t *streams) { " +
                  Body + " }\n")
      .Text.Choice;
}

bool canChoose(const std::string &Body,
               const std::string &Before = KernelCode) {
  return choiceOf(Body, Before).Callee.isValid();
}

} // namespace

TEST(ChoosingLaunches, NameKernelGridAndStreamOnceMore) {
  const ChoiceText C =
      choiceOf("kernel<<<dim3(n, 2), 64, 0, streams[n]>>>(out);");
  EXPECT_EQ(C.Callee.Length, 6u);
  EXPECT_EQ(C.Grid, "dim3(n, 2)");
  EXPECT_EQ(C.Stream, "streams[n]");
  EXPECT_EQ(choiceOf("kernel<<<n, 64>>>(out);").Stream, "0");
}

TEST(ChoosingLaunches, CallWhatOnlyComputes) {
  EXPECT_EQ(choiceOf("kernel<<<half(n + 1), 64>>>(out);").Grid, "half(n + 1)");
  EXPECT_FALSE(canChoose("kernel<<<next(), 64>>>(out);"));
  EXPECT_FALSE(canChoose("kernel<<<counted(n), 64>>>(out);"));
  EXPECT_FALSE(canChoose("kernel<<<half(counted(n)), 64>>>(out);"));
  EXPECT_TRUE(canChoose("kernel<<<Number{n}.Value, 64>>>(out);"));
  EXPECT_FALSE(canChoose("kernel<<<Counted(n).Value, 64>>>(out);"));
  EXPECT_FALSE(canChoose("kernel<<<Ended{n}.Value, 64>>>(out);"));
  EXPECT_FALSE(canChoose("kernel<<<__atomic_fetch_add(&n, 1, 0), 64>>>(out);"));
  EXPECT_FALSE(canChoose("kernel<<<n++, 64>>>(out);"));
  EXPECT_FALSE(canChoose("kernel<<<n, 64, 0, streams[n--]>>>(out);"));
}

TEST(ChoosingLaunches, ComputeSharedMemoryOnce) {
  EXPECT_TRUE(canChoose("kernel<<<n, 64, next()>>>(out);"));
}

TEST(ChoosingLaunches, HaveAnEditedConfiguration) {
  EXPECT_FALSE(canChoose("kernel<<<n, next()>>>(out);"));
  EXPECT_FALSE(canChoose("void *a[] = {&out};\n"
                         "cudaLaunchKernel(kernel, n, 64, a);"));
  EXPECT_FALSE(canChoose("LAUNCH(kernel);",
                         KernelCode + "#define LAUNCH(k) k<<<1, 64>>>(out)\n"));
}

TEST(ChoosingLaunches, NameAllTemplateArguments) {
  const std::string Template =
      "template <int N, class T = int> __global__ void kernel(T *) {}\n";
  EXPECT_EQ(choiceOf("kernel<4, int><<<1, n>>>(out);", Template).Callee.Length,
            14u);
  EXPECT_FALSE(canChoose("kernel<4><<<1, n>>>(out);", Template));
}

// A type or a pointer would not say which.
TEST(ChoosingLaunches, AreOfOneKernel) {
  EXPECT_FALSE(
      canChoose("kernel<<<1, n>>>(out);",
                KernelCode + "__global__ void kernel(float *out) {}\n"));
}

TEST(ChoosingLaunches, HaveNoDefaultArguments) {
  const std::string Default =
      "__global__ void kernel(int *out, int n = 4) {}\n";
  EXPECT_FALSE(canChoose("kernel<<<1, n>>>(out);", Default));
  EXPECT_TRUE(canChoose("kernel<<<1, n>>>(out, n);", Default));
}

TEST(ChoosingLaunches, StandInTemplatesToo) {
  const UnitFacts Facts =
      factsOf("template <int N> __global__ void kernel(int *out) {}\n"
              "template <int N> void run(int *out) {\n"
              "  kernel<N><<<N, 64>>>(out); }\n"
              "void all(int *out) { run<1>(out); run<2>(out); }\n");
  ASSERT_EQ(Facts.Launches.size(), 2u);
  for (const Launch &L : Facts.Launches)
    EXPECT_EQ(L.Text.Choice.Callee.Length, 9u);
}

// The part of the helper that they need would be another text.
TEST(ChoosingLaunches, AreNotWhereAMacroHidesTheHelper) {
  const std::string Array =
      "__global__ void kernel(int *out) {\n"
      "  int a[4]; a[out[0]] = 1; out[1] = a[out[2]]; }\n";
  EXPECT_TRUE(canChoose("kernel<<<1, n>>>(out);", Array));
  EXPECT_FALSE(
      canChoose("kernel<<<1, n>>>(out);", "#define microseconds 1\n" + Array));
}
