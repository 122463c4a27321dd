// over_budget.cu - more per-thread arrays than 48 KB of shared memory can hold
//
// The dynamic programme of a small knapsack per thread. In blocks of 128
// threads `best` would take 40 KB, `taken` 20 KB and `weights` 6 KB. Only some
// of them fit: those that promise most per byte go first.
//
// expect-striped: some of best taken weights
// expect-stack-frame: knapsack=80-368
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CAPACITY 79
#define ITEMS 12
#define WAYS 40

#ifdef BANKSTRIPE_SMALL
#define PROBLEMS 256
#else
#define PROBLEMS 200064
#endif
#define THREADS 128

__global__ void knapsack(const unsigned *seeds, int *values, unsigned *traces) {
  const int problem = blockIdx.x * THREADS + threadIdx.x;
  unsigned state = seeds[problem];

  int best[CAPACITY + 1], taken[WAYS], weights[ITEMS];
  for (int c = 0; c <= CAPACITY; ++c)
    best[c] = 0;
  for (int w = 0; w < WAYS; ++w)
    taken[w] = 0;
  for (int i = 0; i < ITEMS; ++i) {
    state = state * 1664525u + 1013904223u;
    weights[i] = 1 + (state >> 16) % 23;
  }

  const int items = 4 + state % (ITEMS - 3); // not known to the compiler
  for (int i = 0; i < items; ++i) {
    const int weight = weights[i];
    const int value = weight * 3 + (state >> i & 7);
    for (int c = CAPACITY; c >= weight; --c) {
      const int with = best[c - weight] + value;
      if (with > best[c]) {
        best[c] = with;
        ++taken[(c + weight) % WAYS];
      }
    }
  }

  values[problem] = best[CAPACITY];
  unsigned trace = 0;
  for (int w = 0; w < WAYS; ++w)
    trace = trace * 31 + taken[w];
  for (int i = 0; i < ITEMS; ++i)
    trace = trace * 31 + weights[(i + items) % ITEMS];
  traces[problem] = trace;
}

int main() {
  std::vector<unsigned> seeds(PROBLEMS);
  unsigned state = 100;
  for (unsigned &seed : seeds)
    seed = state = state * 69069u + 12345u;

  unsigned *dSeeds, *dTraces;
  int *dValues;
  cudaMalloc(&dSeeds, PROBLEMS * sizeof(unsigned));
  cudaMalloc(&dTraces, PROBLEMS * sizeof(unsigned));
  cudaMalloc(&dValues, PROBLEMS * sizeof(int));
  cudaMemcpy(dSeeds, seeds.data(), PROBLEMS * sizeof(unsigned), cudaMemcpyHostToDevice);

  knapsack<<<PROBLEMS / THREADS, THREADS>>>(dSeeds, dValues, dTraces);
  const cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) {
    std::fprintf(stderr, "knapsack: %s\n", cudaGetErrorString(status));
    return EXIT_FAILURE;
  }

  std::vector<int> values(PROBLEMS);
  std::vector<unsigned> traces(PROBLEMS);
  cudaMemcpy(values.data(), dValues, PROBLEMS * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(traces.data(), dTraces, PROBLEMS * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(dSeeds);
  cudaFree(dTraces);
  cudaFree(dValues);

  unsigned long long total = 0, hash = 14695981039346656037ull;
  for (int i = 0; i < PROBLEMS; ++i) {
    total += values[i];
    hash = (hash ^ traces[i]) * 1099511628211ull;
  }
  std::printf("value %llu\ntraces %016llx\n", total, hash);
  return 0;
}
