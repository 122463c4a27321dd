// pair.cu - a per-thread array in local memory, and the same in a stripe
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled several times: plainly, with REWRITTEN (the array in shared memory),
// and with one of WRONG (one element of the result is off by one), EXTRA (one
// launch more), BLOCK (another block size), OCCUPANCY (as many blocks as are
// resident), LARGER (a larger allocation), OUTPUT (another line of output),
// CRASH_HOST, CRASH_DEVICE, HANG and TOO_LARGE (a launch that fails).

#include "check.h"
#include <csignal>
#include <unistd.h>
#include <vector>

constexpr int Slots = 32;
constexpr int Threads = 128;
constexpr int Count = 1 << 18;
constexpr int Steps = 64;

__global__ void __launch_bounds__(Threads)
    count_digits(const unsigned *keys, unsigned *result, int round) {
#ifdef REWRITTEN
#ifdef OCCUPANCY
  constexpr int Rows = 2 * Slots; // So fewer blocks are resident.
#else
  constexpr int Rows = Slots;
#endif
  __shared__ unsigned counts[Threads / 32][Rows][32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#define AT(i) counts[warp][i][lane]
#else
  unsigned counts[Slots];
#define AT(i) counts[i]
#endif
  for (int thread = blockIdx.x * blockDim.x + threadIdx.x; thread < Count;
       thread += gridDim.x * blockDim.x) {
    for (int i = 0; i < Slots; ++i)
      AT(i) = i;
    unsigned key = keys[thread];
    for (int step = 0; step < Steps; ++step) {
      AT(key % Slots) += step;
      key = key * 1664525u + 1013904223u + round;
    }
    unsigned sum = 0;
    for (int i = 0; i < Slots; ++i)
      sum = sum * 31 + AT((i + key) % Slots);
#ifdef WRONG
    if (thread == 12345 && round == 2)
      ++sum;
#endif
    result[thread] = sum;
  }
}

#ifdef CRASH_DEVICE
__global__ void fault(unsigned *nowhere) { *nowhere = 1; }
#endif

int main() {
  std::vector<unsigned> keys(Count);
  for (int i = 0; i < Count; ++i)
    keys[i] = i * 2654435761u;
  unsigned *deviceKeys = nullptr, *result = nullptr;
  const size_t bytes = Count * sizeof(unsigned);
  CHECK(cudaMalloc(&deviceKeys, bytes));
#ifdef LARGER
  CHECK(cudaMalloc(&result, bytes + 1024));
#else
  CHECK(cudaMalloc(&result, bytes));
#endif
  CHECK(cudaMemcpy(deviceKeys, keys.data(), bytes, cudaMemcpyHostToDevice));
  for (int round = 0; round < 4; ++round) {
#ifdef BLOCK
    count_digits<<<Count / 64, 64>>>(deviceKeys, result, round);
#elif defined(OCCUPANCY)
    int resident = 0, processors = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, count_digits,
                                                        Threads, 0));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                                 0));
    count_digits<<<resident * processors, Threads>>>(deviceKeys, result, round);
#else
    count_digits<<<Count / Threads, Threads>>>(deviceKeys, result, round);
#endif
#if defined(CRASH_HOST)
    if (round == 1)
      std::raise(SIGSEGV);
#elif defined(CRASH_DEVICE)
    if (round == 1)
      fault<<<1, 1>>>(reinterpret_cast<unsigned *>(16));
#elif defined(HANG)
    while (round == 1)
      sleep(1);
#elif defined(TOO_LARGE)
    if (round == 1)
      count_digits<<<Count / Threads, 2 * Threads>>>(deviceKeys, result, round);
#elif defined(EXTRA)
    if (round == 3)
      count_digits<<<Count / Threads, Threads>>>(deviceKeys, result, round);
#endif
  }
  CHECK(cudaDeviceSynchronize());
  std::vector<unsigned> back(Count);
  CHECK(cudaMemcpy(back.data(), result, bytes, cudaMemcpyDeviceToHost));
  unsigned sum = 0;
  for (const unsigned value : back)
    sum = sum * 33 + value;
#ifdef OUTPUT
  std::printf("pair\nresult %u\n", sum + 1);
#else
  std::printf("pair\nresult %u\n", sum);
#endif
  CHECK(cudaFree(deviceKeys));
  CHECK(cudaFree(result));
  return 0;
}
