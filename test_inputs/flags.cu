// flags.cu - which of N things has a thread seen?
//
// The usual small sets of flags: 9 to 64 of them, tested and set one at a time,
// at indices that a warp shares or that its threads pick alone; and 24 switches
// that are cleared, flipped and counted by functions.
//
// expect-striped: none
// expect-bits: seen9 seen16 seen32 seen64 lights grid
// rewrite-options: --layout=bits
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned Threads = 128;
#ifdef BANKSTRIPE_SMALL
constexpr unsigned Blocks = 2;
constexpr int Steps = 40;
#else
constexpr unsigned Blocks = 132 * 64;
constexpr int Steps = 512;
#endif

static void check(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

__device__ unsigned next(unsigned &state) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

__global__ void visit9(const unsigned *seeds, unsigned *hits) {
  const unsigned thread = blockIdx.x * Threads + threadIdx.x;
  unsigned state = seeds[thread], count = 0;
  bool seen9[9] = {};
  for (int step = 0; step < Steps; ++step) {
    const unsigned i = next(state) % 9;
    if (seen9[i]) {
      seen9[i] = false;
      ++count;
    } else {
      seen9[i] = true;
    }
  }
  hits[thread] = count;
}

__global__ void visit16(const unsigned *seeds, unsigned *hits) {
  const unsigned thread = blockIdx.x * Threads + threadIdx.x;
  unsigned state = seeds[thread], count = 0;
  bool seen16[16] = {false};
  for (int step = 0; step < Steps; ++step) {
    const unsigned i = next(state) % 16;
    if (seen16[i]) {
      seen16[i] = false;
      ++count;
    } else {
      seen16[i] = true;
    }
  }
  hits[thread] = count;
}

__global__ void visit32(const unsigned *seeds, unsigned *hits) {
  const unsigned thread = blockIdx.x * Threads + threadIdx.x;
  unsigned state = seeds[thread], count = 0;
  bool seen32[32];
  for (int i = 0; i < 32; ++i)
    seen32[i] = false;
  for (int step = 0; step < Steps; ++step) {
    const unsigned i = next(state) % 32;
    if (seen32[i]) {
      seen32[i] = false;
      ++count;
    } else {
      seen32[i] = true;
    }
  }
  hits[thread] = count;
}

__global__ void visit64(const unsigned *seeds, unsigned *hits) {
  const unsigned thread = blockIdx.x * Threads + threadIdx.x;
  unsigned state = seeds[thread], count = 0;
  bool seen64[64] = {};
  for (int step = 0; step < Steps; ++step) {
    const unsigned i = next(state) % 64;
    if (seen64[i]) {
      seen64[i] = false;
      ++count;
    } else {
      seen64[i] = true;
    }
  }
  hits[thread] = count;
}

__device__ void turnOff(bool *lights, int count) {
  for (bool *light = lights; light != lights + count; ++light)
    *light = false;
}

__device__ int countLit(const bool *lights, int count) {
  int lit = 0;
  for (int i = 0; i < count; ++i)
    lit += lights[i];
  return lit;
}

__global__ void flip(const unsigned *seeds, unsigned *lit) {
  const unsigned thread = blockIdx.x * Threads + threadIdx.x;
  unsigned state = seeds[thread];
  bool lights[24], grid[4][4] = {{true, false, true, false}, {thread % 2 == 0}};
  turnOff(lights, 24);
  unsigned sum = 0;
  for (int step = 0; step < Steps; ++step) {
    const unsigned i = next(state) % 24;
    lights[i] ^= 1;
    grid[i % 4][step % 4] |= lights[(i + 7) % 24];
    if (grid[step % 4][i % 4] && !lights[23 - i])
      sum += countLit(lights, 24);
  }
  lit[thread] = sum;
}

static unsigned long long checksum(const std::vector<unsigned> &values) {
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned value : values)
    hash = (hash ^ value) * 1099511628211ull;
  return hash;
}

int main() {
  const unsigned threads = Blocks * Threads;
  std::vector<unsigned> seeds(threads), results(threads);
  unsigned *dSeeds, *dResults;
  check(cudaMalloc(&dSeeds, threads * sizeof(unsigned)));
  check(cudaMalloc(&dResults, threads * sizeof(unsigned)));

  auto finish = [&](const char *name) {
    check(cudaGetLastError());
    check(cudaMemcpy(results.data(), dResults, threads * sizeof(unsigned),
                     cudaMemcpyDeviceToHost));
    std::printf("%-8s %016llx\n", name, checksum(results));
  };
  for (int apart = 0; apart < 2; ++apart) {
    for (unsigned i = 0; i < threads; ++i)
      seeds[i] = (apart ? i : i / 32) * 2654435761u + 12345u;
    check(cudaMemcpy(dSeeds, seeds.data(), threads * sizeof(unsigned),
                     cudaMemcpyHostToDevice));
    std::printf("indices that %s\n", apart ? "threads pick alone" : "a warp shares");
    visit9<<<Blocks, Threads>>>(dSeeds, dResults);
    finish("visit9");
    visit16<<<Blocks, Threads>>>(dSeeds, dResults);
    finish("visit16");
    visit32<<<Blocks, Threads>>>(dSeeds, dResults);
    finish("visit32");
    visit64<<<Blocks, Threads>>>(dSeeds, dResults);
    finish("visit64");
    flip<<<Blocks, Threads>>>(dSeeds, dResults);
    finish("flip");
  }
  check(cudaFree(dSeeds));
  check(cudaFree(dResults));
}
