// unrolled_loop.cu - a per-thread array that is only used in loops that unroll
//
// Once the loops are unrolled every index is a constant, and the compiler gives
// each element a register. There is nothing to gain.
//
// expect-striped: none
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "seed_data.h"

#define TAPS 16

__global__ void __launch_bounds__(seedBlock)
    slidingFilter(const unsigned *__restrict__ indices, unsigned *sums) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;

  unsigned window[TAPS];
#pragma unroll
  for (int i = 0; i < TAPS; ++i)
    window[i] = thread * i;

  unsigned sum = 0;
  for (int step = 0; step < seedSteps; step += 4) {
#pragma unroll
    for (int i = TAPS - 1; i > 0; --i)
      window[i] = window[i - 1];
    window[0] = indices[step / 4 * 32 + lane];
#pragma unroll
    for (int i = 0; i < TAPS; ++i)
      sum = sum * 3 + window[i];
  }
  sums[thread] = sum;
}

static void launch(const unsigned *indices, unsigned *sums) {
  slidingFilter<<<seedBlocks, seedBlock>>>(indices, sums);
}

int main(int argc, char **argv) { return seedMain(argc, argv, launch); }
