// stripes.cu - at, clear and initialize, for every unit and number of
// dimensions
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::begin;
using bankstripe::clear;
using bankstripe::initialize;
using bankstripe::warps;

enum Colour : int { Red, Green };

// S holds one element of type E.
template <class S, class E> __global__ void oneDimension(int *failed) {
  __shared__ S a[warps(45)][11][32];
  clear(a);
  for (unsigned char i = 0; i < 11; ++i)
    EXPECT(begin(a)[i] == E(0));
  for (int i = 0; i < 11; ++i)
    begin(a)[i] = own<E>(i);
  for (long i = 10; i >= 0; --i)
    EXPECT(begin(a)[i] == own<E>(i));
  initialize<11>(a, {E(3), own<E>(9)});
  EXPECT(begin(a)[0] == E(3) && begin(a)[1] == own<E>(9));
  for (int i = 2; i < 11; ++i)
    EXPECT(begin(a)[i] == E(0));
}

template <class E> __global__ void packedElements(int *failed) {
  constexpr int columns = 7;
  __shared__ bankstripe::packed<E> a[warps(45)][3][bankstripe::packed_words<E>(columns)][32];
  clear(a);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < columns; ++j) {
      EXPECT(begin(a)[i][j] == E(0));
      begin(a)[i][j] = own<E>(i * columns + j);
    }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < columns; ++j)
      EXPECT(begin(a)[i][j] == own<E>(i * columns + j));
  initialize<3, columns>(a, {{}, {1, 2, 3, 4, 5, 6, own<E>(7)}});
  EXPECT(begin(a)[0][0] == E(0) && begin(a)[1][5] == E(6));
  EXPECT(begin(a)[1][6] == own<E>(7) && begin(a)[2][6] == E(0));
}

// An extent of 32 must not be taken for the lanes.
template <class S> __global__ void twoDimensions(int *failed) {
  __shared__ S a[warps(45)][3][32][32];
  clear(a);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 32; ++j) {
      EXPECT(begin(a)[i][j] == 0);
      begin(a)[i][j] = own<int>(i * 32 + j);
    }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 32; ++j)
      EXPECT(begin(a)[i][j] == own<int>(i * 32 + j));
  initialize<3, 32>(a, {{1, 2}, {own<int>(3)}});
  EXPECT(begin(a)[0][1] == 2 && begin(a)[1][0] == own<int>(3) && begin(a)[2][31] == 0);
}

__global__ void threeDimensions(int *failed) {
  __shared__ short a[warps(45)][3][4][5][32];
  clear(a);
  for (int i = 0; i < 60; ++i) {
    EXPECT(begin(a)[i / 20][i / 5 % 4][i % 5] == 0);
    begin(a)[i / 20][i / 5 % 4][i % 5] = own<short>(i);
  }
  for (int i = 0; i < 60; ++i)
    EXPECT(begin(a)[i / 20][i / 5 % 4][i % 5] == own<short>(i));
  initialize<3, 4, 5>(a, {{{1, 2}, {3}}, {}, {{}, {}, {}, {0, 0, 0, 0, 9}}});
  EXPECT(begin(a)[0][0][1] == 2 && begin(a)[0][1][0] == 3 && begin(a)[2][3][4] == 9);
  EXPECT(begin(a)[1][3][4] == 0);
}

__global__ void fourDimensions(int *failed) {
  __shared__ bankstripe::word<signed char> a[warps(45)][2][3][2][4][32];
  clear(a);
  for (int i = 0; i < 48; ++i)
    begin(a)[i / 24][i / 8 % 3][i / 4 % 2][i % 4] = own<signed char>(i);
  for (int i = 0; i < 48; ++i)
    EXPECT(begin(a)[i / 24][i / 8 % 3][i / 4 % 2][i % 4] == own<signed char>(i));
  initialize<2, 3, 2, 4>(a, {{{{1, 2}}}, {{}, {{}, {5}}}});
  EXPECT(begin(a)[0][0][0][1] == 2 && begin(a)[1][1][1][0] == 5);
}

__global__ void fiveDimensions(int *failed) {
  __shared__ bankstripe::packed<short> a[warps(45)][2][2][2][2][bankstripe::packed_words<short>(3)]
                                        [32];
  clear(a);
  for (int i = 0; i < 48; ++i) {
    short &element = begin(a)[i / 24][i / 12 % 2][i / 6 % 2][i / 3 % 2][i % 3];
    EXPECT(element == 0);
    element = own<short>(i);
  }
  for (int i = 0; i < 48; ++i)
    EXPECT(begin(a)[i / 24][i / 12 % 2][i / 6 % 2][i / 3 % 2][i % 3] == own<short>(i));
  initialize<2, 2, 2, 2, 3>(a, {{{{{1, 2, 3}}}}, {{}, {{}, {{}, {4}}}}});
  EXPECT(begin(a)[0][0][0][0][2] == 3 && begin(a)[1][1][1][1][0] == 4);
  EXPECT(begin(a)[1][1][1][1][1] == 0);
}

int main() {
  int failures = 0;
  failures += RUN(oneDimension<int, int>);
  failures += RUN(oneDimension<double, double>);
  failures += RUN(oneDimension<volatile unsigned, unsigned>);
  failures += RUN(oneDimension<Colour, Colour>);
  failures += RUN(oneDimension<char, char>);
  failures += RUN(oneDimension<short, short>);
  failures += RUN(oneDimension<bankstripe::word<bool>, bool>);
  failures += RUN(oneDimension<bankstripe::word<volatile short>, short>);
  failures += RUN(oneDimension<bankstripe::packed<unsigned char>, unsigned char>);
  failures += RUN(packedElements<char>);
  failures += RUN(packedElements<unsigned short>);
  failures += RUN(twoDimensions<int>);
  failures += RUN(twoDimensions<bankstripe::padded<long long>>);
  failures += RUN(threeDimensions);
  failures += RUN(fourDimensions);
  failures += RUN(fiveDimensions);
  return failures != 0;
}
