//===-- stacks.cu - how much of a stack belongs into shared memory? -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stack of 64 whose depth wanders around a mean, in each thread its own way.
// With `loads` a step reads a table that the L1 can hold, which is what a tree
// that is searched does. A split keeps the lowest elements in shared memory.
//
//===----------------------------------------------------------------------===//

#include "bench.h"
#include "cached.h"

constexpr int Deepest = 64;

struct Entry {
  unsigned Node, Distance;
};

__device__ inline void set(unsigned &Element, unsigned Value) {
  Element = Value;
}
__device__ inline void set(Entry &Element, unsigned Value) {
  Element = {Value, Value >> 7};
}
__device__ inline unsigned sumOf(unsigned Element) { return Element; }
__device__ inline unsigned sumOf(Entry Element) {
  return Element.Node ^ Element.Distance;
}

// Pushes the more often the fewer there are: as often as it pops at the mean.
template <class E, bool Loads, class Stack>
__device__ __forceinline__ void wander(const Job &J, Stack Bottom) {
  Numbers Numbers(J);
  auto Top = Bottom;
  unsigned Sum = 0;
  for (int Step = 0; Step < J.Steps; ++Step) {
    const int Depth = static_cast<int>(Top - Bottom);
    const int Draw = static_cast<int>(Numbers.next() % (2 * J.Count));
    if (Loads)
      Sum += cached(J, Numbers.State + Sum);
    if (Depth == 0 || (Draw >= Depth && Depth < Deepest))
      set(*Top++, Sum + Step);
    else
      Sum = Sum * 31 + sumOf(*--Top);
  }
  finish(J, Sum);
}

template <class E, bool Loads> __global__ void local(Job J) {
  E Stack[Deepest];
  wander<E, Loads>(J, &Stack[0]);
}
template <class E, bool Loads> __global__ void stripe(Job J) {
  __shared__ bankstripe::unit<E> Stripes[bankstripe::warps(BlockSize)][Deepest]
                                        [32];
  wander<E, Loads>(J, bankstripe::begin(Stripes));
}
template <class E, bool Loads, int First> __global__ void split(Job J) {
  __shared__ bankstripe::unit<E> Stripes[bankstripe::warps(BlockSize)][First]
                                        [32];
  E Rest[Deepest - First];
  wander<E, Loads>(J, bankstripe::begin(Stripes, Rest));
}

template <class E, bool Loads>
static void compare(Bench &B, const char *Type,
                    const std::vector<Variant> &More) {
  std::vector<Variant> All = {{"local", local<E, Loads>},
                              {"split 4", split<E, Loads, 4>},
                              {"split 8", split<E, Loads, 8>},
                              {"split 16", split<E, Loads, 16>}};
  All.insert(All.end(), More.begin(), More.end());
  for (int Depth : {4, 8, 16, 32})
    B.compare(std::string(Type) + ", depth " + std::to_string(Depth) +
                  (Loads ? ", loads" : ""),
              Pattern::Random, 512, Depth, All);
}

int main() {
  Bench B("stacks");
  compare<unsigned, false>(B, "u32[64]", {{"stripe", stripe<unsigned, false>}});
  compare<unsigned, true>(B, "u32[64]", {{"stripe", stripe<unsigned, true>}});
  // 64 KB for a block is more than static storage can be.
  compare<Entry, false>(B, "{u32, u32}[64]", {});
  compare<Entry, true>(B, "{u32, u32}[64]", {});
  return B.status();
}
