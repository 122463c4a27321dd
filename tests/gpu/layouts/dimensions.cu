//===-- dimensions.cu - do more dimensions cost more than by hand? --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

using bankstripe::warps;

// The index of each dimension comes from other bits of a number.
__device__ inline unsigned pick(unsigned Number, int Shift, unsigned Extent) {
  return (Number >> Shift) % 16 * Extent / 16;
}

template <class At>
__device__ __forceinline__ void modify(const Job &J, At Array) {
  Numbers Numbers(J);
  for (int Step = 0; Step < J.Steps; ++Step) {
    unsigned &Element = Array(Numbers.next());
    Element = Element * 5 + Step;
  }
  unsigned Sum = 0;
  for (int Step = 0; Step < 64; ++Step)
    Sum = Sum * 31 + Array(Numbers.next());
  finish(J, Sum);
}

// In two dimensions.
#define I2 pick(X, 0, 7)
#define J2 pick(X, 3, 9)
__global__ void local2(Job J) {
  unsigned A[7][9] = {};
  modify(J, [&](unsigned X) -> unsigned & { return A[I2][J2]; });
}
__global__ void accessor2(Job J) {
  __shared__ unsigned Stripes[warps(BlockSize)][7][9][32];
  bankstripe::clear(Stripes);
  const auto A = bankstripe::begin(Stripes);
  modify(J, [&](unsigned X) -> unsigned & { return A[I2][J2]; });
}
__global__ void byHand2(Job J) {
  __shared__ unsigned A[BlockSize * 63];
  unsigned *Mine = A + threadIdx.x / 32 * 63 * 32 + threadIdx.x % 32;
  for (int I = 0; I < 63; ++I)
    Mine[I * 32] = 0;
  modify(J, [&](unsigned X) -> unsigned & { return Mine[(I2 * 9 + J2) * 32]; });
}

// In three.
#define I3 pick(X, 0, 3)
#define J3 pick(X, 3, 5)
#define K3 pick(X, 6, 4)
__global__ void local3(Job J) {
  unsigned A[3][5][4] = {};
  modify(J, [&](unsigned X) -> unsigned & { return A[I3][J3][K3]; });
}
__global__ void accessor3(Job J) {
  __shared__ unsigned Stripes[warps(BlockSize)][3][5][4][32];
  bankstripe::clear(Stripes);
  const auto A = bankstripe::begin(Stripes);
  modify(J, [&](unsigned X) -> unsigned & { return A[I3][J3][K3]; });
}
__global__ void byHand3(Job J) {
  __shared__ unsigned A[BlockSize * 60];
  unsigned *Mine = A + threadIdx.x / 32 * 60 * 32 + threadIdx.x % 32;
  for (int I = 0; I < 60; ++I)
    Mine[I * 32] = 0;
  modify(J, [&](unsigned X) -> unsigned & {
    return Mine[((I3 * 5 + J3) * 4 + K3) * 32];
  });
}

// In five.
#define I5 pick(X, 0, 2)
#define J5 pick(X, 3, 3)
#define K5 pick(X, 6, 2)
#define L5 pick(X, 9, 3)
#define M5 pick(X, 12, 2)
__global__ void local5(Job J) {
  unsigned A[2][3][2][3][2] = {};
  modify(J, [&](unsigned X) -> unsigned & { return A[I5][J5][K5][L5][M5]; });
}
__global__ void accessor5(Job J) {
  __shared__ unsigned Stripes[warps(BlockSize)][2][3][2][3][2][32];
  bankstripe::clear(Stripes);
  const auto A = bankstripe::begin(Stripes);
  modify(J, [&](unsigned X) -> unsigned & { return A[I5][J5][K5][L5][M5]; });
}
__global__ void byHand5(Job J) {
  __shared__ unsigned A[BlockSize * 72];
  unsigned *Mine = A + threadIdx.x / 32 * 72 * 32 + threadIdx.x % 32;
  for (int I = 0; I < 72; ++I)
    Mine[I * 32] = 0;
  modify(J, [&](unsigned X) -> unsigned & {
    return Mine[((((I5 * 3 + J5) * 2 + K5) * 3 + L5) * 2 + M5) * 32];
  });
}

int main() {
  Bench B("dimensions");
  for (Pattern P : {Pattern::Uniform, Pattern::Random}) {
    B.compare(
        "u32[7][9]", P, 512, 0,
        {{"local", local2}, {"accessor", accessor2}, {"by hand", byHand2}});
    B.compare(
        "u32[3][5][4]", P, 512, 0,
        {{"local", local3}, {"accessor", accessor3}, {"by hand", byHand3}});
    B.compare(
        "u32[2][3][2][3][2]", P, 512, 0,
        {{"local", local5}, {"accessor", accessor5}, {"by hand", byHand5}});
  }
  return B.status();
}
