// several_kernels.cu - kernels that use shared memory of their own
//
// A byte histogram in two steps. The first kernel counts in a per-thread array
// per thread and sums the counters of a block up in shared memory, with
// barriers. The second ranks the bytes of a tile by its own shared prefix sums.
// One has launch bounds, the other is launched in two places.
//
// expect-striped: mine ranks
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#define KEYS 16
#define CHECK(call) check((call), __FILE__, __LINE__)

static void check(cudaError_t status, const char *file, int line) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(status));
    std::exit(1);
  }
}

// Counts the keys of `perThread` bytes per thread, one row of counts per block.
__global__ void __launch_bounds__(256, 2)
    countKeys(const unsigned char *keys, int perThread, unsigned *counts) {
  __shared__ unsigned total[KEYS];
  if (threadIdx.x < KEYS)
    total[threadIdx.x] = 0;
  __syncthreads();

  unsigned short mine[KEYS] = {0};
  const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x * perThread;
  for (int i = 0; i < perThread; ++i) {
    const unsigned char key = keys[first + i * blockDim.x + threadIdx.x] % KEYS;
    mine[key] += 1;
  }

  // Every thread starts at another counter, so that few meet.
  for (unsigned k = 0; k < KEYS; ++k) {
    const unsigned key = (k + threadIdx.x) % KEYS;
    atomicAdd(&total[key], mine[key]);
  }
  __syncthreads();
  if (threadIdx.x < KEYS)
    counts[blockIdx.x * KEYS + threadIdx.x] = total[threadIdx.x];
}

// The rank of each thread's keys among those of the tile, by counting.
__global__ void rankKeys(const unsigned char *keys, int perThread, int *result) {
  __shared__ int below[KEYS], columns[KEYS][64];
  int ranks[KEYS];
  for (int k = 0; k < KEYS; ++k)
    ranks[k] = 0;
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * perThread;
  for (int i = 0; i < perThread; ++i)
    ++ranks[keys[first + i] % KEYS];

  for (int k = 0; k < KEYS; ++k)
    columns[k][threadIdx.x] = ranks[k];
  __syncthreads();
  if (threadIdx.x < KEYS) {
    int sum = 0;
    for (unsigned t = 0; t < blockDim.x; ++t) {
      const int here = columns[threadIdx.x][t];
      columns[threadIdx.x][t] = sum;
      sum += here;
    }
    below[threadIdx.x] = sum;
  }
  __syncthreads();

  for (int k = 0, sum = 0; k < KEYS; ++k) {
    ranks[k] = sum + columns[k][threadIdx.x];
    sum += below[k];
  }
  for (int i = 0; i < perThread; ++i)
    result[first + i] = ranks[keys[first + i] % KEYS]++;
}

template <class T> static unsigned long long checksum(const std::vector<T> &v) {
  unsigned long long hash = 14695981039346656037ull;
  for (T value : v)
    hash = (hash ^ static_cast<unsigned>(value)) * 1099511628211ull;
  return hash;
}

int main() {
#ifdef BANKSTRIPE_SMALL
  const int blocks = 3, perThread = 20;
#else
  const int blocks = 600, perThread = 100;
#endif
  const int bytes = blocks * 256 * perThread, tiles = bytes / 512;
  std::vector<unsigned char> keys(bytes);
  unsigned state = 21;
  for (unsigned char &key : keys) {
    state = state * 1664525u + 1013904223u;
    key = (state >> 24) * (state >> 24) >> 9;
  }

  unsigned char *dKeys;
  unsigned *dCounts;
  int *dRanks;
  CHECK(cudaMalloc(&dKeys, bytes));
  CHECK(cudaMalloc(&dCounts, blocks * KEYS * sizeof(unsigned)));
  CHECK(cudaMalloc(&dRanks, bytes * sizeof(int)));
  CHECK(cudaMemcpy(dKeys, keys.data(), bytes, cudaMemcpyHostToDevice));

  countKeys<<<blocks, 256>>>(dKeys, perThread, dCounts);
  // The first half in tiles of 32 threads, the rest in tiles of 64.
  rankKeys<<<tiles, 32>>>(dKeys, 8, dRanks);
  rankKeys<<<tiles / 2, 64>>>(dKeys + bytes / 2, 8, dRanks + bytes / 2);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  std::vector<unsigned> counts(blocks * KEYS);
  std::vector<int> ranks(bytes);
  CHECK(cudaMemcpy(counts.data(), dCounts, counts.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(ranks.data(), dRanks, ranks.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("counts %016llx\nranks  %016llx\n", checksum(counts), checksum(ranks));
  CHECK(cudaFree(dKeys));
  CHECK(cudaFree(dCounts));
  CHECK(cudaFree(dRanks));
  return 0;
}
