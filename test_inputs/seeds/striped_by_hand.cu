// striped_by_hand.cu - data_dependent.cu as an expert would stripe it
//
// The reference for speed: plain CUDA, no helper. A warp has a plane of its
// own in `values`, with the lane as the fastest coordinate, so that every lane
// stays in its own bank whatever element it asks for. No other thread touches
// a lane's column, so no barrier is needed.
//
// expect-striped: none
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "seed_data.h"

__global__ void __launch_bounds__(seedBlock)
    scatterUpdates(const unsigned *__restrict__ indices, unsigned *sums) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;

  __shared__ unsigned values[seedBlock / 32][seedElements][32];
  for (int i = 0; i < seedElements; ++i)
    values[warp][i][lane] = thread + i;

  // The work loop: every step needs what an earlier one has stored.
  for (int step = 0; step < seedSteps; step += 4) {
    unsigned packed = indices[step / 4 * 32 + lane];
    for (int k = 0; k < 4; ++k) {
      const unsigned i = packed % seedElements;
      values[warp][i][lane] = values[warp][i][lane] * 5 + packed;
      packed >>= 8;
    }
  }

  unsigned sum = 0;
#pragma unroll 8 // all 32 at once would cost registers, and with them warps
  for (int i = 0; i < seedElements; ++i)
    sum = sum * 33 + values[warp][i][lane];
  sums[thread] = sum;
}

static void launch(const unsigned *indices, unsigned *sums) {
  scatterUpdates<<<seedBlocks, seedBlock>>>(indices, sums);
}

int main(int argc, char **argv) { return seedMain(argc, argv, launch); }
