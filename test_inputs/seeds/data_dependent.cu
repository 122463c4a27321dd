// data_dependent.cu - a per-thread array whose index is read from memory, per lane
//
// The compiler must keep `values` in local memory, and a warp whose lanes ask
// for different elements needs up to 32 transactions for one access.
// striped_by_hand.cu is the same program with the array striped by hand.
//
// expect-striped: values
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "seed_data.h"

__global__ void __launch_bounds__(seedBlock)
    scatterUpdates(const unsigned *__restrict__ indices, unsigned *sums) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;

  unsigned values[seedElements];
  for (int i = 0; i < seedElements; ++i)
    values[i] = thread + i;

  // The work loop: every step needs what an earlier one has stored.
  for (int step = 0; step < seedSteps; step += 4) {
    unsigned packed = indices[step / 4 * 32 + lane];
    for (int k = 0; k < 4; ++k) {
      const unsigned i = packed % seedElements;
      values[i] = values[i] * 5 + packed;
      packed >>= 8;
    }
  }

  unsigned sum = 0;
#pragma unroll 8 // all 32 at once would cost registers, and with them warps
  for (int i = 0; i < seedElements; ++i)
    sum = sum * 33 + values[i];
  sums[thread] = sum;
}

static void launch(const unsigned *indices, unsigned *sums) {
  scatterUpdates<<<seedBlocks, seedBlock>>>(indices, sums);
}

int main(int argc, char **argv) { return seedMain(argc, argv, launch); }
