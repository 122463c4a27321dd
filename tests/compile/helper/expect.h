//===-- expect.h - what the tests of the helper share ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests are CUDA programs in C++11 that check themselves. They are compiled
// by nvcc and Clang, and run on the host under sanitizers, where threads take
// turns whenever one of them asks for its number. That is why values are made
// from the number anew each time: the other threads write theirs meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_COMPILE_HELPER_EXPECT_H
#define BANKSTRIPE_TESTS_COMPILE_HELPER_EXPECT_H

#include <cstdio>
#include <cuda_runtime.h>

#include "bankstripe.cuh"

// In a kernel whose parameter is `int *failed`: the last line that failed.
#define EXPECT(...)                                                            \
  do {                                                                         \
    if (!(__VA_ARGS__))                                                        \
      *failed = __LINE__;                                                      \
  } while (0)

// A value that belongs to the calling thread alone.
template <class E> __device__ E own(int i) {
  return E(bankstripe::thread() * 37 + i);
}

// 45 threads in three dimensions: two warps, one of them not full.
inline dim3 oddBlock() { return dim3(5, 3, 3); }

// 1 where something failed, or nothing ran.
inline int run(const char *name, void (*kernel)(int *), dim3 block) {
  int *failed, line = -1;
  cudaMalloc(&failed, sizeof(int));
  cudaMemset(failed, 0, sizeof(int));
  kernel<<<2, block>>>(failed);
  const cudaError_t status = cudaDeviceSynchronize();
  cudaMemcpy(&line, failed, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(failed);
  std::printf("%s: %s, line %d\n", name, cudaGetErrorString(status), line);
  return status != cudaSuccess || line != 0;
}

#define RUN(...) run(#__VA_ARGS__, __VA_ARGS__, oddBlock())

#endif // BANKSTRIPE_TESTS_COMPILE_HELPER_EXPECT_H
