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
#include <type_traits>

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
inline int run(const char *name, void (*kernel)(int *), dim3 block,
               size_t shared = 0) {
  int *failed, line = -1;
  cudaMalloc(&failed, sizeof(int));
  cudaMemset(failed, 0, sizeof(int));
  kernel<<<2, block, shared>>>(failed);
  const cudaError_t status = cudaDeviceSynchronize();
  cudaMemcpy(&line, failed, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(failed);
  std::printf("%s: %s, line %d\n", name, cudaGetErrorString(status), line);
  return status != cudaSuccess || line != 0;
}

#define RUN(...) run(#__VA_ARGS__, __VA_ARGS__, oddBlock())

// Kernels for which launches bring memory, with and without some of their own.
inline int runWithMemory(const char *name, void (*kernel)(int *),
                         int warpBytes) {
  int failures = 0;
  for (dim3 block : {dim3(1), oddBlock(), dim3(64), dim3(7, 11)})
    for (int own : {0, 16, 112})
      failures +=
          run(name, kernel, block,
              own + bankstripe::warps(block.x * block.y * block.z) * warpBytes +
                  bankstripe::detail::mark);
  return failures;
}

// A stripe, of which each S holds an E: cleared, written, initialised.
template <class S, class E> __global__ void elements(int *failed) {
  __shared__ S a[bankstripe::warps(45)][11][32];
  bankstripe::clear(a);
  for (unsigned char i = 0; i < 11; ++i)
    EXPECT(bankstripe::begin(a)[i] == E(0));
  for (int i = 0; i < 11; ++i)
    bankstripe::begin(a)[i] = own<E>(i);
  for (long i = 10; i >= 0; --i)
    EXPECT(bankstripe::begin(a)[i] == own<E>(i));
  bankstripe::initialize<11>(a, {E(3), own<E>(9)});
  EXPECT(bankstripe::begin(a)[0] == E(3) &&
         bankstripe::begin(a)[1] == own<E>(9));
  for (int i = 2; i < 11; ++i)
    EXPECT(bankstripe::begin(a)[i] == E(0));
}

#endif // BANKSTRIPE_TESTS_COMPILE_HELPER_EXPECT_H
