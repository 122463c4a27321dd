// packed.cu - small elements that share words
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::begin;
using bankstripe::clear;
using bankstripe::initialize;
using bankstripe::warps;

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
  return RUN((elements<bankstripe::packed<unsigned char>, unsigned char>)) | RUN(packedElements<char>) |
         RUN(packedElements<unsigned short>) | RUN(fiveDimensions);
}
