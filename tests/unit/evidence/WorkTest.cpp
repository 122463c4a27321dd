//===-- WorkTest.cpp - what a kernel does beside its arrays ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// A kernel with an array `a`, filled from memory, and Statements.
UnitEvidence unitOf(const std::string &Statements,
                    const std::string &Before = "") {
  UnitEvidence E = evidenceOf(Before + R"cu(
extern "C" __global__ void k(const int *in, int *out, int n) {
  __shared__ int shared[64];
  int @a[64];
#pragma unroll 1
  for (int i = 0; i < 64; ++i)
    a[i] = in[i];
)cu" + Statements + "\n  out[threadIdx.x] = a[n];\n}");
  EXPECT_EQ(E.Work.count("k"), 1u) << E.Problem;
  return E;
}

KernelWork workOf(const std::string &Statements,
                  const std::string &Before = "") {
  return unitOf(Statements, Before).Work["k"];
}

// Nobody knows how often it runs.
constexpr char GuessedLoop[] = "#pragma unroll 1\nfor (int i = 0; i < n; ++i) "
                               "a[in[i] & 63] ^= i;";

ArrayWork arrayIn(const KernelWork &W) {
  return W.Arrays.empty() ? ArrayWork() : W.Arrays.begin()->second;
}

} // namespace

TEST(Work, LoopsCountAsOftenAsTheyRun) {
  KernelWork W = workOf("");
  EXPECT_EQ(arrayIn(W).Uniform.Stored, 64);
  EXPECT_EQ(arrayIn(W).Uniform.Loaded, 1);
  EXPECT_EQ(W.Global, 64); // Read; nobody waits for stores.
}

TEST(Work, LoopsOfUnknownLengthAreTakenToRunForLong) {
  KernelWork W = workOf(GuessedLoop);
  EXPECT_GE(arrayIn(W).Uniform.Loaded, 1 + 100);
  EXPECT_GE(arrayIn(W).Uniform.Stored, 64 + 100);
}

TEST(Work, WhatIsFilledIsOnlyStored) {
  const ArrayWork Before = arrayIn(workOf(""));
  const ArrayWork W = arrayIn(workOf("__builtin_memset(a + in[0], 0, n);"));
  EXPECT_GT(W.Uniform.Stored, Before.Uniform.Stored);
  EXPECT_EQ(W.Uniform.Loaded, Before.Uniform.Loaded);
}

TEST(Work, IndicesFromDataOrTheLaneAreNonUniform) {
  EXPECT_EQ(arrayIn(workOf("a[in[threadIdx.x] & 63] = 1;")).NonUniform.Stored,
            1);
  EXPECT_EQ(arrayIn(workOf("a[threadIdx.x & 63] = 1;")).NonUniform.Stored, 1);
}

// Whatever is stored there, such as what was read at another address per lane.
TEST(Work, MembersLieAtOneOffsetInAllLanes) {
  UnitEvidence E = evidenceOf(R"cu(
struct Stack { int items[16]; int top; };
extern "C" __global__ void k(const int *in, int *out, int n) {
  Stack @s;
  s.top = in[threadIdx.x];
  s.items[n] = 1;
  out[threadIdx.x] = s.top + s.items[in[0]];
})cu");
  EXPECT_EQ(arrayIn(E.Work["k"]).Uniform.all(), 4);
}

TEST(Work, GuessedLoopsAreCounted) {
  EXPECT_EQ(workOf("").GuessedLoops, 0u);
  EXPECT_EQ(workOf(GuessedLoop).GuessedLoops, 1u);
}

// Lanes that go other ways have other counters.
TEST(Work, StacksAreCounted) {
  ArrayWork W = arrayIn(workOf(R"cu(
  int top = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    if (in[i * 32 + threadIdx.x] > 0)
      a[top++ & 63] = i;)cu"));
  EXPECT_GT(W.Counted.Stored, 0);
  EXPECT_EQ(W.NonUniform.all(), 0);
}

TEST(Work, GuessedLoopsMayBeShort) {
  UnitEvidence E = unitOf(GuessedLoop);
  EXPECT_EQ(E.Work["k"].Global, 64 + 100);
  EXPECT_EQ(E.ShortWork["k"].Global, 64 + 10);
}

TEST(Work, PointersInArgumentsAreNotGathered) {
  UnitEvidence E = evidenceOf(R"cu(
struct Job { const int *in; int *out; int n; };
extern "C" __global__ void k(Job job) {
  int @a[64];
#pragma unroll 1
  for (int i = 0; i < 64; ++i)
    a[i] = job.in[i];
  job.out[threadIdx.x] = a[job.n];
})cu");
  EXPECT_EQ(E.Work["k"].Global, 64);
  EXPECT_EQ(E.Work["k"].Gathered, 0);
  EXPECT_EQ(arrayIn(E.Work["k"]).Uniform.all(), 64 + 1);
}

namespace {

// In how many of the 100 turns of a loop a condition holds: a function depends
// on it that multiplies doubles.
double turnsWith(const std::string &Condition) {
  return workOf("int length = in[0], part = 0;\n#pragma unroll 1\n"
                "for (int i = 0; i < n; ++i) {\n"
                "  part ^= in[i + 64]; ++length;\n"
                "  if (" +
                    Condition + ") { square((double *)out); length = 0; }\n}",
                "__device__ __noinline__ void square(double *p) { *p *= *p; }")
      .DoubleOperations;
}

} // namespace

TEST(Work, CountersSeldomComeToTheirEnd) {
  EXPECT_NEAR(turnsWith("part > 7"), 50, 5);
  EXPECT_NEAR(turnsWith("length == 20"), 5, 0.5);
  EXPECT_NEAR(turnsWith("i % 10 == 0"), 10, 1);
  EXPECT_NEAR(turnsWith("(i & 3) == 0"), 25, 2);
  EXPECT_NEAR(turnsWith("(i & 3) != 0"), 75, 7);
}

TEST(Work, BranchesInBranchesAreTakenLess) {
  EXPECT_NEAR(turnsWith("part > 7 && in[i] > 9"), 25, 3);
}

TEST(Work, ConstantsAreReadOneByOneWhereLanesDiffer) {
  const std::string Table = "__constant__ int table[256];\n";
  const double Together =
      workOf("out[n] = table[n & 255];", Table).Instructions;
  const double Apart =
      workOf("out[n] = table[in[threadIdx.x] & 255];", Table).Instructions;
  EXPECT_GT(Apart, Together + 200);
}

TEST(Work, SharedMemory) {
  KernelWork W = workOf("shared[threadIdx.x] = in[0]; __syncthreads();"
                        "out[n] = shared[n ^ 1];");
  EXPECT_EQ(W.Shared, 2);
}

TEST(Work, DivisionsAreLong) {
  const double Sum = workOf("out[n] = in[1] + in[2];").Instructions;
  EXPECT_GT(workOf("out[n] = in[1] / in[2];").Instructions, Sum + 15);
}

TEST(Work, DoublesHaveUnitsOfTheirOwn) {
  EXPECT_EQ(workOf("").DoubleOperations, 0);
  EXPECT_EQ(
      workOf("*(double *)out = *(const double *)in * n;").DoubleOperations, 2);
}

TEST(Work, OfAFunctionThatIsCalledCounts) {
  const std::string Callee =
      "__device__ __noinline__ int f(const int *p, int n) {\n"
      "  int s = 0;\n#pragma unroll 1\n"
      "  for (int i = 0; i < 50; ++i) s += p[i * n];\n  return s; }\n";
  // What it is called with is not looked at, so its n may be anything.
  EXPECT_GE(workOf("out[n] = f(in, n);", Callee).Gathered, 50);
}
