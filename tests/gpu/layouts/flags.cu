//===-- flags.cu - where should small sets of flags live? -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `visit` tests and flips one flag in each step, `count` also sums all of them
// every 64 steps. With `loads` a step reads a table that the L1 can hold, so
// that what the flags take of it counts as well.
//
//===----------------------------------------------------------------------===//

#include "bench.h"
#include "cached.h"

template <int N, bool Sums, bool Loads, class Flags>
__device__ __forceinline__ void visit(const Job &J, Flags &Seen) {
  Numbers Numbers(J);
  unsigned Sum = 0;
  for (int Step = 0; Step < J.Steps; ++Step) {
    const unsigned I = Numbers.next() % N;
    if (Loads)
      Sum += cached(J, Numbers.State + Sum);
    if (Seen[I]) {
      Seen[I] = false;
      ++Sum;
    } else {
      Seen[I] = true;
    }
    if (Sums && Step % 64 == 63)
      for (int K = 0; K < N; ++K)
        Sum += Seen[K];
  }
  finish(J, Sum);
}

template <int N, bool Sums, bool Loads> __global__ void local(Job J) {
  bool Seen[N] = {};
  visit<N, Sums, Loads>(J, Seen);
}
template <int N, bool Sums, bool Loads> __global__ void stripe(Job J) {
  __shared__ bankstripe::word<bool> Flags[bankstripe::warps(BlockSize)][N][32];
  bankstripe::clear(Flags);
  auto Seen = bankstripe::begin(Flags);
  visit<N, Sums, Loads>(J, Seen);
}
template <int N, bool Sums, bool Loads> __global__ void slot(Job J) {
  __shared__ bankstripe::slots<bool[N], BlockSize> Slots;
  bool (&Seen)[N] = Slots.mine();
  bankstripe::clear_slot(Seen);
  visit<N, Sums, Loads>(J, Seen);
}
template <int N, bool Sums, bool Loads> __global__ void bits(Job J) {
  bankstripe::bits<N> Seen;
  visit<N, Sums, Loads>(J, Seen);
}

template <int N, bool Sums, bool Loads> static void compareAll(Bench &B) {
  const std::string Case = std::string(Sums ? "count" : "visit") + ", " +
                           std::to_string(N) + (Loads ? ", loads" : "");
  for (Pattern P : {Pattern::Uniform, Pattern::Random})
    B.compare(Case, P, 512, 0,
              {{"local", local<N, Sums, Loads>},
               {"stripe", stripe<N, Sums, Loads>},
               {"slot", slot<N, Sums, Loads>},
               {"bits", bits<N, Sums, Loads>}});
}

template <int N> static void compare(Bench &B) {
  compareAll<N, false, false>(B);
  compareAll<N, false, true>(B);
  compareAll<N, true, false>(B);
  compareAll<N, true, true>(B);
}

int main() {
  Bench B("flags");
  compare<9>(B);
  compare<16>(B);
  compare<32>(B);
  compare<64>(B);
  return B.status();
}
