//===-- slots.cu - what does contiguity cost? -----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pattern `falling` is made against slots: where the next lane asks for the
// element before, the padding that keeps equal indices apart brings all lanes
// into one bank.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

// Read, modify, write.
template <class E, int N, class At>
__device__ __forceinline__ void modify(const Job &J, At Array) {
  for (int I = 0; I < N; ++I)
    Array(I) = E(I);
  Numbers Numbers(J);
  for (int Step = 0; Step < J.Steps; ++Step) {
    E &Element = Array(Numbers.next() % N);
    Element = Element / 2 + E(Step);
  }
  unsigned Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum = Sum * 31 + static_cast<unsigned>(Array(I));
  finish(J, Sum);
}

template <class E, int N> __global__ void local(Job J) {
  E Array[N];
  modify<E, N>(J, [&](unsigned I) -> E & { return Array[I]; });
}
template <class E, int N> __global__ void stripe(Job J) {
  __shared__ E Array[bankstripe::warps(BlockSize)][N][32];
  modify<E, N>(J,
               [&](unsigned I) -> E & { return bankstripe::begin(Array)[I]; });
}
template <class E, int N> __global__ void slot(Job J) {
  __shared__ bankstripe::slots<E[N], BlockSize> Slots;
  E(&Array)[N] = Slots.mine();
  modify<E, N>(J, [&](unsigned I) -> E & { return Array[I]; });
}

template <class E, int N> static void compare(Bench &B, const char *Case) {
  for (Pattern P :
       {Pattern::Uniform, Pattern::Random, Pattern::Rising, Pattern::Falling})
    B.compare(Case, P, 512, 0,
              {{"local", local<E, N>},
               {"stripe", stripe<E, N>},
               {"slot", slot<E, N>}});
}

int main() {
  Bench B("slots");
  compare<unsigned, 4>(B, "u32[4]");
  compare<unsigned, 8>(B, "u32[8]");
  compare<unsigned, 16>(B, "u32[16]");
  compare<unsigned, 32>(B, "u32[32]");
  compare<unsigned, 64>(B, "u32[64]");
  compare<double, 32>(B, "f64[32]");
  return B.status();
}
