//===-- UniformityTest.cpp - which indices are uniform --------------------===//
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

/// The evidence of `a[INDEX]` read in a kernel. The array is filled in a loop
/// with uniform bounds, which adds nothing but uniform accesses.
ArrayEvidence indexedBy(const std::string &Index) {
  return evidenceOfOne(R"cu(
struct Table { int entries[4]; };
__constant__ int constants[64];
__device__ int globals[64];
extern "C" __global__ void k(const int *in, int *out, int n, Table table) {
  __shared__ int shared[64];
  shared[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int @a[64];
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    a[i] = in[i + threadIdx.x];
  out[threadIdx.x] = a[)cu" +
                       Index + "];\n}");
}

void expectUniform(const std::string &Index) {
  ArrayEvidence E = indexedBy(Index);
  EXPECT_EQ(E.Where, Residency::LocalMemory) << Index;
  EXPECT_EQ(E.Index, Uniformity::Uniform) << Index;
  EXPECT_EQ(E.NonUniformAccesses, 0u) << Index;
}

void expectNonUniform(const std::string &Index) {
  ArrayEvidence E = indexedBy(Index);
  EXPECT_EQ(E.Where, Residency::LocalMemory) << Index;
  EXPECT_EQ(E.Index, Uniformity::NonUniform) << Index;
  EXPECT_EQ(E.NonUniformAccesses, 1u) << Index;
  EXPECT_GE(E.UniformAccesses, 1u) << Index;
}

TEST(Uniformity, KernelArgumentsAreUniform) {
  expectUniform("n");
  expectUniform("table.entries[n]");
}

TEST(Uniformity, TheBlockAndItsShapeAreUniform) {
  expectUniform("blockIdx.x & 63");
  expectUniform("blockDim.y");
  expectUniform("gridDim.z & 63");
}

TEST(Uniformity, TheThreadIsNot) {
  expectNonUniform("threadIdx.x");
  expectNonUniform("threadIdx.y");
  expectNonUniform("(threadIdx.x + n) & 63");
}

TEST(Uniformity, ALoadIsAsUniformAsItsAddress) {
  expectUniform("in[n]");
  expectUniform("constants[n]");
  expectUniform("globals[blockIdx.x]");
  expectUniform("shared[n]");
  expectUniform("in[in[n]]");
  expectNonUniform("in[threadIdx.x]");
  expectNonUniform("constants[threadIdx.x]");
  expectNonUniform("shared[threadIdx.x + 1]");
  expectNonUniform("in[in[threadIdx.x]]");
}

TEST(Uniformity, AnEntryOfAPrivateArrayIsNot) { expectNonUniform("a[n] & 63"); }

TEST(Uniformity, ArithmeticAndItsIntrinsicsKeepUniformity) {
  expectUniform("in[n] > n ? in[n] : n");
  expectUniform("__builtin_popcount(in[n])");
  expectNonUniform("in[threadIdx.x] > n ? in[threadIdx.x] : n");
  expectNonUniform("__builtin_popcount(in[threadIdx.x])");
}

TEST(Uniformity, AConditionOfTheLaneChoosesANonUniformIndex) {
  expectNonUniform("threadIdx.x > 3 ? n : in[n]");
}

TEST(Uniformity, VolatileLoadsAndAtomicsAreNot) {
  expectNonUniform("((volatile const int *)in)[n]");
  expectNonUniform("__nvvm_atom_add_gen_i(out, 1)");
}

TEST(Uniformity, AnAnswerOfTheWholeWarpIsUniform) {
  expectUniform("__nvvm_vote_ballot_sync(-1, threadIdx.x > 3) & 63");
  expectUniform("__nvvm_shfl_sync_idx_i32(-1, in[threadIdx.x], 0, 31) & 63");
  expectNonUniform("__nvvm_shfl_sync_idx_i32(-1, n, threadIdx.x, 31) & 63");
  expectNonUniform(
      "__nvvm_shfl_sync_down_i32(-1, in[threadIdx.x], 1, 31) & 63");
}

TEST(Uniformity, InlineAssemblyIsNot) {
  expectNonUniform(
      "({ int lane; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane)); "
      "lane; })");
}

TEST(Uniformity, AccessesAtConstantOffsetsDoNotCount) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  int @a[8];
  a[0] = in[0];
  a[5] = in[1];
  out[0] = a[n];)cu");
  EXPECT_EQ(E.Index, Uniformity::Uniform);
  EXPECT_EQ(E.UniformAccesses, 1u);
}

TEST(Uniformity, ALoopThatLanesLeaveEarlyKeepsItsCounterUniformInside) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  int @a[64];
  int count = in[threadIdx.x];
#pragma unroll 1
  for (int i = 0; i < count; ++i)
    a[i] = in[i + threadIdx.x];
  out[threadIdx.x] = a[n];)cu");
  EXPECT_EQ(E.Index, Uniformity::Uniform);
}

TEST(Uniformity, AfterSuchALoopTheCounterIsNonUniform) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  int @a[64];
  int i = 0;
#pragma unroll 1
  for (; in[i * 32 + threadIdx.x] > n; ++i)
    a[i] = in[i + threadIdx.x];
  out[threadIdx.x] = a[i - n];)cu");
  EXPECT_EQ(E.Index, Uniformity::NonUniform);
  EXPECT_EQ(E.NonUniformAccesses, 1u);
}

TEST(Uniformity, AStackThatEachLaneFillsOnItsOwnIsNonUniform) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  int @stack[32];
  int top = 0, hits = 0;
  stack[top++] = 0;
  while (top > 0) {
    int node = stack[--top];
    if (in[node] > in[threadIdx.x]) {
      stack[top++] = in[node + 1];
      stack[top++] = in[node + 2];
    } else {
      ++hits;
    }
  }
  out[threadIdx.x] = hits;)cu");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
  EXPECT_EQ(E.Index, Uniformity::NonUniform);
}

TEST(Uniformity, AStackThatAllLanesFillAlikeIsUniform) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  int @stack[32];
  int top = 0, sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    if (in[i] > 0)
      stack[top++] = in[i + threadIdx.x];
    else
      sum += stack[--top];
  out[threadIdx.x] = sum;)cu");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
  EXPECT_EQ(E.Index, Uniformity::Uniform);
}

TEST(Uniformity, ArgumentsOfAFunctionThatIsNotInlinedAreNot) {
  ArrayEvidence E = evidenceOfOne(R"cu(
__device__ __attribute__((noinline)) int pick(const int *in, int n) {
  int @a[8];
  for (int j = 0; j < 8; ++j)
    a[j] = in[j];
  return a[n];
}
extern "C" __global__ void k(const int *in, int *out, int n) {
  out[threadIdx.x] = pick(in, n);
})cu",
                                  "_Z4pickPKii");
  EXPECT_EQ(E.Index, Uniformity::NonUniform);
}

TEST(Uniformity, AWalkingPointerIsJudgedByItsSteps) {
  ArrayEvidence Uniform = evidenceInKernel(R"cu(
  int @a[64];
#pragma unroll 1
  for (int *p = a; p != a + n; p += 2)
    *p = in[threadIdx.x];
  out[threadIdx.x] = a[n];)cu");
  EXPECT_EQ(Uniform.Index, Uniformity::Uniform);
  ArrayEvidence NonUniform = evidenceInKernel(R"cu(
  int @a[64];
#pragma unroll 1
  for (int *p = a; p < a + n; p += in[threadIdx.x])
    *p = in[threadIdx.x];
  out[threadIdx.x] = a[n];)cu");
  EXPECT_EQ(NonUniform.Index, Uniformity::NonUniform);
  EXPECT_EQ(NonUniform.UniformAccesses, 1u);
}

} // namespace
