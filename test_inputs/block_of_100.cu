// block_of_100.cu - a block whose size is no multiple of a warp
//
// Each thread counts the decimal digits of its share of a number stream. One
// block has 100 threads, one per percent of the stream: the last warp is a
// quarter full.
//
// expect-striped: digits
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef BANKSTRIPE_SMALL
#define STREAMS 4
#define NUMBERS 40
#else
#define STREAMS 6000
#define NUMBERS 64
#endif

__global__ void countDigits(const unsigned *numbers, int perThread,
                            unsigned *mostFrequent, unsigned *zeros) {
  const int thread = blockIdx.x * 100 + threadIdx.x;

  unsigned digits[10]; // how often each digit was seen
  for (int d = 0; d < 10; ++d)
    digits[d] = 0;

  for (int n = 0; n < perThread; ++n) {
    // Neighbouring threads read neighbouring numbers.
    unsigned number = numbers[(blockIdx.x * perThread + n) * 100 + threadIdx.x];
    do {
      ++digits[number % 10];
      number /= 10;
    } while (number != 0);
  }

  int best = 0;
  for (int d = 1; d < 10; ++d)
    if (digits[d] > digits[best])
      best = d;
  mostFrequent[thread] = best << 16 | digits[best];
  zeros[thread] = digits[0];
}

static unsigned long long checksum(const std::vector<unsigned> &values) {
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned value : values)
    hash = (hash ^ value) * 1099511628211ull;
  return hash;
}

static void stopOn(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

int main() {
  std::vector<unsigned> numbers(static_cast<size_t>(STREAMS) * NUMBERS * 100);
  unsigned state = 5;
  for (unsigned &number : numbers) {
    state = state * 1664525u + 1013904223u;
    number = state >> (state >> 28); // of different lengths
  }

  const int threads = STREAMS * 100;
  unsigned *dNumbers, *dBest, *dZeros;
  stopOn(cudaMalloc(&dNumbers, numbers.size() * sizeof(unsigned)));
  stopOn(cudaMalloc(&dBest, threads * sizeof(unsigned)));
  stopOn(cudaMalloc(&dZeros, threads * sizeof(unsigned)));
  stopOn(cudaMemcpy(dNumbers, numbers.data(), numbers.size() * sizeof(unsigned),
                    cudaMemcpyHostToDevice));

  countDigits<<<STREAMS, 100>>>(dNumbers, NUMBERS, dBest, dZeros);
  stopOn(cudaGetLastError());

  std::vector<unsigned> best(threads), zeros(threads);
  stopOn(cudaMemcpy(best.data(), dBest, threads * sizeof(unsigned),
                    cudaMemcpyDeviceToHost));
  stopOn(cudaMemcpy(zeros.data(), dZeros, threads * sizeof(unsigned),
                    cudaMemcpyDeviceToHost));
  std::printf("most frequent %016llx\nzeros %016llx\n", checksum(best),
              checksum(zeros));
  stopOn(cudaFree(dNumbers));
  stopOn(cudaFree(dBest));
  stopOn(cudaFree(dZeros));
  return 0;
}
