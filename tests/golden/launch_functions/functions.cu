#include "kernels.cuh"

void say(const char *);
#define CHECK(call) if ((call) != cudaSuccess) say(#call)

__global__ void counted(const int *in, int *out) {
  int votes[4] = {0};
  for (int i = 0; i < 50; ++i)
    ++votes[in[i + threadIdx.x] & 3];
  out[threadIdx.x] = votes[in[0] & 3];
}

template <class T> __global__ void recent(const int *in, T *out) {
  T last[4] = {};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = last[in[threadIdx.x] & 3];
}

__global__ void together(const int *in, int *out) {
  int marks[4] = {0};
  for (int i = 0; i < 50; ++i)
    marks[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = marks[in[threadIdx.x] & 3];
}

// The grid follows a question about the kernel, which has to stay as it is.
__global__ void togetherOf128(const int *in, int *out) {
  int marks[4] = {0};
  for (int i = 0; i < 50; ++i)
    marks[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = marks[in[threadIdx.x] & 3];
}

__global__ void togetherWithoutAsking(const int *in, int *out) {
  int marks[4] = {0};
  for (int i = 0; i < 50; ++i)
    marks[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = marks[in[threadIdx.x] & 3];
}

__global__ void suggested(const int *in, int *out) {
  int marks[4] = {0};
  for (int i = 0; i < 50; ++i)
    marks[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = marks[in[threadIdx.x] & 3];
}

void launchFunctions(int n, const int *in, int *out, void **arguments) {
  cudaLaunchKernel((const void *)counted, 4, n, arguments);
  CHECK(cudaLaunchKernel(counted, 4, dim3(n, 2), arguments, n * 4, 0));
}

void launchConfigured(int n, const int *in, int *out, double *numbers, void **arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = 4;
  config.blockDim = n;
  CHECK(cudaLaunchKernelEx(&config, recent<double>, in, numbers));
  config.dynamicSmemBytes = 64;
  cudaLaunchKernelExC(&config, (const void *)counted, arguments);
}

void launchTogether(int n, int processors, void **arguments) {
  int resident, resident128;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, together, n, 0);
  CHECK(cudaLaunchCooperativeKernel((void *)together, processors * resident, n, arguments));
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident128, togetherOf128, 128, 0);
  cudaLaunchCooperativeKernel((void *)togetherOf128, processors * resident128, 128, arguments);
  cudaLaunchCooperativeKernel((void *)togetherWithoutAsking, processors, 128, arguments);
}

void launchSuggested(const int *in, int *out) {
  int grid, block;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, suggested, 0, 0);
  suggested<<<grid, block>>>(in, out);
}
