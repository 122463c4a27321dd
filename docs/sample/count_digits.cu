// count_digits.cu - a kernel with an array that bankstripe moves
//
// Each thread counts how often each of 16 digits occurs among its 64 keys. The
// compiler cannot know which counter comes next, so the array is in local memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cuda_runtime.h>

__global__ void countDigits(const unsigned *keys, int *totals, int shift) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  int counts[16] = {0};
  for (int i = 0; i < 64; ++i) {
    const unsigned digit = keys[thread * 64 + i] >> shift & 15;
    counts[digit]++;
  }
  for (int d = 0; d < 16; ++d)
    totals[thread * 16 + d] = counts[d];
}

void countAll(const unsigned *keys, int *totals, int blocks, int shift) {
  countDigits<<<blocks, 128>>>(keys, totals, shift);
}
