// launch_beyond.cu - a launch with more threads than the kernel is meant for
//
// The block size comes from the command line, so the tool is told a bound with
// --block-size=128 and writes it into the kernel. Within the bound both forms
// compute the same. Beyond it the rewritten kernel must not start at all: the
// launch is reported as an error and no byte of memory changes.
//
//     launch_beyond THREADS     0: computed, 3: launch refused, memory intact,
//                               1: anything else
//
// expect-striped: counts
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void countNibbles(const unsigned *words, int perThread, int *result) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int counts[16] = {0};
  for (int i = 0; i < perThread; ++i) {
    unsigned word = words[thread * perThread + i];
    for (; word != 0; word >>= 4)
      ++counts[word & 15];
  }
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    sum = sum * 5 % 1000003 + counts[i];
  result[thread] = sum;
}

static void check(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(1);
  }
}

int main(int argc, char **argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 128;
  const int blocks = 200, perThread = 8;
  const size_t results = static_cast<size_t>(blocks) * threads;
  std::vector<unsigned> words(results * perThread);
  unsigned state = 44;
  for (unsigned &word : words)
    word = state = state * 1664525u + 1013904223u;

  // A guard on either side of the results.
  const int untouched = 0x6b6b6b6b;
  const size_t guard = 4096, total = results + 2 * guard;
  unsigned *dWords;
  int *dResult;
  check(cudaMalloc(&dWords, words.size() * sizeof(unsigned)));
  check(cudaMalloc(&dResult, total * sizeof(int)));
  check(cudaMemcpy(dWords, words.data(), words.size() * sizeof(unsigned),
                   cudaMemcpyHostToDevice));
  check(cudaMemset(dResult, untouched & 255, total * sizeof(int)));

  countNibbles<<<blocks, threads>>>(dWords, perThread, dResult + guard);
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t finished = cudaDeviceSynchronize();
  std::printf("launch: %s\n", cudaGetErrorName(launched));
  check(finished); // a refused launch leaves the context usable

  std::vector<int> result(total);
  std::vector<unsigned> wordsAfter(words.size());
  check(cudaMemcpy(result.data(), dResult, total * sizeof(int), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(wordsAfter.data(), dWords, words.size() * sizeof(unsigned),
                   cudaMemcpyDeviceToHost));
  bool guardsIntact = wordsAfter == words, resultIntact = true;
  unsigned long long hash = 14695981039346656037ull;
  for (size_t i = 0; i < total; ++i) {
    const bool inGuard = i < guard || i >= guard + results;
    (inGuard ? guardsIntact : resultIntact) &= result[i] == untouched;
    hash = (hash ^ static_cast<unsigned>(result[i])) * 1099511628211ull;
  }
  std::printf("guards %s, results %s, %016llx\n", guardsIntact ? "intact" : "OVERWRITTEN",
              resultIntact ? "intact" : "written", hash);
  check(cudaFree(dWords));
  check(cudaFree(dResult));
  if (!guardsIntact)
    return 1;
  if (launched != cudaSuccess)
    return resultIntact ? 3 : 1;
  return resultIntact ? 1 : 0;
}
