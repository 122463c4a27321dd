// unrolled.cu - a bank of filters whose states only rolled loops keep in memory
//
// Each thread runs a signal through a cascade of 48 stages. All loops over the
// stages have a constant length, but are too long for a compiler to unroll
// unasked.
//
// rewrite-options: --unroll
// expect-striped: none
// expect-unrolled: state
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA(call) check((call), #call)

#ifdef BANKSTRIPE_SMALL
static const int Threads = 96, Samples = 5;
#else
static const int Threads = 96 * 1000, Samples = 200;
#endif

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

__device__ unsigned step(unsigned y, unsigned x, const unsigned *taps) {
  y = (y ^ x) * 5u + taps[0];
  y = (y >> 3 | y << 29) + x * taps[1];
  y = (y ^ taps[2]) * 9u + (x >> 5);
  y = (y >> 7 | y << 25) + taps[3] * x;
  return y ^ (y >> 16);
}

__global__ void cascade(const unsigned *taps, const unsigned *in, unsigned *out,
                        int samples, int count) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
  unsigned state[48];
  for (int i = 0; i < 48; ++i) state[i] = taps[i] + thread;
  for (int k = 0; k < samples; ++k) {
    unsigned x = in[k] + thread;
    for (int i = 0; i < 48; ++i) {
      state[i] = step(state[i], x, taps + i);
      state[i] = step(state[i], x + 1, taps + i + 4);
      x += state[i];
    }
    out[k * count + thread] = x;
  }
}

static unsigned *onDevice(const std::vector<unsigned> &values) {
  unsigned *copy;
  CUDA(cudaMalloc(&copy, values.size() * sizeof(unsigned)));
  CUDA(cudaMemcpy(copy, values.data(), values.size() * sizeof(unsigned),
                  cudaMemcpyHostToDevice));
  return copy;
}

int main() {
  std::vector<unsigned> taps(64), signal(Samples), result(size_t(Samples) * Threads);
  unsigned random = 4711;
  for (unsigned &tap : taps) tap = random = random * 1664525u + 1013904223u;
  for (unsigned &sample : signal) sample = random = random * 1664525u + 1013904223u;

  unsigned *dTaps = onDevice(taps), *dIn = onDevice(signal), *dOut = onDevice(result);
  cascade<<<Threads / 96, 96>>>(dTaps, dIn, dOut, Samples, Threads);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(result.data(), dOut, result.size() * sizeof(unsigned),
                  cudaMemcpyDeviceToHost));

  unsigned sum = 0;
  for (unsigned value : result) sum = sum * 31 + value;
  std::printf("%u\n", sum);
  CUDA(cudaFree(dTaps));
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dOut));
  return 0;
}
