// run_time_blocks.cu - kernels whose block is chosen when the program runs
//
// Launches ask for the storage of their per-thread arrays, whatever the block: one
// thread, a part of a warp, or the largest there is. One kernel has dynamic
// shared memory of its own, a __device__ function is reached by two kernels, a
// template by two instances.
//
// expect-striped: counts digits recent votes
// expect-slot: window
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef BANKSTRIPE_SMALL
#define BLOCKS 2
#else
#define BLOCKS 300
#endif
#define ITEMS 40
#define MOST_THREADS 1024

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

__device__ unsigned threadOf(unsigned item) {
  const unsigned inBlock = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return (blockIdx.x * MOST_THREADS + inBlock) * ITEMS + item;
}

// The most frequent of eight values.
__device__ int mode(const unsigned *values) {
  unsigned char votes[8] = {0};
  for (int i = 0; i < ITEMS; ++i)
    ++votes[values[threadOf(i)] % 8];
  int best = 0;
  for (int v = 1; v < 8; ++v)
    if (votes[v] > votes[best])
      best = v;
  return best;
}

// The reverse of a value's digits, by way of a stack.
__global__ void reverse(const unsigned *values, unsigned *results) {
  unsigned short digits[10];
  unsigned value = values[threadOf(0)];
  int top = 0;
  for (; value; value /= 10)
    digits[top++] = value % 10;
  unsigned result = 0;
  for (int i = 0; i < top; ++i)
    result = result * 10 + digits[i];
  results[threadOf(0)] = result + mode(values);
}

// Neighbours' values come by shared memory that the kernel asks for itself.
__global__ void smooth(const unsigned *values, unsigned *results) {
  extern __shared__ unsigned sums[];
  const unsigned inBlock = threadIdx.x;
  int counts[4] = {1, 2};
  for (int i = 0; i < ITEMS; ++i)
    counts[values[threadOf(i)] & 3] += i;
  sums[inBlock] = counts[values[threadOf(1)] & 3];
  __syncthreads();
  const unsigned other = inBlock ^ 1;
  results[threadOf(1)] = sums[inBlock] + (other < blockDim.x ? sums[other] : 0) +
                         counts[values[threadOf(2)] & 3] + mode(values);
}

template <class T, int Size> __global__ void last(const unsigned *values, unsigned *results) {
  T recent[Size] = {};
  for (int i = 0; i < ITEMS; ++i)
    recent[values[threadOf(i)] % Size] += i;
  results[threadOf(2 + Size)] = static_cast<unsigned>(recent[values[threadOf(3)] % Size]);
}

__device__ __noinline__ float spread(const float *window, int size);

__global__ void filter(const unsigned *values, unsigned *results) {
  float window[6];
  for (int i = 0; i < 6; ++i)
    window[i] = values[threadOf(i)] & 1023;
  for (int i = 6; i < ITEMS; ++i)
    window[i % 6] = window[values[threadOf(i)] % 6] + i;
  results[threadOf(9)] = static_cast<unsigned>(spread(window, 6));
}

__device__ __noinline__ float spread(const float *window, int size) {
  float low = window[0], high = window[0];
  for (int i = 1; i < size; ++i) {
    low = window[i] < low ? window[i] : low;
    high = window[i] > high ? window[i] : high;
  }
  return high - low;
}

static void run(dim3 block, const unsigned *values, unsigned *results) {
  const unsigned threads = block.x * block.y * block.z;
  reverse<<<BLOCKS, block>>>(values, results);
  smooth<<<dim3(BLOCKS), threads, threads * sizeof(unsigned)>>>(values, results);
  last<int, 3><<<BLOCKS, block, 0, 0>>>(values, results);
  last<double, 2><<<BLOCKS, block>>>(values, results);
  check(cudaGetLastError(), "launch");
  filter<<<BLOCKS, (threads + 1) / 2>>>(values, results);
  check(cudaGetLastError(), "filter");
}

int main() {
  const size_t count = static_cast<size_t>(BLOCKS) * MOST_THREADS * ITEMS;
  std::vector<unsigned> values(count);
  unsigned state = 11;
  for (unsigned &value : values)
    value = (state = state * 1664525u + 1013904223u) >> 3;
  unsigned *dValues, *dResults;
  check(cudaMalloc(&dValues, count * sizeof(unsigned)), "values");
  check(cudaMalloc(&dResults, count * sizeof(unsigned)), "results");
  check(cudaMemcpy(dValues, values.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice),
        "copy");
  check(cudaMemset(dResults, 0, count * sizeof(unsigned)), "clear");

  const dim3 blocks[] = {1, 2, 31, 32, 33, dim3(8, 5, 3), 256, dim3(25, 40), 1023, 1024};
  for (const dim3 &block : blocks)
    run(block, dValues, dResults);

  std::vector<unsigned> results(count);
  check(cudaMemcpy(results.data(), dResults, count * sizeof(unsigned), cudaMemcpyDeviceToHost),
        "copy");
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned result : results)
    hash = (hash ^ result) * 1099511628211ull;
  std::printf("results %016llx\n", hash);
  cudaFree(dValues), cudaFree(dResults);
  return 0;
}
