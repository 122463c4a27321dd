// bits.cu - arrays of bits, held against arrays of bool
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::bit;
using bankstripe::bits;
using bankstripe::long_bit;
using bankstripe::pointer;

static_assert(sizeof(bits<1>) == 4 && sizeof(bits<32>) == 4, "one register");
static_assert(sizeof(bits<33>) == 8 && sizeof(bits<4, 4, 4>) == 8, "two");
static_assert(__is_trivially_copyable(bits<9>), "like an array");

// The same text for both, at indices of several types.
template <class Array>
__host__ __device__ unsigned use(Array &a, int count, unsigned seed) {
  unsigned sum = 1;
  for (int i = 0; i < count; ++i)
    a[i] = seed >> i % 32 & 1;
  for (unsigned step = 0; step < 100; ++step) {
    seed = seed * 1664525u + 1013904223u;
    const unsigned i = (seed >> 8) % count;
    const unsigned char j = (seed >> 16) % count;
    const long long k = (seed >> 24) % count;
    if (a[i] && !a[j])
      sum = sum * 31 + step;
    a[k] = a[i];
    a[i] = !a[k];
    a[j] |= seed & 2;
    a[i] &= seed & 2;
    a[k] ^= a[j];
    a[j] ^= 1;
    const bool was = a[k] = a[i] = step % 3;
    sum += a[j] + 2 * a[k] - !a[i] + (a[i] == a[k]) + was;
    sum = sum * 31 + ((a[k] |= seed & 4) ? 1 : 2);
    int number = a[j];
    number += a[k];
    a[count - 1] = number > 1;
    a[0] = number - 1;
  }
  for (int i = 0; i < count; ++i)
    sum = sum * 2 + (a[i] ? 1 : 0);
  return sum;
}

template <int N> __global__ void likeAnArray(int *failed) {
  bits<N> some;
  bool all[N] = {};
  EXPECT(some.value == 0);
  EXPECT(use(some, N, own<unsigned>(3)) == use(all, N, own<unsigned>(3)));
  some = bits<N>();
  EXPECT(some.value == 0);
}

__global__ void initialised(int *failed) {
  const bool yes = own<unsigned>(1) != 0;
  bits<9> none = {}, first({yes, !yes, true}), set({1, 0, 1, 1, 0, 0, 0, 0, 1});
  bits<40> far({false, true});
  EXPECT(none.value == 0 && first.value == (yes ? 5 : 6));
  EXPECT(set.value == (1 | 4 | 8 | 256) && far.value == 2);
}

__global__ void dimensions(int *failed) {
  bits<3, 5> t({{true}, {false, true, true, false, true}, {}});
  EXPECT(t.value == (1ull | 0x16 << 5));
  bits<2, 2, 2, 2, 4> five;
  for (int i = 0; i < 64; ++i)
    five[i / 32][i / 16 % 2][i / 8 % 2][i / 4 % 2][i % 4] =
        own<unsigned>(i) % 3;
  for (int i = 0; i < 64; ++i)
    EXPECT(five[i / 32][i / 16 % 2][i / 8 % 2][i / 4 % 2][i % 4] ==
           (own<unsigned>(i) % 3 != 0));
}

// What a callee might do that knows its parameter as `bool *` only.
template <class Pointer, class Const>
__device__ unsigned walk(Pointer p, Const c, int count) {
  Pointer end = p + count, q = p;
  unsigned sum = 1;
  for (int i = 0; q != end; ++i)
    *q++ = own<unsigned>(i) % 5 > 1;
  while (q-- != p)
    sum = sum * 3 + *q;
  for (++q; q < end - 2; q += 3)
    sum = sum * 3 + q[0] + q[1] - *(q + 2) + *(2 + q);
  for (q = end - 1; q >= p; q -= 2)
    *q = !*q;
  sum = sum * 31 + (end > p) + (end - p) + end[-1];
  Const d = p + 1;
  for (; c != end; ++c)
    sum = sum * 3 + (*c && c[0]);
  return sum + *--end + *d;
}

template <int N, class Bit> __global__ void pointers(int *failed) {
  bits<N> some;
  bool array[N];
  const auto a = bankstripe::begin(some);
  EXPECT(walk<bool *, const bool *>(array, array, N) ==
         walk<pointer<Bit>, pointer<const Bit>>(a, a, N));
  for (int i = 0; i < N; ++i)
    EXPECT(a[i] == array[i] && some[i] == array[i]);
}

__global__ void cleared(int *failed) {
  bits<9> a;
  a[own<unsigned>(1) % 9] = true;
  EXPECT(a.value != 0);
  memset(a, 0, sizeof(a));
  EXPECT(a.value == 0);
}

// The host may see a longer array in code for the device.
#ifdef __CUDA_ARCH__
typedef bits<64> Seen;
#else
typedef bits<65> Seen;
#endif
__global__ void seenOtherwise(int *failed) {
  Seen a;
  const unsigned last = own<unsigned>(63) % 64;
  a[last] = true;
  EXPECT(a.value == 1ull << last);
}

// Code for the host has them as well.
static int onTheHost() {
  bits<17> some;
  bool all[17] = {};
  return use(some, 17, 7u) != use(all, 17, 7u);
}

int main() {
  return RUN(likeAnArray<1>) | RUN(likeAnArray<9>) | RUN(likeAnArray<32>) |
         RUN(likeAnArray<33>) | RUN(likeAnArray<64>) | RUN(initialised) |
         RUN(dimensions) | RUN((pointers<9, bit>)) |
         RUN((pointers<64, long_bit>)) | RUN(cleared) | RUN(seenOtherwise) |
         onTheHost();
}
