// rows_other.cu - launches in another file than the kernels and their rows
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// As a file does that itself is included like that.
#pragma pack(1)
extern "C" {
#include "bankstripe_launch.cuh"
}
#pragma pack()

#include "rows.cuh"

__global__ void sum(const int *in, int *out, int n);
extern "C" __global__ void with_c_name(int *);
namespace space {
__global__ void inner(int *);
}

void launch_sum(unsigned blocks, unsigned threads, size_t bytes,
                cudaStream_t stream) {
  sum<<<blocks, threads, bytes, stream>>>(nullptr, nullptr, 42);
}
void launch_sum_by_pointer() {
  void (*kernel)(const int *, int *, int) = sum;
  kernel<<<1, 32>>>(nullptr, nullptr, 42);
}
void launch_with_c_name() { with_c_name<<<1, 32>>>(nullptr); }
void launch_inner() { space::inner<<<1, 32>>>(nullptr); }
void launch_in_header() { in_header<<<1, 32>>>(nullptr); }
// An instance that the other file has too, and one of this file's own.
void launch_typed() { space::typed<<<1, 32>>>((int *)nullptr, 1); }
void launch_own_typed() { space::typed<<<1, 32>>>((long *)nullptr, 1); }
