// slots.cu - contiguous arrays in shared memory
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::clear_slot;
using bankstripe::initialize_slot;
using bankstripe::slots;

// The distance between neighbours is an odd number of units.
template <class Type, int Alignment = 1>
using slot = bankstripe::detail::slot<Type, Alignment>;
static_assert(sizeof(slot<float[32]>) == 35 * 4, "");
static_assert(sizeof(slot<float[33]>) == 35 * 4, "");
static_assert(sizeof(slot<float[36]>) == 37 * 4, "");
static_assert(sizeof(slot<float[38]>) == 43 * 4, "");
static_assert(sizeof(slot<char[5]>) == 3 * 4, "");
static_assert(sizeof(slot<char[9]>) == 3 * 4, "");
static_assert(sizeof(slot<double[4][4]>) == 19 * 8, "");
static_assert(sizeof(slot<float4[6]>) == 11 * 16, "");
// More than the type asks for.
static_assert(alignof(slot<float[32], 16>) == 16, "");
static_assert(sizeof(slot<float[32], 16>) == 11 * 16, "");
static_assert(alignof(slot<double[2], 4>) == 8, "");
static_assert(alignof(slot<float4[6]>) == 16, "");
static_assert(alignof(slot<char[5]>) == 4, "");
// What lies behind them stays aligned as it was.
static_assert(sizeof(slots<float[32], 5>) == 768, "5 * 35 * 4, rounded up");
static_assert(alignof(slots<char[5], 1>) == 128, "");
struct alignas(256) wide {
  int values[4];
};
static_assert(alignof(slots<wide, 1>) == 256, "");

template <class E> __device__ E total(const E *values, int count) {
  E sum = 0;
  for (const E *p = values; p != values + count; ++p)
    sum += *p;
  return sum;
}

template <class E> __global__ void arrays(int *failed) {
  __shared__ slots<E[7], 45> a_slots;
  E(&a)[7] = a_slots.mine();
  clear_slot(a);
  EXPECT(total(a, 7) == E(0));
  for (E &element : a)
    element = own<E>(0);
  EXPECT(total(a, 7) == E(7 * own<E>(0)) && sizeof a == 7 * sizeof(E));
  EXPECT(&a == &a_slots.mine());
  initialize_slot(a, {1, 2, own<E>(3)});
  EXPECT(a[1] == E(2) && total(a, 7) == E(3 + own<E>(3)));
}

// A shape that stripes have as well.
__global__ void manyDimensions(int *failed) {
  __shared__ slots<short[2][3][32], 45> a_slots;
  short (&a)[2][3][32] = a_slots.mine();
  clear_slot(a);
  for (int i = 0; i < 192; ++i)
    EXPECT(a[i / 96][i / 32 % 3][i % 32] == 0);
  for (int i = 0; i < 192; ++i)
    a[i / 96][i / 32 % 3][i % 32] = own<short>(i);
  for (int i = 0; i < 192; ++i)
    EXPECT(a[i / 96][i / 32 % 3][i % 32] == own<short>(i));
  initialize_slot(a, {{{1, 2}, {}, {own<short>(3)}}});
  EXPECT(a[0][0][1] == 2 && a[0][2][0] == own<short>(3) && a[1][2][31] == 0);
}

__global__ void volatileArrays(int *failed) {
  __shared__ slots<volatile float[2][3], 45> a_slots;
  volatile float (&a)[2][3] = a_slots.mine();
  clear_slot(a);
  EXPECT(a[1][2] == 0);
  initialize_slot(a, {{1}, {2, own<float>(3)}});
  EXPECT(a[0][0] == 1 && a[1][1] == own<float>(3) && a[0][2] == 0);
}

struct Complex {
  double re, im;
  __host__ __device__ Complex(double re = 1, double im = 2) : re(re), im(im) {}
};

__global__ void arraysOfClasses(int *failed) {
  __shared__ slots<Complex[3], 45> a_slots;
  Complex(&a)[3] = a_slots.mine();
  clear_slot(a);
  EXPECT(a[2].re == 1 && a[2].im == 2);
  initialize_slot(a, {{own<double>(1), 3}});
  EXPECT(a[0].re == own<double>(1) && a[1].im == 2);
}

int main() {
  return RUN(arrays<char>) | RUN(arrays<short>) | RUN(arrays<int>) | RUN(arrays<double>) |
         RUN(manyDimensions) | RUN(volatileArrays) | RUN(arraysOfClasses);
}
