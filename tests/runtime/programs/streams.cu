// streams.cu - several kernels, streams and kinds of memory
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With WRONG an element of the __device__ variable is off by one.

#include "check.h"
#include <thread>

__device__ unsigned table[100];
static __device__ unsigned total;

namespace {
__global__ void fill(unsigned *values, unsigned count, unsigned start) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < count)
    values[thread] = start + thread;
}
} // namespace

template <class T>
static __global__ void scale(T *values, unsigned count, T by) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < count)
    values[thread] *= by;
}

__global__ void keep(const unsigned *values) {
  table[threadIdx.x] = values[threadIdx.x];
#ifdef WRONG
  if (threadIdx.x == 42)
    ++table[threadIdx.x];
#endif
  if (threadIdx.x == 0)
    total += values[1];
}

int main() {
  constexpr unsigned count = 10001;
  cudaStream_t streams[3];
  for (cudaStream_t &stream : streams)
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  unsigned *plain = nullptr, *ordered = nullptr, *managed = nullptr;
  float *rows = nullptr;
  size_t pitch = 0;
  CHECK(cudaMalloc(&plain, count * sizeof(unsigned)));
  CHECK(cudaMallocManaged(&managed, 1024));
  CHECK(cudaMallocPitch(&rows, &pitch, 100, 7));
  for (int i = 0; i < 256; ++i)
    managed[i] = i;
  fill<<<40, 256, 0, streams[0]>>>(plain, count, 5);
  CHECK(cudaMallocAsync(&ordered, count * sizeof(unsigned), streams[1]));
  fill<<<40, 256, 0, streams[1]>>>(ordered, count, 7);
  scale<<<40, 256, 0, streams[1]>>>(ordered, count, 3u);
  scale<<<1, 175, 1024, streams[2]>>>(rows, 175, 0.5f);
  scale<<<1, 256>>>(managed, 256, 2u);
  CHECK(cudaStreamSynchronize(streams[0]));
  keep<<<1, 100, 0, streams[0]>>>(plain);
  CHECK(cudaFreeAsync(ordered, streams[1]));
  CHECK(cudaDeviceSynchronize());
  std::thread([&] {
    unsigned *other = nullptr;
    CHECK(cudaMalloc(&other, 4096));
    fill<<<4, 256, 0, cudaStreamPerThread>>>(other, 1024, 1);
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    CHECK(cudaFree(other));
  }).join();
  unsigned host[100];
  CHECK(cudaMemcpyFromSymbol(host, table, sizeof host));
  std::printf("%u %u\n", host[99], managed[255]);
  return 0;
}
