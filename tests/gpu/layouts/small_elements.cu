//===-- small_elements.cu - which form for elements of one or two bytes? --===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

using bankstripe::warps;

// What is done with the array; each takes a function that clears it and one
// that names an element.

// The histogram of a window, over and over.
struct Counters {
  static constexpr int N = 16;
  template <class E, class Clear, class At>
  static __device__ __forceinline__ unsigned run(const Job &J, Clear Reset,
                                                 At Array) {
    Numbers Numbers(J);
    unsigned Sum = 0;
    for (int Round = 0; Round < J.Steps / 64; ++Round) {
      Reset();
      for (int Step = 0; Step < J.Count; ++Step)
        ++Array(Numbers.next() % N);
      for (int I = 0; I < N; ++I)
        Sum = Sum * 31 + Array(I) * Array(I);
    }
    return Sum;
  }
};

// A depth-first search that goes down or up by chance.
struct Stack {
  static constexpr int N = 20;
  template <class E, class Clear, class At>
  static __device__ __forceinline__ unsigned run(const Job &J, Clear,
                                                 At Array) {
    Numbers Numbers(J);
    unsigned Sum = 0;
    int Top = 0;
    for (int Step = 0; Step < J.Steps; ++Step) {
      const unsigned Number = Numbers.next();
      if (Top == 0 || (Top < N && Number % 2))
        Array(Top++) = static_cast<E>(Number >> 1);
      else
        Sum = Sum * 31 + Array(--Top);
    }
    return Sum;
  }
};

// From the first element to the last.
struct Sweep {
  static constexpr int N = 64;
  template <class E, class Clear, class At>
  static __device__ __forceinline__ unsigned run(const Job &J, Clear Reset,
                                                 At Array) {
    Numbers Numbers(J);
    unsigned Sum = 0;
    Reset();
    for (int Round = 0; Round < J.Steps / 64; ++Round)
      for (int I = 0; I < J.Count; ++I) {
        E &Element = Array(I);
        Element = static_cast<E>(Element * 3 + Numbers.next());
        Sum = Sum * 31 + Element;
      }
    return Sum;
  }
};

template <class Work, class E> __global__ void local(Job J) {
  E Array[Work::N];
  finish(J, Work::template run<E>(
                J,
                [&] {
                  for (int I = 0; I < Work::N; ++I)
                    Array[I] = 0;
                },
                [&](unsigned I) -> E & { return Array[I]; }));
}
template <class Work, class E, class Storage>
__device__ __forceinline__ void inStripe(const Job &J, Storage &Array) {
  finish(J,
         Work::template run<E>(
             J, [&] { bankstripe::clear(Array); },
             [&](unsigned I) -> E & { return bankstripe::begin(Array)[I]; }));
}
template <class Work, class E> __global__ void word(Job J) {
  __shared__ bankstripe::word<E> Array[warps(BlockSize)][Work::N][32];
  inStripe<Work, E>(J, Array);
}
template <class Work, class E> __global__ void unpacked(Job J) {
  __shared__ E Array[warps(BlockSize)][Work::N][32];
  inStripe<Work, E>(J, Array);
}
template <class Work, class E> __global__ void packed(Job J) {
  __shared__ bankstripe::packed<E>
      Array[warps(BlockSize)][bankstripe::packed_words<E>(Work::N)][32];
  inStripe<Work, E>(J, Array);
}
template <class Work, class E> __global__ void slot(Job J) {
  __shared__ bankstripe::slots<E[Work::N], BlockSize> Slots;
  E(&Array)[Work::N] = Slots.mine();
  finish(J, Work::template run<E>(
                J, [&] { bankstripe::clear_slot(Array); },
                [&](unsigned I) -> E & { return Array[I]; }));
}

template <class Work, class E>
static void compare(Bench &B, const char *Case, int Count,
                    std::initializer_list<Pattern> Patterns) {
  for (Pattern P : Patterns)
    B.compare(Case, P, 512, Count,
              {{"local", local<Work, E>},
               {"word", word<Work, E>},
               {"unpacked", unpacked<Work, E>},
               {"packed", packed<Work, E>},
               {"slot", slot<Work, E>}});
}

int main() {
  Bench B("small_elements");
  const auto Both = {Pattern::Uniform, Pattern::Random};
  compare<Counters, unsigned char>(B, "counters, u8[16]", 64, Both);
  compare<Counters, unsigned short>(B, "counters, u16[16]", 64, Both);
  compare<Stack, unsigned char>(B, "stack, u8[20]", 0, Both);
  compare<Stack, unsigned short>(B, "stack, u16[20]", 0, Both);
  compare<Sweep, unsigned char>(B, "sweep, u8[64]", 64, {Pattern::Uniform});
  compare<Sweep, unsigned short>(B, "sweep, u16[64]", 64, {Pattern::Uniform});
  return B.status();
}
