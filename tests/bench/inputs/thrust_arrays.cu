// thrust_arrays.cu - a program that uses thrust, with a per-thread array
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

__global__ void modes(const unsigned *keys, int perThread, unsigned *result) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned counts[16] = {0};
  for (int i = 0; i < perThread; ++i)
    counts[keys[thread * perThread + i] & 15]++;
  unsigned best = 0;
  for (unsigned d = 1; d < 16; ++d)
    best = counts[d] > counts[best] ? d : best;
  result[thread] = best;
}

int main() {
  thrust::device_vector<unsigned> keys(1 << 20, 5u), result(1 << 14);
  modes<<<128, 128>>>(thrust::raw_pointer_cast(keys.data()), 64,
                      thrust::raw_pointer_cast(result.data()));
  thrust::sort(result.begin(), result.end());
  std::printf("%u\n", thrust::reduce(result.begin(), result.end()));
  return 0;
}
