// reset.cu - resets the device, and goes on
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches before and after a reset, a reset at the very end, and a static
// object that frees its memory after main().

#include "check.h"

__global__ void fill(unsigned *values, unsigned start) {
  values[blockIdx.x * blockDim.x + threadIdx.x] = start + threadIdx.x;
}

struct Holder {
  unsigned *memory = nullptr;
  ~Holder() { cudaFree(memory); }
} holder;

int main() {
  for (unsigned round = 0; round < 2; ++round) {
    unsigned *values = nullptr;
    CHECK(cudaMalloc(&values, 4096));
    fill<<<4, 256>>>(values, round);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDeviceReset());
  }
  CHECK(cudaMalloc(&holder.memory, 4096));
  fill<<<4, 256>>>(holder.memory, 9);
  CHECK(cudaDeviceSynchronize());
#ifdef RESET_LAST
  CHECK(cudaDeviceReset());
#endif
  std::printf("reset\n");
  return 0;
}
