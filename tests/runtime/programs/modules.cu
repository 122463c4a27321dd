// modules.cu - the same kernel in two modules
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches 0 and 1 are of a kernel that is in this file's module and in that of
// modules_other.cu; each launches its own.

#include "modules.h"

__device__ unsigned here;

__global__ void one(unsigned *values) { values[threadIdx.x] += ++here; }

int main() {
  unsigned *values = nullptr, last = 0;
  CHECK(cudaMalloc(&values, 1024));
  both<<<1, 256>>>(values, 1u);
  launch_other(values);
  one<<<1, 1>>>(values);
  CHECK(cudaMemcpy(&last, values + 255, sizeof last, cudaMemcpyDeviceToHost));
  std::printf("modules %u\n", last);
  return 0;
}
