#include "functions.cuh"

__global__ void __launch_bounds__(256) second(const int *in, int *out) {
  out[threadIdx.x] =
      tools::middle(in, threadIdx.x) + tools::last<12>(in, threadIdx.x);
}

void launchSecond(const int *in, int *out) { second<<<1, 256>>>(in, out); }
