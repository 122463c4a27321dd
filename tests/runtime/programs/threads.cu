// threads.cu - host threads that allocate, launch and free at once
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of their launches is not the same twice; every thread does the
// same, so what it launches is.

#include "check.h"
#include <thread>
#include <vector>

__global__ void step(unsigned *values, unsigned add) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  values[thread] = thread * 5 + add;
}

static void work() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (unsigned i = 0; i < 50; ++i) {
    unsigned *values = nullptr, *ordered = nullptr;
    CHECK(cudaMalloc(&values, 1024 * sizeof(unsigned)));
    CHECK(cudaMallocAsync(&ordered, 1024 * sizeof(unsigned), stream));
    step<<<4, 256, 0, stream>>>(values, 1);
    step<<<4, 256, 0, stream>>>(ordered, 2);
    CHECK(cudaFreeAsync(ordered, stream));
    CHECK(cudaFree(values));
  }
  CHECK(cudaStreamSynchronize(stream));
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  std::printf("threads\n");
  return 0;
}
