// count.cu - the program that harness_test.py rewrites, rightly and wrongly
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

template <class T> __global__ void negate(T *values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = -values[i];
}

__global__ void count(const unsigned *data, int steps, int *result) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int counts[8] = {0};
  for (int i = 0; i < steps; ++i)
    counts[data[thread] >> i & 7]++;
  unsigned sum = 0;
  for (int i = 0; i < 8; ++i)
    sum = sum * 7 + counts[i];
  result[thread] = sum;
}

int main() {
  const int threads = 4 * 96;
  unsigned host[threads];
  for (int i = 0; i < threads; ++i)
    host[i] = i * 2654435761u;
  unsigned *data;
  int *result;
  cudaMalloc(&data, sizeof host);
  cudaMalloc(&result, threads * sizeof(int));
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  count<<<threads / 96, dim3(96)>>>(data, 7, result);
  negate<int><<<(threads + 63) / 64, 64, 0>>>(result, threads);
  int sums[threads];
  cudaMemcpy(sums, result, sizeof sums, cudaMemcpyDeviceToHost);
  cudaFree(data);
  cudaFree(result);
  unsigned total = 0;
  for (int sum : sums)
    total = total * 31 + sum;
  std::printf("%08x\n", total);
  return 0;
}
