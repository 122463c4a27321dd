// seed_data.h - what the seed programs share: sizes, index data, the run itself
//
// Every seed runs one kernel three times, on three patterns of index data, in
// this order:
//
//     uniform   all lanes of a warp ask for the same element
//     random    every lane asks for an element of its own choice
//     worst     the 32 lanes of a warp ask for 32 different elements
//
// The indices are made on the host, so that the compiler knows nothing about
// them. One table serves all warps: per lane, four one-byte indices in a word,
// the words of the 32 lanes side by side. Its 16 KB stay in the cache, so that
// what is measured is the per-thread array and not the table.
//
// A kernel of its own runs first and brings the clocks up. It matters only to
// those who measure.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEED_DATA_H
#define SEED_DATA_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int seedElements = 32; // elements of the per-thread array
constexpr int seedSteps = 512;   // read-modify-writes per thread
constexpr int seedBlock = 128;   // threads per block
#ifdef BANKSTRIPE_SMALL
constexpr int seedBlocks = 3;
constexpr int seedWarmUp = 16;
#else
constexpr int seedBlocks = 8448; // 1,081,344 threads
constexpr int seedWarmUp = 1 << 20;
#endif
constexpr int seedThreads = seedBlocks * seedBlock;
constexpr int seedWords = seedSteps / 4 * 32; // words of the index table

typedef void SeedLaunch(const unsigned *indices, unsigned *sums);

inline void seedCheck(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

__global__ void seedWarmUpKernel(unsigned *out, int steps) {
  unsigned value = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned slot = value;
  for (int i = 0; i < steps; ++i)
    value = value * 1664525u + 1013904223u;
  out[slot] = value;
}

// The element that `lane` asks for in `step`.
inline unsigned seedIndex(const char *pattern, int step, int lane,
                          unsigned &state) {
  state = state * 1664525u + 1013904223u;
  if (!std::strcmp(pattern, "random"))
    return (state >> 16) % seedElements;
  const unsigned common = (step * 2654435761u >> 13) % seedElements;
  if (!std::strcmp(pattern, "uniform"))
    return common;
  return (common + lane) % seedElements;
}

inline std::vector<unsigned> seedTable(const char *pattern) {
  std::vector<unsigned> table(seedWords);
  unsigned state = 12345;
  for (int step = 0; step < seedSteps; ++step)
    for (int lane = 0; lane < 32; ++lane)
      table[step / 4 * 32 + lane] |= seedIndex(pattern, step, lane, state)
                                     << (step % 4 * 8);
  return table;
}

// FNV-1a, word by word: it depends on every word and on its place.
inline unsigned long long seedChecksum(const std::vector<unsigned> &words) {
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned word : words)
    hash = (hash ^ word) * 1099511628211ull;
  return hash;
}

// Runs `launch` on all patterns, or on those that the command line names.
inline int seedMain(int argc, char **argv, SeedLaunch *launch) {
  unsigned *indices, *sums;
  seedCheck(cudaMalloc(&indices, seedWords * sizeof(unsigned)), "cudaMalloc");
  seedCheck(cudaMalloc(&sums, seedThreads * sizeof(unsigned)), "cudaMalloc");
  seedWarmUpKernel<<<seedBlocks, seedBlock>>>(sums, seedWarmUp);
  seedCheck(cudaDeviceSynchronize(), "warm-up");

  std::vector<unsigned> result(seedThreads);
  const char *const patterns[] = {"uniform", "random", "worst"};
  for (const char *pattern : patterns) {
    bool wanted = argc < 2;
    for (int i = 1; i < argc; ++i)
      wanted = wanted || !std::strcmp(argv[i], pattern);
    if (!wanted)
      continue;
    const std::vector<unsigned> table = seedTable(pattern);
    seedCheck(cudaMemcpy(indices, table.data(), seedWords * sizeof(unsigned),
                         cudaMemcpyHostToDevice),
              "copy of the indices");
    launch(indices, sums);
    seedCheck(cudaGetLastError(), "launch");
    seedCheck(cudaDeviceSynchronize(), "kernel");
    seedCheck(cudaMemcpy(result.data(), sums, seedThreads * sizeof(unsigned),
                         cudaMemcpyDeviceToHost),
              "copy of the sums");
    std::printf("%-8s %016llx\n", pattern, seedChecksum(result));
  }
  cudaFree(indices);
  cudaFree(sums);
  return 0;
}

#endif // SEED_DATA_H
