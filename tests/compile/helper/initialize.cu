// initialize.cu - lists of values for stripes
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::begin;
using bankstripe::clear;
using bankstripe::initialize;
using bankstripe::warps;

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

int main() {
  return RUN(twoDimensions<int>) | RUN(twoDimensions<bankstripe::padded<long long>>) | RUN(threeDimensions);
}
