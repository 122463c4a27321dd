// every_block_size.cu - blocks of 1, 2, 3 and so on to 1,024 threads
//
// Stripes and slots that launches ask for, sized for the block, and such that the
// kernel has itself, sized for the largest block that it allows. Each launch
// goes on from what the ones before left, so that none can be wrong unnoticed.
//
// expect-striped: digits votes recent
// expect-slot: window polygon
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

// Threads of a host are slow.
#ifdef BANKSTRIPE_SMALL
#define STEP 341
#else
#define STEP 1
#endif
#define BLOCKS 2
#define MOST_THREADS 1024

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

__device__ unsigned random(unsigned seed) {
  seed = (seed ^ 61) ^ (seed >> 16);
  seed = (seed + (seed << 3)) * 0x27d4eb2d;
  return seed ^ (seed >> 15);
}

__device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ void note(unsigned *results, unsigned result) {
  results[thread()] = results[thread()] * 31 + result;
}

// How often one digit stands in twelve numbers.
__global__ void count(unsigned *results) {
  unsigned digits[10] = {};
  for (unsigned i = 0; i < 12; ++i)
    for (unsigned value = random(thread() * 12 + i); value; value /= 10)
      ++digits[value % 10];
  note(results, digits[random(thread()) % 10]);
}

// The most frequent of eight values, in bytes.
__global__ void mode(unsigned *results) {
  unsigned char votes[8] = {0};
  for (unsigned i = 0; i < 20; ++i)
    ++votes[random(thread() + 77 * i) % 8];
  unsigned best = 0;
  for (unsigned v = 1; v < 8; ++v)
    if (votes[v] > votes[best])
      best = v;
  note(results, best);
}

struct Window {
  float values[9];

  __device__ __noinline__ float spread() const {
    float low = values[0], high = values[0];
    for (float value : values) {
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    return high - low;
  }
};

__global__ void filter(unsigned *results) {
  Window window;
  for (unsigned i = 0; i < 30; ++i)
    window.values[i < 9 ? i : random(thread() + i) % 9] = random(thread() * 3 + i) & 1023;
  note(results, static_cast<unsigned>(window.spread()));
}

// Static storage: what the kernel allows is known.
__global__ void __launch_bounds__(MOST_THREADS) echo(unsigned *results) {
  unsigned short recent[9] = {5, 6, 7};
  for (unsigned i = 0; i < 20; ++i)
    recent[random(thread() * 5 + i) % 9] += recent[random(thread() + i) % 9] + i;
  note(results, recent[random(thread()) % 9]);
}

struct Polygon {
  float2 corners[4];

  __device__ __noinline__ float twiceTheArea() const {
    float twice = 0;
    for (int i = 0; i < 4; ++i) {
      const float2 a = corners[i], b = corners[(i + 1) % 4];
      twice += a.x * b.y - b.x * a.y;
    }
    return twice;
  }
};

__global__ void __launch_bounds__(MOST_THREADS) area(unsigned *results) {
  Polygon polygon;
  for (unsigned i = 0; i < 12; ++i) {
    const unsigned value = random(thread() * 12 + i);
    polygon.corners[i < 4 ? i : value % 4] =
        make_float2(static_cast<float>(value & 255), static_cast<float>(value >> 8 & 255));
  }
  note(results, static_cast<unsigned>(static_cast<int>(polygon.twiceTheArea())));
}

int main() {
  const size_t words = BLOCKS * MOST_THREADS;
  unsigned *results;
  check(cudaMalloc(&results, words * sizeof(unsigned)), "results");
  check(cudaMemset(results, 0, words * sizeof(unsigned)), "clear");

  for (unsigned threads = 1; threads <= MOST_THREADS; threads += STEP) {
    count<<<BLOCKS, threads>>>(results);
    mode<<<BLOCKS, threads>>>(results);
    filter<<<BLOCKS, threads>>>(results);
    echo<<<BLOCKS, threads>>>(results);
    area<<<BLOCKS, threads>>>(results);
    check(cudaGetLastError(), "launch");
  }

  std::vector<unsigned> all(words);
  check(cudaMemcpy(all.data(), results, words * sizeof(unsigned), cudaMemcpyDeviceToHost), "copy");
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned result : all)
    hash = (hash ^ result) * 1099511628211ull;
  std::printf("results %016llx\n", hash);
  cudaFree(results);
  return 0;
}
