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

/// The evidence of a buffer that keeps, in a member, how far it is filled, and
/// is used by Statements. Lanes that have returned do not matter.
ArrayEvidence evidenceIn(const std::string &Statements) {
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
__device__ __attribute__((noinline)) int &filledOf(Buffer &b) {
  return b.filled;
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
  return E;
}

/// In each round of a loop that all lanes leave together. The last store of a
/// round might reach the members, for all that the optimiser knows.
ArrayEvidence evidenceInLoop(const std::string &Statements) {
  return evidenceIn("#pragma unroll 1\n  for (int i = 0; i < n; ++i) {" +
                    Statements + " b.items[n] = i; }");
}

/// Whether lanes agree on all of its indices then.
Uniformity indexInLoop(const std::string &Statements) {
  return evidenceInLoop(Statements).Index;
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

TEST(Members, ACountOfALoopThatLanesLeaveOneByOneIsNot) {
  EXPECT_EQ(indexInLoop("int k = 0;\n#pragma unroll 1\n"
                        "while (in[threadIdx.x * 16 + k]) ++k;"
                        "b.filled = k; b.items[n] = i; b.add(i);"),
            Uniformity::NonUniform);
}

TEST(Members, LanesMayStoreTheSameInDifferentMembers) {
  // That store is itself an access at an address of each lane's own.
  EXPECT_GT(
      evidenceInLoop("(in[threadIdx.x + i] ? b.filled : b.flushes) = i & 15;"
                     "b.items[n] = i; b.add(i);")
          .NonUniformAccesses,
      1u);
}

TEST(Members, WhatIsStoredMayComeFromAMemberThatIsNotUniform) {
  EXPECT_EQ(indexInLoop("b.flushes = in[threadIdx.x + i] & 15; b.items[n] = i;"
                        "b.filled = b.flushes; b.items[n] = i; b.add(i);"),
            Uniformity::NonUniform);
}

TEST(Members, ALoadOfTwoMembersIsOfBoth) {
  EXPECT_EQ(indexInLoop("b.flushes = in[threadIdx.x + i]; b.items[n] = i;"
                        "long long both;"
                        "__builtin_memcpy(&both, &b.filled, 8);"
                        "b.items[both >> 32 & 15] = i;"),
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

TEST(Members, AFunctionMayHandTheirAddressBack) {
  EXPECT_EQ(indexInLoop("filledOf(b) = in[threadIdx.x + i] & 15;"
                        "b.items[n] = i; b.add(i);"),
            Uniformity::NonUniform);
}

TEST(Members, AFunctionThatOnlyReadsChangesNothing) {
  EXPECT_EQ(indexInLoop("b.add(in[i]); out[i] = peek(b);"),
            Uniformity::Uniform);
}

TEST(Members, OneOfTwoObjectsMayBeChanged) {
  EXPECT_EQ(evidenceIn(R"cu(
  Buffer other;
  other.filled = other.flushes = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    (in[i] ? b : other).filled = in[threadIdx.x + i] & 15;
    b.items[n] = other.items[n] = i;
    b.add(i);
  }
  out[n] = other.items[other.filled];)cu")
                .Index,
            Uniformity::NonUniform);
}

TEST(Members, WhatStandsBesideOneDoesNotMatter) {
  EXPECT_EQ(indexInLoop("b.flushes = in[threadIdx.x + i]; b.add(i);"),
            Uniformity::Uniform);
}
