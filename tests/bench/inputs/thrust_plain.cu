// thrust_plain.cu - a program that uses thrust, without per-thread arrays
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

__global__ void scale(float *values, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] *= factor;
}

int main() {
  thrust::device_vector<float> values(1 << 20, 1.0f);
  const int count = static_cast<int>(values.size());
  scale<<<(count + 255) / 256, 256>>>(thrust::raw_pointer_cast(values.data()), count, 3.0f);
  thrust::sort(values.begin(), values.end());
  std::printf("%f\n", thrust::reduce(values.begin(), values.end()));
  return 0;
}
