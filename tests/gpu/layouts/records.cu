//===-- records.cu - how should elements lie that are structs? ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

using bankstripe::warps;

constexpr int N = 8;

template <int Words> struct Record {
  unsigned First, Second;
  unsigned Others[Words - 2];
};
template <> struct Record<2> {
  unsigned First, Second;
};

// Two of the fields are used.
template <class First, class Second, class Swap>
__device__ __forceinline__ void fields(const Job &J, First A, Second B, Swap) {
  Numbers Numbers(J);
  for (int Step = 0; Step < J.Steps; ++Step) {
    const unsigned I = Numbers.next() % N;
    A(I) += Step;
    B(I) ^= A(I);
  }
}

// Whole elements change places, as in sorting.
template <class First, class Second, class Swap>
__device__ __forceinline__ void swaps(const Job &J, First, Second, Swap S) {
  Numbers Numbers(J);
  for (int Step = 0; Step < J.Steps; ++Step) {
    const unsigned Number = Numbers.next();
    S(Number % N, Number / N % N);
  }
}

template <bool Whole, class First, class Second, class Swap>
__device__ __forceinline__ void run(const Job &J, First A, Second B, Swap S) {
  for (int I = 0; I < N; ++I) {
    A(I) = I;
    B(I) = I + 1;
  }
  if (Whole)
    swaps(J, A, B, S);
  else
    fields(J, A, B, S);
  unsigned Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum = Sum * 31 + A(I) * 7 + B(I);
  finish(J, Sum);
}

template <int Words, bool Whole, class At>
__device__ __forceinline__ void runRecords(const Job &J, At Array) {
  for (int I = 0; I < N; ++I)
    Array(I) = Record<Words>();
  run<Whole>(
      J, [&](unsigned I) -> unsigned & { return Array(I).First; },
      [&](unsigned I) -> unsigned & { return Array(I).Second; },
      [&](unsigned I, unsigned K) {
        const Record<Words> Saved = Array(I);
        Array(I) = Array(K);
        Array(K) = Saved;
      });
}

template <int Words, bool Whole> __global__ void local(Job J) {
  Record<Words> Array[N];
  runRecords<Words, Whole>(
      J, [&](unsigned I) -> Record<Words> & { return Array[I]; });
}
template <int Words, bool Whole> __global__ void plain(Job J) {
  __shared__ Record<Words> Array[warps(BlockSize)][N][32];
  runRecords<Words, Whole>(J, [&](unsigned I) -> Record<Words> & {
    return bankstripe::begin(Array)[I];
  });
}
template <int Words, bool Whole> __global__ void padded(Job J) {
  __shared__ bankstripe::padded<Record<Words>> Array[warps(BlockSize)][N][32];
  runRecords<Words, Whole>(J, [&](unsigned I) -> Record<Words> & {
    return bankstripe::begin(Array)[I];
  });
}
template <int Words, bool Whole> __global__ void slot(Job J) {
  __shared__ bankstripe::slots<Record<Words>[N], BlockSize> Slots;
  Record<Words>(&Array)[N] = Slots.mine();
  runRecords<Words, Whole>(
      J, [&](unsigned I) -> Record<Words> & { return Array[I]; });
}
// A stripe for each field.
template <int Words, bool Whole> __global__ void split(Job J) {
  __shared__ unsigned Array[warps(BlockSize)][Words][N][32];
  bankstripe::clear(Array);
  run<Whole>(
      J,
      [&](unsigned I) -> unsigned & { return bankstripe::begin(Array)[0][I]; },
      [&](unsigned I) -> unsigned & { return bankstripe::begin(Array)[1][I]; },
      [&](unsigned I, unsigned K) {
        unsigned Saved[Words];
        for (int Field = 0; Field < Words; ++Field)
          Saved[Field] = bankstripe::begin(Array)[Field][I];
        for (int Field = 0; Field < Words; ++Field)
          bankstripe::begin(Array)[Field][I] =
              bankstripe::begin(Array)[Field][K];
        for (int Field = 0; Field < Words; ++Field)
          bankstripe::begin(Array)[Field][K] = Saved[Field];
      });
}

template <int Words, bool Whole> static void compare(Bench &B) {
  const std::string Case = std::to_string(4 * Words) + " bytes, " +
                           (Whole ? "whole elements" : "two fields");
  for (Pattern P : {Pattern::Uniform, Pattern::Random})
    B.compare(Case, P, 256, 0,
              {{"local", local<Words, Whole>},
               {"plain", plain<Words, Whole>},
               {"padded", padded<Words, Whole>},
               {"split", split<Words, Whole>},
               {"slot", slot<Words, Whole>}});
}

int main() {
  Bench B("records");
  compare<2, false>(B);
  compare<3, false>(B);
  compare<4, false>(B);
  compare<6, false>(B);
  compare<8, false>(B);
  compare<2, true>(B);
  compare<3, true>(B);
  compare<4, true>(B);
  compare<6, true>(B);
  compare<8, true>(B);
  return B.status();
}
