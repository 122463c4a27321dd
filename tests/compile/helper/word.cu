// word.cu - small elements in words of their own
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::begin;
using bankstripe::warps;

__global__ void fourDimensions(int *failed) {
  __shared__ bankstripe::word<signed char> a[warps(45)][2][3][2][4][32];
  bankstripe::clear(a);
  for (int i = 0; i < 48; ++i)
    begin(a)[i / 24][i / 8 % 3][i / 4 % 2][i % 4] = own<signed char>(i);
  for (int i = 0; i < 48; ++i)
    EXPECT(begin(a)[i / 24][i / 8 % 3][i / 4 % 2][i % 4] == own<signed char>(i));
  bankstripe::initialize<2, 3, 2, 4>(a, {{{{1, 2}}}, {{}, {{}, {5}}}});
  EXPECT(begin(a)[0][0][0][1] == 2 && begin(a)[1][1][1][0] == 5);
}

int main() {
  return RUN((elements<bankstripe::word<bool>, bool>)) | RUN((elements<bankstripe::word<volatile short>, short>)) |
         RUN(fourDimensions);
}
