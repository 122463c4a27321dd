//===-- CallsTest.cpp - who calls whom ------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

// What the kernel `k` calls that does Statements beside an array.
FunctionCalls callsOf(const std::string &Statements,
                      const std::string &Before) {
  UnitEvidence E =
      evidenceOf(Before +
                 "extern \"C\" __global__ void k(int *out, int n) {\n"
                 "  int @a[64];\n  a[n] = 1;\n" +
                 Statements + "\n  out[0] = a[n + 1];\n}");
  EXPECT_EQ(E.Calls.count("k"), 1u) << E.Problem;
  return E.Calls["k"];
}

constexpr char F[] = "extern \"C\" __device__ int f(int n) { return n; }\n";

} // namespace

TEST(Calls, ByName) {
  FunctionCalls C = callsOf("a[f(n)] = 2;", F);
  EXPECT_THAT(C.Names, ElementsAre("f"));
  EXPECT_FALSE(C.Unknown);
}

TEST(Calls, NoneOfWhatTheCompilerKnows) {
  FunctionCalls C = callsOf("__syncthreads(); asm volatile(\"\");", "");
  EXPECT_THAT(C.Names, IsEmpty());
  EXPECT_FALSE(C.Unknown);
}

TEST(Calls, ThroughAPointer) {
  EXPECT_TRUE(callsOf("int (*p)(int) = n ? f : nullptr; p(n);", F).Unknown);
}

TEST(Calls, OfAVirtualFunction) {
  EXPECT_TRUE(callsOf("b(n).g();",
                      "struct B { __device__ virtual void g(); };\n"
                      "__device__ B &b(int);\n")
                  .Unknown);
}

// It may be another one for each architecture.
TEST(Calls, BesideCodeOfAnArchitecture) {
  EXPECT_TRUE(callsOf("", "#if __CUDA_ARCH__ > 900\n#endif\n").Unknown);
  EXPECT_FALSE(callsOf("", "#if __CUDACC_VER_MAJOR__ > 12\n#endif\n").Unknown);
}

TEST(Calls, AssemblyMayCallAnything) {
  EXPECT_TRUE(callsOf("asm volatile(\"call f;\");", F).Unknown);
}

// The tree shows none of these as a call in the body.
TEST(Calls, OfADefaultArgument) {
  EXPECT_THAT(
      callsOf("g();", std::string(F) + "__device__ void g(int = f(1)) {}")
          .Names,
      Contains("f"));
}

TEST(Calls, OfADestructor) {
  EXPECT_THAT(callsOf("Guard g;", "struct Guard { __device__ ~Guard(); };\n"
                                  "__device__ Guard::~Guard() {}\n")
                  .Names,
              Contains(::testing::HasSubstr("Guard")));
}
