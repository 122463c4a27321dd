// captured.cu - launches to capture, with everything that a kernel can reach
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch 0 fills an allocation of 40 MiB, which is more than is copied at a
// time; the launches 1 to 3 change its first 64 KiB and its last element, by
// way of all kinds of variables: launch 2 hands its parameters over as a
// buffer, launch 3 is cooperative and has a smaller grid. Launch 4 reads a
// texture, when there is an array as well.
// With WRONG launch 2 is off in one element, with FAIL launch 3 reads an
// address where nothing is.

#include "check.h"
#include <cuda.h>

struct Amounts {
  char first;
  double second;
  unsigned third[3];
};

constexpr unsigned Count = 10u << 20;

__constant__ unsigned table[4];
__device__ unsigned counter = 100;
__device__ unsigned launches[3];
__managed__ unsigned managed = 7;

__global__ void fill(unsigned *values) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < Count;
       i += gridDim.x * blockDim.x)
    values[i] = i;
}

__global__ void step(unsigned *values, char number, Amounts add,
                     const unsigned *pinned) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FAIL
  if (number == 3)
    values += 1ull << 40;
#endif
  values[i] = values[i] * 2 + table[i % 4] + static_cast<unsigned>(add.second) +
              add.third[2] + pinned[i % 8];
#ifdef WRONG
  if (number == 2 && i == 77)
    ++values[i];
#endif
  if (i == 0) {
    values[Count - 1] = counter + managed;
    counter += number;
    ++managed;
    launches[number - 1] = number;
  }
}

__global__ void lookup(cudaTextureObject_t texture, unsigned *values) {
  values[threadIdx.x] = tex1Dfetch<unsigned>(texture, threadIdx.x + 64);
}

// The parameters as one buffer, laid out as the driver wants it.
static void launch_with_buffer(unsigned *values, char number, Amounts add,
                               unsigned *pinned) {
  struct {
    unsigned *values;
    char number;
    Amounts add;
    unsigned *pinned;
  } buffer = {values, number, add, pinned};
  size_t bytes = sizeof buffer;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  cudaFunction_t function;
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<void *>(step)));
  if (cuLaunchKernel(function, 64, 1, 1, 256, 1, 1, 0, nullptr, nullptr,
                     extra) != CUDA_SUCCESS)
    std::puts("cuLaunchKernel failed");
}

int main() {
  unsigned *values = nullptr, *pinned = nullptr;
  CHECK(cudaMalloc(&values, Count * sizeof *values));
  CHECK(cudaMallocHost(&pinned, 8 * sizeof *pinned));
  for (unsigned i = 0; i < 8; ++i)
    pinned[i] = 1000 * i;
  const unsigned words[4] = {1, 20, 300, 4000};
  CHECK(cudaMemcpyToSymbol(table, words, sizeof words));
  Amounts add = {'x', 5.5, {1, 2, 3}};
  char number = 1;

  fill<<<512, 256>>>(values);
  step<<<64, 256>>>(values, number, add, pinned);
  launch_with_buffer(values, 2, add, pinned);
  number = 3;
  void *arguments[] = {&values, &number, &add, &pinned};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(step), 32, 256,
                                    arguments, 0, 0));
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  if (error != cudaSuccess)
    return 0;

  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, 64, 64));
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypeLinear;
  memory.res.linear.devPtr = values;
  memory.res.linear.desc = cudaCreateChannelDesc<unsigned>();
  memory.res.linear.sizeInBytes = 4096;
  cudaTextureDesc how = {};
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &memory, &how, nullptr));
  lookup<<<1, 32>>>(texture, values);
  unsigned first[100], last = 0, counted = 0;
  CHECK(cudaMemcpy(first, values, sizeof first, cudaMemcpyDefault));
  CHECK(cudaMemcpy(&last, values + Count - 1, sizeof last, cudaMemcpyDefault));
  CHECK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  std::printf("%u %u %u %u %u\n", first[0], first[77], last, counted, managed);
  return 0;
}
