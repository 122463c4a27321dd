// uninitialised.cu - reads memory that nothing wrote
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between two runs such memory holds whatever was there. The recorder fills
// it, so the runs agree; the sum of the words 0xA5A5A5A5 is known.

#include "check.h"

__global__ void sum_up(const unsigned *values, unsigned *sum, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x)
    atomicAdd(sum, values[i]);
}

int main() {
  constexpr int count = 1000003;
  unsigned *values = nullptr, *sum = nullptr;
  CHECK(cudaMalloc(&values, count * sizeof(unsigned)));
  CHECK(cudaMalloc(&sum, 3)); // An odd size is rounded up by nobody.
  CHECK(cudaFree(sum));
  CHECK(cudaMallocAsync(&sum, sizeof(unsigned), 0));
  CHECK(cudaMemset(sum, 0, sizeof(unsigned)));
  sum_up<<<100, 256>>>(values, sum, count);
  unsigned result = 0;
  CHECK(cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost));
  std::printf("filled with 0xA5: %s\n",
              result == 0xA5A5A5A5u * unsigned(count) ? "yes" : "no");
  return 0;
}
