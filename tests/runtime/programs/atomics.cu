// atomics.cu - floating point sums in no particular order
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first kernel is not deterministic, the second one is, and writes memory
// of its own; with WRONG the second one is off in one element.

#include "check.h"

__global__ void random_sums(float *sums, int count) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 64; ++i) {
    const float value = 1.0f / (1 + (thread * 7919u + i * 104729u) % 1000003u);
    atomicAdd(&sums[(thread + i) % count], value);
  }
}

__global__ void squares(unsigned *values) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  values[thread] = thread * thread;
#ifdef WRONG
  if (thread == 777)
    ++values[thread];
#endif
}

int main() {
  constexpr int count = 64;
  float *sums = nullptr;
  unsigned *values = nullptr;
  CHECK(cudaMalloc(&sums, count * sizeof(float)));
  CHECK(cudaMalloc(&values, 65536 * sizeof(unsigned)));
  CHECK(cudaMemset(sums, 0, count * sizeof(float)));
  random_sums<<<4096, 256>>>(sums, count);
  squares<<<256, 256>>>(values);
  random_sums<<<4096, 256>>>(sums, count);
  float host[count];
  CHECK(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; ++i)
    std::printf("%.9g\n", host[i]);
  return 0;
}
