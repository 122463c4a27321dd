// choices.cu - launches that choose between a kernel and its version
//
// Each kernel is launched often, so that the program can time both forms of it:
// with blocks of one size and of several, in streams, from a template whose text
// launches two instances, and with dynamic shared memory of its own. One launch
// counts its blocks while it is made.
//
// rewrite-options: --choose --shared-limit=232448
// expect-striped: counts part order
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef BANKSTRIPE_SMALL
#define THREADS 256
#define ROUNDS 3
#else
#define THREADS (1 << 16)
#define ROUNDS 60
#endif
#define ITEMS 24

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

__global__ void countDigits(const unsigned *values, unsigned *results) {
  int counts[16] = {0};
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < ITEMS; ++i)
    for (int shift = 0; shift < 32; shift += 4)
      ++counts[(values[thread * ITEMS + i] >> shift) & 15];
  unsigned sum = 0;
  for (int digit = 0; digit < 16; ++digit)
    sum = sum * 31 + counts[digit];
  results[thread * ITEMS] = sum;
}

// Its blocks have sizes that nobody knows.
template <int Size>
__global__ void exchange(const unsigned *values, unsigned *results, int rounds) {
  extern __shared__ unsigned ends[];
  unsigned part[Size];
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < Size; ++i)
    part[i] = values[thread * ITEMS + i];
  for (int round = 0; round < rounds; ++round) {
    const unsigned at = part[round % Size] % Size, with = part[(round + 1) % Size] % Size;
    const unsigned kept = part[at];
    part[at] = part[with] + round;
    part[with] = kept;
  }
  ends[threadIdx.x] = part[Size - 1];
  __syncthreads();
  for (int i = 0; i < Size; ++i)
    results[thread * ITEMS + 1 + i] = part[i] + ends[blockDim.x - 1 - threadIdx.x];
}

__global__ void shuffle(const unsigned *values, unsigned *results) {
  unsigned char order[8];
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 8; ++i)
    order[i] = i;
  for (int i = 0; i < 8; ++i) {
    const unsigned with = values[thread * ITEMS + i] % 8;
    const unsigned char kept = order[i];
    order[i] = order[with];
    order[with] = kept;
  }
  results[thread * ITEMS + 23] = order[0] * 64 + order[values[thread * ITEMS] % 8];
}

static int blocksFor(int threads, int block) { return (threads + block - 1) / block; }

template <int Size>
static void exchangeAll(const unsigned *values, unsigned *results, int block, cudaStream_t stream) {
  exchange<Size><<<blocksFor(THREADS, block), block, block * sizeof(unsigned), stream>>>(
      values, results, 40);
}

int main() {
  const size_t count = static_cast<size_t>(THREADS) * ITEMS;
  std::vector<unsigned> values(count);
  unsigned state = 5;
  for (unsigned &value : values)
    value = (state = state * 1664525u + 1013904223u) >> 3;
  unsigned *dValues, *dResults;
  check(cudaMalloc(&dValues, count * sizeof(unsigned)), "values");
  check(cudaMalloc(&dResults, count * sizeof(unsigned)), "results");
  check(cudaMemcpy(dValues, values.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice),
        "copy");
  check(cudaMemset(dResults, 0, count * sizeof(unsigned)), "clear");

  const int blocks[] = {64, 128, 256};
  int launches = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    countDigits<<<THREADS / 128, 128>>>(dValues, dResults);
    exchangeAll<16>(dValues, dResults, blocks[round % 3], 0);
    exchangeAll<20>(dValues, dResults, 64, 0);
    shuffle<<<THREADS / 64 - (launches++ & 1), 64>>>(dValues, dResults);
    check(cudaDeviceSynchronize(), "launch");
  }

  std::vector<unsigned> results(count);
  check(cudaMemcpy(results.data(), dResults, count * sizeof(unsigned), cudaMemcpyDeviceToHost),
        "copy");
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned result : results)
    hash = (hash ^ result) * 1099511628211ull;
  std::printf("%d launches, results %016llx\n", launches, hash);
  cudaFree(dValues), cudaFree(dResults);
  return 0;
}
