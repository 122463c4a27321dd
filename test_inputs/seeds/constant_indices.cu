// constant_indices.cu - a per-thread array that is only used with constant indices
//
// The compiler gives each element a register. There is nothing to gain.
//
// expect-striped: none
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "seed_data.h"

__global__ void __launch_bounds__(seedBlock)
    rotateThroughFour(const unsigned *__restrict__ indices, unsigned *sums) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;

  unsigned values[4];
  values[0] = thread;
  values[1] = thread + 1;
  values[2] = thread + 2;
  values[3] = thread + 3;

  for (int step = 0; step < seedSteps; step += 4) {
    const unsigned packed = indices[step / 4 * 32 + lane];
    values[0] = values[0] * 5 + values[3];
    values[1] = values[1] * 5 + (packed & 255);
    values[2] = values[2] * 5 + (packed >> 8 & 255);
    values[3] = values[3] * 5 + (values[1] ^ packed >> 16);
  }

  sums[thread] = values[0] + 33 * values[1] + 1089 * values[2] + 35937 * values[3];
}

static void launch(const unsigned *indices, unsigned *sums) {
  rotateThroughFour<<<seedBlocks, seedBlock>>>(indices, sums);
}

int main(int argc, char **argv) { return seedMain(argc, argv, launch); }
