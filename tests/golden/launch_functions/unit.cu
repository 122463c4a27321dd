#include "kernels.cuh"

void launchElsewhere(int n, const int *in, int *out) {
  cudaLaunchConfig_t config = {};
  config.gridDim = 2;
  config.blockDim = n;
  cudaLaunchKernelEx(&config, counted, in, out);
}
