//===-- MembersTest.cpp - counters beside an array ------------------------===//
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

/// Whether lanes agree on all indices of a buffer that keeps, in a member, how
/// far it is filled, and is used by Statements. Lanes that have returned do not
/// matter.
Uniformity indexIn(const std::string &Statements) {
  ArrayEvidence E = evidenceOfOne(R"cu(
struct Buffer {
  int items[16];
  int filled;
  int flushes;
  __device__ void add(int item) {
    items[filled] = item;
    if (++filled == 16) {
      ++flushes;
      filled = 0;
    }
  }
};
__device__ __attribute__((noinline)) void refill(Buffer &b, const int *in) {
  b.filled = in[threadIdx.x];
}
__device__ Buffer *known;
__device__ __attribute__((noinline)) void refillKnown(const int *in) {
  known->filled = in[threadIdx.x];
}
__device__ __attribute__((noinline)) int peek(const Buffer &b) {
  return b.items[0];
}
extern "C" __global__ void k(const int *in, int *out, int n) {
  if (threadIdx.x + blockIdx.x * blockDim.x >= n)
    return;
  Buffer @b;
  b.filled = b.flushes = 0;
)cu" + Statements + R"cu(
  int sum = b.flushes;
  for (int i = 0; i < b.filled; ++i)
    sum = sum * 31 + b.items[i];
  out[threadIdx.x] = sum;
}
)cu");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
  EXPECT_GE(E.UniformAccesses + E.NonUniformAccesses, 1u);
  return E.Index;
}

/// In each round of a loop that all lanes leave together. The last store of a
/// round might reach the members, for all that the optimiser knows.
Uniformity indexInLoop(const std::string &Statements) {
  return indexIn("#pragma unroll 1\n  for (int i = 0; i < n; ++i) {" +
                 Statements + " b.items[n] = i; }");
}

} // namespace

TEST(Members, ACounterThatAllLanesCountIsUniform) {
  EXPECT_EQ(indexInLoop("b.add(in[i * 32 + threadIdx.x]);"),
            Uniformity::Uniform);
  EXPECT_EQ(indexInLoop("if (in[i]) b.add(in[i * 32 + threadIdx.x]);"),
            Uniformity::Uniform);
}

TEST(Members, ACounterThatSomeLanesCountIsNot) {
  EXPECT_EQ(indexInLoop("if (in[threadIdx.x + i]) b.add(i);"),
            Uniformity::NonUniform);
}

TEST(Members, AValueOfTheLaneIsNonUniformWhereverItIsKept) {
  EXPECT_EQ(indexInLoop("b.filled = in[threadIdx.x + i] & 15; b.add(i);"),
            Uniformity::NonUniform);
}

TEST(Members, LanesThatWaitForOthersHaveCountedAsFar) {
  EXPECT_EQ(indexInLoop("if (in[threadIdx.x + i]) out[i] = i; b.add(i);"),
            Uniformity::Uniform);
}

TEST(Members, LanesThatLeaveALoopEarlyHaveCountedLess) {
  EXPECT_EQ(indexInLoop("if (in[threadIdx.x + i]) break; b.add(i);"),
            Uniformity::NonUniform);
  EXPECT_EQ(indexInLoop("b.add(i); if (in[threadIdx.x + i]) break;"),
            Uniformity::NonUniform);
}

TEST(Members, MemoryThatIsClearedHoldsTheSameInAllLanes) {
  EXPECT_EQ(indexInLoop("b.add(in[i * 32 + threadIdx.x]);"
                        "if (in[i]) __builtin_memset(&b, 0, sizeof b);"),
            Uniformity::Uniform);
  EXPECT_EQ(indexInLoop("b.add(in[i * 32 + threadIdx.x]);"
                        "if (in[i + threadIdx.x])"
                        "  __builtin_memset(&b, 0, sizeof b);"),
            Uniformity::NonUniform);
}

TEST(Members, AFunctionThatIsNotInlinedMayChangeThem) {
  EXPECT_EQ(indexInLoop("b.add(in[i]); refill(b, in + i);"),
            Uniformity::NonUniform);
}

TEST(Members, AnObjectWhoseAddressIsKeptMayBeChangedElsewhere) {
  EXPECT_EQ(indexInLoop("known = &b; b.add(in[i]); refillKnown(in + i);"),
            Uniformity::NonUniform);
}

TEST(Members, AFunctionThatOnlyReadsChangesNothing) {
  EXPECT_EQ(indexInLoop("b.add(in[i]); out[i] = peek(b);"),
            Uniformity::Uniform);
}

TEST(Members, OneOfTwoObjectsMayBeChanged) {
  EXPECT_EQ(indexIn(R"cu(
  Buffer other;
  other.filled = other.flushes = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    (in[i] ? b : other).filled = in[threadIdx.x + i] & 15;
    b.items[n] = other.items[n] = i;
    b.add(i);
  }
  out[n] = other.items[other.filled];)cu"),
            Uniformity::NonUniform);
}

TEST(Members, WhatStandsBesideOneDoesNotMatter) {
  EXPECT_EQ(indexInLoop("b.flushes = in[threadIdx.x + i]; b.add(i);"),
            Uniformity::Uniform);
}
