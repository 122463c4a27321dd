//===-- tables.cu - where should a table live that nobody writes? ---------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

// Initialisers for 8, 16, 64 and 256 entries.
#define V1(I) ((I) + 7) * ((I) + 3) % 251
#define V4(I) V1(I), V1(I + 1), V1(I + 2), V1(I + 3)
#define V8(I) V4(I), V4(I + 4)
#define V16(I) V8(I), V8(I + 8)
#define V64(I) V16(I), V16(I + 16), V16(I + 32), V16(I + 48)
#define V256(I) V64(I), V64(I + 64), V64(I + 128), V64(I + 192)

template <int N, class At>
__device__ __forceinline__ void lookUp(const Job &J, At Table) {
  Numbers Numbers(J);
  unsigned Sum = 0;
  for (int Step = 0; Step < J.Steps; ++Step)
    Sum = Sum * 31 + static_cast<unsigned>(Table(Numbers.next() % N));
  finish(J, Sum);
}

#define KERNELS(T, N)                                                          \
  __global__ void local_##T##N(Job J) {                                        \
    T Table[N] = {V##N(0)};                                                    \
    lookUp<N>(J, [&](unsigned I) { return Table[I]; });                        \
  }                                                                            \
  __global__ void static_##T##N(Job J) {                                       \
    static const T Table[N] = {V##N(0)};                                       \
    lookUp<N>(J, [&](unsigned I) { return Table[I]; });                        \
  }                                                                            \
  __constant__ const T constant_table_##T##N[N] = {V##N(0)};                   \
  __global__ void constant_##T##N(Job J) {                                     \
    lookUp<N>(J, [&](unsigned I) { return constant_table_##T##N[I]; });        \
  }                                                                            \
  __global__ void shared_##T##N(Job J) {                                       \
    static const T Values[N] = {V##N(0)};                                      \
    __shared__ T Table[N];                                                     \
    for (int I = threadIdx.x; I < N; I += BlockSize)                           \
      Table[I] = Values[I];                                                    \
    __syncthreads();                                                           \
    lookUp<N>(J, [&](unsigned I) { return Table[I]; });                        \
  }
#define STRIPE(T, N)                                                           \
  __global__ void stripe_##T##N(Job J) {                                       \
    __shared__ T Table[bankstripe::warps(BlockSize)][N][32];                   \
    bankstripe::initialize<N>(Table, {V##N(0)});                               \
    lookUp<N>(J, [&](unsigned I) { return bankstripe::begin(Table)[I]; });     \
  }

KERNELS(int, 8)
KERNELS(int, 16)
KERNELS(int, 64)
KERNELS(int, 256)
KERNELS(float, 16)
STRIPE(int, 8)
STRIPE(int, 16)
STRIPE(int, 64)
STRIPE(float, 16)

#define VARIANTS(T, N)                                                         \
  {"local", local_##T##N}, {"static const", static_##T##N},                    \
      {"__constant__", constant_##T##N}, {                                     \
    "shared copy", shared_##T##N                                               \
  }

int main() {
  Bench B("tables");
  for (int Steps : {16, 512})
    for (Pattern P : {Pattern::Uniform, Pattern::Random}) {
      const std::string Case = ", " + std::to_string(Steps) + " look-ups";
      B.compare("int[8]" + Case, P, Steps, 0,
                {VARIANTS(int, 8), {"stripe", stripe_int8}});
      B.compare("int[16]" + Case, P, Steps, 0,
                {VARIANTS(int, 16), {"stripe", stripe_int16}});
      B.compare("float[16]" + Case, P, Steps, 0,
                {VARIANTS(float, 16), {"stripe", stripe_float16}});
      B.compare("int[64]" + Case, P, Steps, 0,
                {VARIANTS(int, 64), {"stripe", stripe_int64}});
      // A stripe of 256 words takes more than 48 KB.
      B.compare("int[256]" + Case, P, Steps, 0, {VARIANTS(int, 256)});
    }
  return B.status();
}
