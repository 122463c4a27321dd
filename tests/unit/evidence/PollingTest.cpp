//===-- PollingTest.cpp - loops that wait for other threads ---------------===//
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

// Whether a kernel does that in a search that ends once Until is true; Found is
// what it does when it has found something.
bool polls(const std::string &Until, const std::string &Found,
           const std::string &Before = "") {
  UnitEvidence E = evidenceOf(Before + R"cu(
struct Work { int next, found; };
struct Job { int *flag, *other; };
extern "C" __global__ void k(const int *in, int *out, int *flag, Work *work,
                             int n, Job job) {
  int @a[64];
#pragma unroll 1
  for (int i = 0; i < 64; ++i)
    a[i] = in[i];
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += 32) {
    if ()cu" + Until + R"cu()
      break;
    if (a[in[i] & 63] == i) {
      )cu" + Found + R"cu(
    }
    __syncthreads();
  }
  out[threadIdx.x] = a[n];
})cu");
  EXPECT_EQ(E.Work.count("k"), 1u) << E.Problem;
  return E.Work["k"].Polls;
}

} // namespace

TEST(Polling, OfAFlagThatTheKernelSets) {
  EXPECT_TRUE(polls("*flag", "*flag = 1;"));
  EXPECT_TRUE(polls("work->found", "atomicCAS(&work->found, 0, i);"));
  EXPECT_TRUE(polls("done", "done = 1;", "__device__ int done;\n"));
}

TEST(Polling, OfAFlagThatAFunctionSets) {
  EXPECT_TRUE(polls("*flag", "set(flag);",
                    "__device__ __noinline__ void set(int *p) { *p = 1; }\n"));
}

TEST(Polling, OfAPointerInAStructure) {
  EXPECT_TRUE(polls("*job.flag", "*job.flag = 1;"));
  EXPECT_FALSE(polls("*job.flag", "*job.other = 1;"));
}

TEST(Polling, NotOfWhatIsReadAnewEachTime) {
  EXPECT_FALSE(polls("*(volatile int *)flag", "*flag = 1;"));
  EXPECT_FALSE(polls("atomicAdd(flag, 0)", "*flag = 1;"));
}

TEST(Polling, NotOfWhatTheKernelDoesNotWrite) {
  EXPECT_FALSE(polls("*flag", "out[32] = 1;"));
  EXPECT_FALSE(polls("work->found", "work->next = 1;"));
}

// Nobody else has it.
TEST(Polling, NotOfMemoryOfAThread) {
  EXPECT_FALSE(polls("flag[threadIdx.x]", "flag[threadIdx.x] = 1;"));
  EXPECT_FALSE(polls("a[n & 63] > 7", "a[n & 63] = i;"));
}
