// contexts.cu - two contexts on one device, of which one ends early
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With WRONG the second context's second launch is off in one element.

#include "check.h"
#include "check_driver.h"
#include <cuda.h>

__device__ unsigned rounds;

__global__ void step(unsigned *values, unsigned add, bool wrong) {
  values[threadIdx.x] = values[threadIdx.x] * 5 + add;
  if (threadIdx.x == 0)
    ++rounds;
  if (wrong && threadIdx.x == 100)
    ++values[threadIdx.x];
}

#ifdef WRONG
constexpr bool Wrong = true;
#else
constexpr bool Wrong = false;
#endif

int main() {
  CUcontext contexts[2];
  unsigned *values[2], seen[2];
  CHECK_DRIVER(cuInit(0));
  for (int i = 0; i < 2; ++i) {
    CHECK_DRIVER(cuCtxCreate(&contexts[i], nullptr, 0, 0));
    CHECK(cudaMalloc(&values[i], 4096));
    CHECK(cudaMemset(values[i], 1, 4096));
  }
  for (unsigned round = 0; round < 2; ++round)
    for (int i = 0; i < 2; ++i) {
      CHECK_DRIVER(cuCtxSetCurrent(contexts[i]));
      step<<<1, 1024>>>(values[i], round, Wrong && i == 1 && round == 1);
      CHECK(cudaMemcpyFromSymbol(&seen[i], rounds, sizeof seen[i]));
    }
  CHECK_DRIVER(cuCtxDestroy(contexts[1]));
  CHECK_DRIVER(cuCtxSetCurrent(contexts[0]));
  for (unsigned round = 2; round < 4; ++round)
    step<<<1, 1024>>>(values[0], round, false);
  unsigned *more = nullptr;
  CHECK(cudaMalloc(&more, 256));
  CHECK(cudaMemcpyFromSymbol(&seen[0], rounds, sizeof seen[0]));
  std::printf("contexts %u %u\n", seen[0], seen[1]);
  CHECK_DRIVER(cuCtxDestroy(contexts[0]));
  return 0;
}
