// many.cu - a simulation: many launches, much memory, some of it short-lived
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: many [LAUNCHES [MEGABYTES [ALLOCATIONS]]]
//
// With WRONG the last launch on short-lived memory is off in one element.

#include "check.h"
#include <vector>

__global__ void step(unsigned *values, size_t count, unsigned round) {
  const size_t thread = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  const size_t at = (thread * 1024 + round) % count;
  values[at] = values[at] * 3 + round;
}

__global__ void scratch(unsigned *values, const unsigned *from, unsigned wrong) {
  values[threadIdx.x] = from[threadIdx.x] + (threadIdx.x == wrong);
}

int main(int argc, char **argv) {
  const unsigned launches = argc > 1 ? std::atoi(argv[1]) : 1000;
  const size_t bytes = (argc > 2 ? std::atoi(argv[2]) : 64) * size_t(1 << 20);
  const unsigned allocations = argc > 3 ? std::atoi(argv[3]) : 4;
  const size_t count = bytes / allocations / sizeof(unsigned);
  std::vector<unsigned *> values(allocations);
  for (unsigned *&one : values) {
    CHECK(cudaMalloc(&one, count * sizeof(unsigned)));
    CHECK(cudaMemset(one, 1, count * sizeof(unsigned)));
  }
  unsigned last = 0, used = 0;
  for (unsigned round = 0; round < launches; ++round) {
    step<<<32, 256>>>(values[round % allocations], count, round);
    if (round % 100 != 99)
      continue;
    unsigned *temporary = nullptr;
    unsigned wrong = ~0u;
#ifdef WRONG
    if (round + 100 >= launches)
      wrong = 77;
#endif
    CHECK(cudaMalloc(&temporary, 4096));
    scratch<<<1, 256>>>(temporary, values[0], wrong);
    CHECK(cudaMemcpy(&last, temporary, sizeof last, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(temporary));
    used += last;
  }
  CHECK(cudaDeviceSynchronize());
  std::printf("many %u\n", used);
  return 0;
}
