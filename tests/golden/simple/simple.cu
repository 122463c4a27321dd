// Counts keys, with a counter per digit and thread.
#include "sums.h"

// One thread counts 64 keys.
__global__ void count(const unsigned *keys, int *totals) {
  int counts[16] = {0};
  const unsigned *mine = keys + 64 * threadIdx.x;
  for (int i = 0; i < 64; ++i)
    counts[mine[i] & 15]++;
  for (int d = 0; d < 16; ++d)
    totals[threadIdx.x * 16 + d] = sum(counts[d], 1);
}

void launch(const unsigned *keys, int *totals) {
  count<<<1, 128>>>(keys, totals);
}
