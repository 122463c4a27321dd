// clear.cu - stripes of zeros
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

enum Colour : int { Red, Green };

// What others write at their time stays.
__global__ void rows(int *failed) {
  __shared__ double a[bankstripe::warps(45)][2][3][32];
  for (int turn = 0; turn < 2; ++turn) {
    bankstripe::clear(a);
    for (int i = 0; i < 6; ++i) {
      EXPECT(bankstripe::begin(a)[i / 3][i % 3] == 0);
      bankstripe::begin(a)[i / 3][i % 3] = own<double>(i);
    }
    for (int i = 0; i < 6; ++i)
      EXPECT(bankstripe::begin(a)[i / 3][i % 3] == own<double>(i));
  }
}

int main() {
  return RUN((elements<int, int>)) | RUN((elements<double, double>)) | RUN((elements<volatile unsigned, unsigned>)) |
         RUN((elements<Colour, Colour>)) | RUN((elements<char, char>)) | RUN((elements<short, short>)) | RUN(rows);
}
