// search.cu - a long run in which one launch goes wrong
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: search LAUNCHES
//
// With WRONG the launch 2345 is off in the element 77 of the state, which every
// later launch carries on. Each launch works in memory that is freed after it.

#include "check.h"

constexpr unsigned Count = 1 << 16;

__global__ void step(float *state, float *scratch, unsigned round) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[thread] = round % 7 + thread % 3;
#ifdef WRONG
  if (round == 2345 && thread == 77)
    scratch[thread] += 1;
#endif
  state[thread] += scratch[thread] / 1024; // Exact, so nothing fades away.
}

int main(int argc, char **argv) {
  const unsigned launches = argc > 1 ? std::atoi(argv[1]) : 1000;
  float *state = nullptr;
  CHECK(cudaMalloc(&state, Count * sizeof(float)));
  CHECK(cudaMemset(state, 0, Count * sizeof(float)));
  for (unsigned round = 0; round < launches; ++round) {
    float *scratch = nullptr;
    CHECK(cudaMalloc(&scratch, Count * sizeof(float)));
    step<<<Count / 256, 256>>>(state, scratch, round);
    CHECK(cudaFree(scratch));
  }
  float first = 0;
  CHECK(cudaMemcpy(&first, state, sizeof first, cudaMemcpyDeviceToHost));
  std::printf("search %g\n", first);
  return 0;
}
