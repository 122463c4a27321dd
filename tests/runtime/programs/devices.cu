//===-- devices.cu - a program on two devices -----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two devices take turns; the second reads what the first one holds, and writes
// back to it, through peer access. With -DWRONG, launch 5, on the second
// device, leaves element 77 of allocation 1 one too large; with -DWRONG_PEER,
// launch 3 does so in memory of the first one.
//
//===----------------------------------------------------------------------===//

#include "check.h"

constexpr unsigned Count = 1 << 16, Rounds = 4;

#if defined(WRONG)
constexpr int WrongRound = 2;
#else
constexpr int WrongRound = -1;
#endif

__device__ unsigned launches;

__global__ void step(unsigned *values, const unsigned *other, unsigned round) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  values[thread] = values[thread] * 3 + other[Count - 1 - thread] + round;
  if (thread == 0)
    ++launches;
}

__global__ void stepBack(unsigned *values, unsigned *other, int round) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  values[thread] += other[thread] + (round == WrongRound && thread == 77);
  if (thread < 100)
    other[thread] ^= round;
#ifdef WRONG_PEER
  if (round == 1 && thread == 77)
    ++other[thread];
#endif
}

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    std::fprintf(stderr, "devices: this needs two GPUs\n");
    return 3;
  }
  unsigned *values[2];
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaDeviceEnablePeerAccess(1 - device, 0));
    CHECK(cudaMalloc(&values[device], Count * sizeof(unsigned)));
    CHECK(cudaMemset(values[device], device + 1, Count * sizeof(unsigned)));
  }
  CHECK(cudaDeviceSynchronize());
  for (unsigned round = 0; round < Rounds; ++round) {
    CHECK(cudaSetDevice(0));
    step<<<Count / 256, 256>>>(values[0], values[1], round);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    stepBack<<<Count / 256, 256>>>(values[1], values[0], round);
    CHECK(cudaDeviceSynchronize());
  }
  unsigned first[2];
  for (int device = 0; device < 2; ++device)
    CHECK(cudaMemcpy(&first[device], values[device] + 500, sizeof(unsigned),
                     cudaMemcpyDeviceToHost));
  std::printf("devices %u %u\n", first[0], first[1]);
  return 0;
}
