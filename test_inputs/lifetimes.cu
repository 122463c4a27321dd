// lifetimes.cu - arrays that are never alive at the same time share their bytes
//
// They stand in blocks beside each other, in branches, and in functions that
// one kernel calls in turns. Where they are of different sizes, the second warp
// of the smaller one must not lie in what the first warp has of the larger one;
// threads are far apart, because their loops run differently often. A third
// array that is alive all the time keeps bytes of its own.
//
// expect-striped: seen order rising falling kept before after ring hits
// expect-slot: left right
// expect-sharing: seen order rising falling before after left right ring hits
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#define THREADS 128
#ifdef BANKSTRIPE_SMALL
#define BLOCKS 2
#else
#define BLOCKS 300
#endif
#define COUNT (BLOCKS * THREADS)
#define STEPS 30

// --- Two functions that one kernel calls in turns ----------------------------

__device__ unsigned count_distinct(const unsigned *in, int n) {
  unsigned seen[48] = {0};
  for (int i = 0; i < n; ++i)
    seen[in[i] % 48]++;
  unsigned distinct = 0;
  for (int i = 0; i < 48; ++i)
    distinct += seen[i] != 0;
  return distinct + 100 * seen[in[n] % 48];
}

__device__ unsigned shuffle(const unsigned *in, int n) {
  unsigned order[40];
  for (int i = 0; i < 40; ++i)
    order[i] = i;
  for (int i = 0; i < n; ++i) {
    const unsigned other = in[i] % 40, first = order[0];
    order[0] = order[other];
    order[other] = first;
  }
  return order[in[n] % 40] * 41 + order[n % 40];
}

__global__ void call_in_turns(const unsigned *in, unsigned *out, int n) {
  const int t = blockIdx.x * THREADS + threadIdx.x;
  n -= in[t] % 8;
  unsigned sum = 0;
  for (int round = 0; round < 3; ++round)
    sum = 31 * sum + count_distinct(in + t + round, n) +
          7 * shuffle(in + t + round, n);
  out[t] = sum;
}

// --- Blocks of one function --------------------------------------------------

__global__ void scopes(const unsigned *in, unsigned *out, int n) {
  const int t = blockIdx.x * THREADS + threadIdx.x;
  if (t % 7 == 3)
    return;
  unsigned result = 0;
  for (int round = 0; round < 2; ++round) {
    if (in[t + round] % 2) {
      unsigned rising[64];
      for (int i = 0; i < 64; ++i)
        rising[i] = i * round;
      for (int i = 0; i < n; ++i)
        rising[in[t + i] % 64] += i;
      result += rising[in[t] % 64];
    } else {
      unsigned falling[40] = {3, 2, 1};
      for (int i = 0; i < n; ++i)
        falling[in[t + i] % 40] -= i;
      result += falling[in[t] % 40];
    }
  }
  out[t] = result;
}

// --- An array that is alive beside two that are not alive at once ------------

__global__ void three_arrays(const unsigned *in, unsigned *out, int n) {
  const int t = blockIdx.x * THREADS + threadIdx.x;
  unsigned kept[32] = {0};
  {
    unsigned before[48];
    for (int i = 0; i < 48; ++i)
      before[i] = in[t + i] % 91;
    for (int i = 0; i < n; ++i)
      kept[in[t + i] % 32] += before[in[t + i + 1] % 48];
  }
  {
    unsigned after[40];
    for (int i = 0; i < 40; ++i)
      after[i] = kept[i % 32] + i;
    for (int i = 0; i < n; ++i)
      kept[in[t + i] % 32] ^= after[in[t + i + 2] % 40];
  }
  unsigned sum = 0;
  for (int i = 0; i < 32; ++i)
    sum = 33 * sum + kept[i];
  out[t] = sum;
}

// --- Arrays in slots: a loop runs over them as a whole -----------------------

__global__ void in_slots(const unsigned *in, unsigned *out, int n) {
  const int t = blockIdx.x * THREADS + threadIdx.x;
  n -= in[t] % 8;
  unsigned sum = 0;
  if (n > 24) {
    unsigned left[57] = {1};
    for (int i = 0; i < n; ++i)
      left[in[t + i] % 57] += i;
    for (unsigned value : left)
      sum = 3 * sum + value;
  }
  for (int round = 0; round < 2; ++round) {
    unsigned right[56] = {};
    for (int i = 0; i < n; ++i)
      right[in[t + i] % 56] += i + round;
    for (unsigned value : right)
      sum = 5 * sum + value;
  }
  out[t] = sum;
}

// --- Blocks of a size that only the run knows: launches bring the storage ----

__global__ void of_any_size(const unsigned *in, unsigned *out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  {
    unsigned ring[10];
    for (int i = 0; i < 10; ++i)
      ring[i] = i;
    for (int i = 0; i < n; ++i)
      ring[in[t + i] % 10] += ring[in[t + i + 1] % 10];
    sum = ring[in[t] % 10];
  }
  {
    unsigned hits[8] = {0};
    for (int i = 0; i < n; ++i)
      hits[in[t + i] % 8] += sum % 8;
    sum += hits[in[t + 1] % 8];
  }
  out[t] = sum;
}

static void check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

static void print(const char *name, unsigned *out) {
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  std::vector<unsigned> values(COUNT);
  check(cudaMemcpy(values.data(), out, COUNT * sizeof(unsigned),
                   cudaMemcpyDeviceToHost));
  unsigned sum = 0;
  for (unsigned value : values)
    sum = 31 * sum + value;
  std::printf("%s %u\n", name, sum);
  check(cudaMemset(out, 0, COUNT * sizeof(unsigned)));
}

int main(int argc, char **argv) {
  std::vector<unsigned> values(COUNT + THREADS);
  unsigned state = 12345;
  for (unsigned &value : values) {
    state = state * 1664525u + 1013904223u;
    value = state >> 8;
  }
  unsigned *in;
  unsigned *out;
  check(cudaMalloc(&in, values.size() * sizeof(unsigned)));
  check(cudaMalloc(&out, COUNT * sizeof(unsigned)));
  check(cudaMemcpy(in, values.data(), values.size() * sizeof(unsigned),
                   cudaMemcpyHostToDevice));
  check(cudaMemset(out, 0, COUNT * sizeof(unsigned)));

  call_in_turns<<<BLOCKS, THREADS>>>(in, out, STEPS);
  print("call_in_turns", out);
  scopes<<<BLOCKS, THREADS>>>(in, out, STEPS);
  print("scopes", out);
  three_arrays<<<BLOCKS, THREADS>>>(in, out, STEPS);
  print("three_arrays", out);
  in_slots<<<BLOCKS, THREADS>>>(in, out, STEPS);
  print("in_slots", out);
  const int threads = argc > 1 ? std::atoi(argv[1]) : 160;
  of_any_size<<<COUNT / threads, threads>>>(in, out, STEPS);
  print("of_any_size", out);

  check(cudaFree(in));
  check(cudaFree(out));
  return 0;
}
