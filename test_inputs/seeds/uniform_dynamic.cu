// uniform_dynamic.cu - a per-thread array whose index all threads agree on
//
// The index comes from memory, so the array has to live in local memory, but
// every lane of a warp reads the same place of the table: the hardware serves
// such an access with one transaction for four bytes per lane.
//
// expect-striped: values
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "seed_data.h"

__global__ void __launch_bounds__(seedBlock)
    commonUpdates(const unsigned *__restrict__ indices, unsigned *sums) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;

  unsigned values[seedElements];
  for (int i = 0; i < seedElements; ++i)
    values[i] = thread + i;

  for (int step = 0; step < seedSteps; step += 4) {
    // The column of lane 0, for everybody.
    unsigned packed = indices[step / 4 * 32];
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
  commonUpdates<<<seedBlocks, seedBlock>>>(indices, sums);
}

int main(int argc, char **argv) { return seedMain(argc, argv, launch); }
