//===-- callees.cu - what does an accessor cost as a parameter? -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

using bankstripe::pointer;

constexpr int N = 32;

// The callees, as templates of the parameter's type. By hand, a column is a
// pointer whose elements are 32 apart.
struct Column {
  int *First;
  __device__ int &operator[](int I) const { return First[I * 32]; }
};

struct Sum {
  template <class Array>
  static __device__ __forceinline__ int body(Array A, int Count) {
    int Sum = 0;
    for (int I = 0; I < Count; ++I)
      Sum = Sum * 3 + A[I];
    return Sum;
  }
  static constexpr int PerRound = 32;
};

struct Walk {
  template <class Array>
  static __device__ __forceinline__ int body(Array A, int Count) {
    int Sum = 0;
    for (const Array End = A + Count; A != End; ++A)
      Sum = Sum * 3 + *A;
    return Sum;
  }
  static __device__ __forceinline__ int body(Column C, int Count) {
    int Sum = 0;
    for (int *P = C.First, *End = P + Count * 32; P != End; P += 32)
      Sum = Sum * 3 + *P;
    return Sum;
  }
  static constexpr int PerRound = 32;
};

struct Sort {
  template <class Array>
  static __device__ __forceinline__ int body(Array A, int Count) {
    for (int I = 1; I < Count; ++I) {
      const int Value = A[I];
      int K = I;
      for (; K > 0 && A[K - 1] > Value; --K)
        A[K] = A[K - 1];
      A[K] = Value;
    }
    return A[Count / 2];
  }
  static constexpr int PerRound = 128;
};

template <class Callee, class Array>
__device__ __noinline__ int outOfLine(Array A, int Count) {
  return Callee::body(A, Count);
}

template <class Callee, bool Inline, class Array>
__device__ __forceinline__ void run(const Job &J, Array A) {
  Numbers Numbers(J);
  unsigned Result = 0;
  for (int Round = 0; Round < J.Steps / Callee::PerRound; ++Round) {
    for (int I = 0; I < J.Count; ++I)
      A[I] = static_cast<int>(Numbers.next() % 1024);
    Result = Result * 31 + (Inline ? Callee::body(A, J.Count)
                                   : outOfLine<Callee>(A, J.Count));
  }
  finish(J, Result);
}

template <class Callee, bool Inline> __global__ void local(Job J) {
  int Array[N];
  run<Callee, Inline, int *>(J, Array);
}
template <class Callee, bool Inline> __global__ void accessor(Job J) {
  __shared__ int Array[bankstripe::warps(BlockSize)][N][32];
  run<Callee, Inline>(J, bankstripe::begin(Array));
}
template <class Callee, bool Inline> __global__ void byHand(Job J) {
  __shared__ int Array[BlockSize / 32 * N * 32];
  run<Callee, Inline>(
      J, Column{Array + threadIdx.x / 32 * N * 32 + threadIdx.x % 32});
}
template <class Callee, bool Inline> __global__ void slot(Job J) {
  __shared__ bankstripe::slots<int[N], BlockSize> Slots;
  int (&Array)[N] = Slots.mine();
  run<Callee, Inline, int *>(J, Array);
}

template <class Callee, bool Inline>
static void compare(Bench &B, const std::string &Case) {
  for (Pattern P : {Pattern::Uniform, Pattern::Random})
    B.compare(Case + (Inline ? ", inlined" : ", called"), P, 1024, N,
              {{"local", local<Callee, Inline>},
               {"accessor", accessor<Callee, Inline>},
               {"by hand", byHand<Callee, Inline>},
               {"slot", slot<Callee, Inline>}});
}

int main() {
  Bench B("callees");
  compare<Sum, true>(B, "sum, subscripts");
  compare<Walk, true>(B, "sum, walking");
  compare<Sort, true>(B, "insertion sort");
  compare<Sum, false>(B, "sum, subscripts");
  compare<Walk, false>(B, "sum, walking");
  compare<Sort, false>(B, "insertion sort");
  return B.status();
}
