// small_arrays.cu - a small program with two per-thread arrays
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

__global__ void countDigits(const unsigned *keys, int perThread, int *totals) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int counts[16] = {0};
  for (int i = 0; i < perThread; ++i)
    counts[keys[thread * perThread + i] & 15]++;
  for (int d = 0; d < 16; ++d)
    totals[thread * 16 + d] = counts[d];
}

__global__ void sortSmall(float *rows) {
  float values[24];
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 24; ++i) {
    const float value = rows[row * 24 + i];
    int j = i;
    for (; j > 0 && values[j - 1] > value; --j)
      values[j] = values[j - 1];
    values[j] = value;
  }
  for (int i = 0; i < 24; ++i)
    rows[row * 24 + i] = values[i];
}

int main() {
  const int threads = 1 << 16;
  unsigned *keys;
  int *totals;
  float *rows;
  cudaMalloc(&keys, threads * 64 * sizeof(unsigned));
  cudaMalloc(&totals, threads * 16 * sizeof(int));
  cudaMalloc(&rows, threads * 24 * sizeof(float));
  cudaMemset(keys, 7, threads * 64 * sizeof(unsigned));
  cudaMemset(rows, 0, threads * 24 * sizeof(float));
  countDigits<<<threads / 128, 128>>>(keys, 64, totals);
  sortSmall<<<threads / 128, 128>>>(rows);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(keys);
  cudaFree(totals);
  cudaFree(rows);
  return 0;
}
