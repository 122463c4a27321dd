// pointers.cu - accessors, held against pointers to a per-thread array
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::pointer;
using bankstripe::unit;
using bankstripe::warps;

#ifndef BANKSTRIPE_CHECK_BOUNDS
static_assert(sizeof(pointer<float>) == sizeof(float *), "one pointer");
#endif
static_assert(__is_trivially_copyable(pointer<float>), "like a pointer");

// What a callee might do that knows its parameter as `int *` only. It is the
// same text for both.
template <class Pointer> __device__ unsigned walk(Pointer p, int count) {
  Pointer end = p + count, q = p, none = nullptr;
  unsigned sum = 1;
  for (int i = 0; q != end; ++i)
    *q++ = own<int>(i);
  while (q-- != p)
    sum = sum * 31 + *q;
  for (++q; q < end; q += 3)
    sum = sum * 31 + q[0] + q[1] - *(q + 2) + *(2 + q);
  for (q = end - 1; q >= p; q -= 2)
    sum = sum * 31 + (*q -= 7);
  --end;
  sum = sum * 31 + (end > p) + 2 * (p <= end) + 4 * (p == end) + (end - p);
  sum = sum * 31 + (none == nullptr) + 2 * (p != nullptr) + 4 * !p;
  sum = sum * 31 + (nullptr == p) + (p ? 8 : 0) + end[-1];
  sum = sum * 31 + *--end;
  sum = sum * 31 + *end--;
  return sum + *end;
}

template <class S> __global__ void likeAnArray(int *failed) {
  __shared__ S stripes[warps(45)][12][32];
  int array[12];
  const auto a = bankstripe::begin(stripes);
  EXPECT(walk<int *>(array, 12) == walk(pointer<S>(a), 12));
  for (int i = 0; i < 12; ++i)
    EXPECT(a[i] == array[i] && &a[i] == &bankstripe::begin(stripes)[i]);
}

template <class S, class E> __global__ void smallElements(int *failed) {
  __shared__ S stripes[warps(45)][9][32];
  const pointer<S> a = bankstripe::begin(stripes);
  for (pointer<S> p = a; p != a + 9; ++p)
    *p = own<E>(static_cast<int>(p - a));
  for (int i = 0; i < 9; ++i)
    EXPECT(a[i] == own<E>(i));
}

struct Particle {
  int position, mass;
};

__device__ int mass(pointer<const unit<Particle>> p, int count) {
  int sum = 0;
  for (; count > 0; --count, ++p)
    sum += p->mass;
  return sum;
}

__global__ void members(int *failed) {
  __shared__ unit<Particle> stripes[warps(45)][5][32];
  auto a = bankstripe::begin(stripes);
  for (int i = 0; i < 5; ++i) {
    a[i] = Particle{i, own<int>(i)};
    (a + i)->position += own<int>(2);
  }
  EXPECT(mass(a, 5) == 5 * own<int>(2));
  EXPECT((*a).position == own<int>(2) && a[4].position == own<int>(6));
}

__device__ int sum(pointer<const int> begin, pointer<const int> end) {
  int result = 0;
  while (begin != end)
    result += *begin++;
  return result;
}
// Overloads are told apart as those for pointers are.
__device__ int overloaded(pointer<int>) { return 1; }
__device__ int overloaded(pointer<const int>) { return 2; }
__device__ int overloaded(const int *) { return 3; }

__global__ void constPointers(int *failed) {
  __shared__ int stripes[warps(45)][6][32];
  const auto a = bankstripe::begin(stripes);
  for (int i = 0; i < 6; ++i)
    a[i] = own<int>(i);
  pointer<const int> p = a;
  EXPECT(sum(p, a + 6) == 6 * own<int>(0) + 15);
  EXPECT(p == a && a == p && p + 1 > a && p + 1 - a == 1 && p[2] == a[2]);
  EXPECT(overloaded(a) == 1 && overloaded(p) == 2 && overloaded(&a[0]) == 3);
  p = nullptr;
  EXPECT(p == 0 && !p && pointer<int>() == nullptr);
}

__device__ int trace(pointer<const int[3]> rows) {
  return rows[0][0] + (*(rows + 1))[1] + *(rows[2] + 2);
}

__global__ void rows(int *failed) {
  __shared__ int stripes[warps(45)][4][3][32];
  auto m = bankstripe::begin(stripes);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      m[i][j] = own<int>(i * 3 + j);
      EXPECT(&m[i][j] == &bankstripe::begin(stripes)[i][j]);
    }
  EXPECT(noexcept(m[3][1]) && noexcept(**m));
  atomicAdd(&m[3][1], 1);
  const pointer<int> row = m[3];
  EXPECT(row[1] == own<int>(11) && *(row - 1) == own<int>(8));
  EXPECT(trace(m) == 3 * own<int>(4));
  pointer<int[3]> end = m;
  while (end - m < 4)
    ++end;
  EXPECT(*end == row + 3 && m != nullptr && sum(m[0], *end) > 0);
}

__global__ void fiveDimensions(int *failed) {
  __shared__ bankstripe::word<short> stripes[warps(45)][2][3][2][3][2][32];
  auto m = bankstripe::begin(stripes);
  for (int i = 0; i < 72; ++i)
    m[i / 36][i / 12 % 3][i / 6 % 2][i / 2 % 3][i % 2] = own<short>(i);
  for (int i = 0; i < 72; ++i) {
    EXPECT(bankstripe::begin(stripes)[i / 36][i / 12 % 3][i / 6 % 2][i / 2 % 3][i % 2] ==
           own<short>(i));
    EXPECT(****m[i / 36] == own<short>(i / 36 * 36));
    EXPECT(m[0][0][0][0][i] == own<short>(i));
  }
}

int main() {
  return RUN(likeAnArray<int>) | RUN(likeAnArray<bankstripe::padded<int>>) |
         RUN((smallElements<char, char>)) | RUN((smallElements<bankstripe::word<char>, char>)) |
         RUN((smallElements<volatile double, double>)) | RUN(members) | RUN(constPointers) | RUN(rows) |
         RUN(fiveDimensions);
}
