// main.cu - counts the digits of a million numbers and prints how many there are of each
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cstdio>
#include <vector>

void countAll(const unsigned *keys, int *totals, int blocks, int shift);

int main() {
  const int blocks = 128, threads = blocks * 128;
  std::vector<unsigned> keys(threads * 64);
  for (unsigned i = 0; i < keys.size(); ++i)
    keys[i] = i * 2654435761u;
  unsigned *deviceKeys;
  int *deviceTotals;
  cudaMalloc(&deviceKeys, keys.size() * sizeof(unsigned));
  cudaMalloc(&deviceTotals, threads * 16 * sizeof(int));
  cudaMemcpy(deviceKeys, keys.data(), keys.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
  countAll(deviceKeys, deviceTotals, blocks, 28);
  std::vector<int> totals(threads * 16);
  const cudaError_t error = cudaMemcpy(totals.data(), deviceTotals, totals.size() * sizeof(int),
                                       cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) {
    std::printf("CUDA says: %s\n", cudaGetErrorString(error));
    return 1;
  }
  for (int digit = 0; digit < 16; ++digit) {
    long sum = 0;
    for (int thread = 0; thread < threads; ++thread)
      sum += totals[thread * 16 + digit];
    std::printf("%2d %ld\n", digit, sum);
  }
}
