// few_lanes.cu - what an access costs where few lanes of a warp are active
//
// Each thread has 32 words, in local memory or in a stripe, and loads, stores,
// or loads and stores one of them in each of 2,048 steps. A linear congruential
// generator picks it: the same for all lanes (uniform), or not (random). Prints
// cycles of an SM for each step of a warp, at 1,980 MHz.
//
//     nvcc -O3 -arch=sm_90 -o few_lanes few_lanes.cu && ./few_lanes
//
// Figures: measurements/2026-11-26-few-lanes.md
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int Words = 32, Threads = 128, Steps = 2048, Runs = 7;
constexpr double MHz = 1980;
enum class Access { Load, Store, Both };

template <bool Shared, Access What, bool Random>
__global__ void __launch_bounds__(Threads) access(unsigned *out, int lanes) {
  extern __shared__ unsigned stripes[];
  unsigned local[Words];
  const int lane = threadIdx.x & 31;
  unsigned *mine = stripes + threadIdx.x / 32 * Words * 32 + lane;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = (Random ? thread : blockIdx.x) * 2654435761u + 12345u;
  for (int i = 0; i < Words; ++i)
    (Shared ? mine[i * 32] : local[i]) = state + i;
  unsigned sum = 0;
  if (lane < lanes) {
#pragma unroll 4
    for (int step = 0; step < Steps; ++step) {
      state = state * 1664525u + 1013904223u;
      const int i = state >> 27;
      unsigned &word = Shared ? mine[i * 32] : local[i];
      if (What == Access::Load)
        sum += word;
      else if (What == Access::Store)
        word = state;
      else
        word += state;
    }
  }
  if (What != Access::Load)
    for (int i = 0; i < Words; ++i)
      sum += Shared ? mine[i * 32] : local[i];
  out[thread] = sum + state;
}

template <bool Shared, Access What, bool Random> void measure(const char *name) {
  int sms;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  auto kernel = access<Shared, What, Random>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                       Shared ? 100 : 0);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int blocks : {1, 2, 4, 12}) {
    unsigned *out;
    cudaMalloc(&out, sizeof *out * sms * blocks * Threads);
    for (int lanes : {1, 2, 4, 8, 16, 32}) {
      std::vector<float> times(Runs);
      for (float &time : times) {
        cudaEventRecord(begin);
        kernel<<<sms * blocks, Threads, Shared ? Threads * Words * 4 : 0>>>(out, lanes);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&time, begin, end);
      }
      std::sort(times.begin(), times.end());
      const int warps = blocks * Threads / 32;
      std::printf("%s %s, %2d warps, %2d lanes: %7.2f\n",
                  Shared ? "stripe" : "local ", name, warps, lanes,
                  times[1] * 1e3 * MHz / Steps / warps);
    }
    cudaFree(out);
  }
  if (cudaError_t failed = cudaGetLastError())
    std::printf("%s\n", cudaGetErrorString(failed));
}

template <bool Shared> void measureAll() {
  measure<Shared, Access::Load, false>("load,  uniform");
  measure<Shared, Access::Load, true>("load,  random");
  measure<Shared, Access::Store, false>("store, uniform");
  measure<Shared, Access::Store, true>("store, random");
  measure<Shared, Access::Both, false>("both,  uniform");
  measure<Shared, Access::Both, true>("both,  random");
}

int main() {
  measureAll<false>();
  measureAll<true>();
}
