// large.cu - much memory and many launches
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the digests cost is the time of the recorded run over the plain one.

#include "check.h"

__global__ void touch(unsigned *values, size_t count, unsigned round) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x)
    if (i % 4099 == round)
      values[i] = round;
}

int main() {
  const size_t count = size_t(1) << 30;
  unsigned *values = nullptr, *small[500] = {};
  CHECK(cudaMalloc(&values, count * sizeof(unsigned) + 4));
  for (unsigned *&one : small)
    CHECK(cudaMalloc(&one, 10000));
  for (unsigned round = 0; round < 200; ++round)
    touch<<<1056, 256>>>(values, count + 1, round);
  CHECK(cudaDeviceSynchronize());
  unsigned last = 0;
  CHECK(cudaMemcpy(&last, values + 199, sizeof last, cudaMemcpyDeviceToHost));
  std::printf("large %u\n", last);
  return 0;
}
