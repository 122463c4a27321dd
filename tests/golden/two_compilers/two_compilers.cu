#include "functions.h"

__global__ void kernel(const int *in, int *out) {
  int counts[4] = {0};
  for (int i = 0; i < 50; ++i)
    ++counts[in[i + threadIdx.x] & 3];
  out[threadIdx.x] = total(counts, 4) + middle(in[0]) + last(in[1]);
}

void launch(const int *in, int *out) { kernel<<<1, 64>>>(in, out); }
