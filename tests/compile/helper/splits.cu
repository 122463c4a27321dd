// splits.cu - arrays of which the first elements are a stripe
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::pointer;
using bankstripe::split;
using bankstripe::unit;
using bankstripe::warps;

struct Item {
  int node;
  float weight;
};

struct Four {
  int words[4];
};

__device__ void put(int &element, int value) { element = value; }
__device__ void put(char &element, int value) { element = char(value % 100); }
__device__ void put(double &element, int value) { element = value; }
__device__ void put(Item &element, int value) { element = Item{value, value * 0.5f}; }
__device__ void put(Four &element, int value) {
  for (int i = 0; i < 4; ++i)
    element.words[i] = value + i;
}
__device__ unsigned get(int element) { return element; }
__device__ unsigned get(double element) { return unsigned(element); }
__device__ unsigned get(Item element) { return element.node + unsigned(element.weight); }
__device__ unsigned get(Four element) { return element.words[0] ^ element.words[3]; }

// The same text for both: a stack that is walked over, and subscripts.
template <class Array, class Pointer> __device__ unsigned use(Array &a, Pointer top, int count) {
  Pointer base = a;
  unsigned sum = 1, seed = own<unsigned>(3);
  for (int step = 0; step < 200; ++step) {
    seed = seed * 1664525u + 1013904223u;
    if (top == base || (seed >> 28 < 9 && top - base < count))
      put(*top++, seed >> 8);
    else
      sum = sum * 31 + get(*--top);
    sum = sum * 31 + (top - a) + (top != base) + 2 * (top < a + count);
  }
  for (int i = 0; i < count; ++i)
    put(a[i], own<int>(i));
  for (unsigned char i = 0; i < count; ++i)
    sum = sum * 31 + get(a[i]);
  Pointer end = a + count;
  for (Pointer p = end; p-- != base;)
    sum = sum * 31 + get(*p) + get(end[-1]);
  end -= 2;
  return sum + get(*(1 + end));
}

template <class E, int N, int First> __global__ void likeAnArray(int *failed) {
  __shared__ unit<E> stripes[warps(45)][First][32];
  E rest[N - First], all[N];
  auto a = bankstripe::begin(stripes, rest);
  static_assert(sizeof(E) || sizeof(pointer<split<E, First>>(a)), "its type");
  EXPECT(use(a, pointer<split<E, First>>(a), N) == use<E[N], E *>(all, all, N));
  // One part begins where the other ends.
  put(a[First - 1], 7);
  put(a[First], 9);
  E seven, nine;
  put(seven, 7);
  put(nine, 9);
  EXPECT(get(a[First - 1]) == get(seven) && get(rest[0]) == get(nine));
  EXPECT(&a[First] == rest && &a[0] == &bankstripe::begin(stripes)[0]);
}

__device__ int sumOf(pointer<split<const Item, 2>> p, int count) {
  int sum = 0;
  for (; count > 0; --count, ++p)
    sum += p->node;
  return sum;
}

// Members, and pointers to what does not change.
__global__ void structures(int *failed) {
  __shared__ unit<Item> stripes[warps(45)][2][32];
  Item rest[5 - 2];
  auto a = bankstripe::begin(stripes, rest);
  pointer<split<Item, 2>> p = a;
  for (int i = 0; i < 5; ++i) {
    (*p).node = own<int>(i);
    (p++)->weight = 0.5f * own<int>(i);
  }
  pointer<split<const Item, 2>> q = p;
  EXPECT((--q)->weight == 0.5f * own<int>(4) && q - a == 4);
  EXPECT(sumOf(a, 5) == 5 * own<int>(2));
}

__global__ void initialised(int *failed) {
  __shared__ int stripes[warps(45)][4][32];
  int rest[9 - 4];
  auto a = bankstripe::begin(stripes, rest);
  bankstripe::initialize<9>(a, {own<int>(1), 2, 3, 4, 5, own<int>(6)});
  EXPECT(a[0] == own<int>(1) && a[3] == 4 && a[4] == 5 && a[5] == own<int>(6));
  EXPECT(a[6] == 0 && a[8] == 0);
  bankstripe::clear(stripes);
  EXPECT(a[0] == 0 && a[3] == 0 && a[4] == 5);
}

int main() {
  return RUN(likeAnArray<int, 20, 8>) | RUN(likeAnArray<int, 5, 4>) |
         RUN(likeAnArray<char, 33, 16>) | RUN(likeAnArray<double, 20, 1>) |
         RUN(likeAnArray<Item, 20, 8>) | RUN(likeAnArray<Four, 12, 4>) | RUN(structures) |
         RUN(initialised);
}
