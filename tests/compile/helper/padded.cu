// padded.cu - elements that are classes, as bytes
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::begin;
using bankstripe::padded;
using bankstripe::warps;

struct Halves {
  short x, y, z;
};
struct Complex {
  float re, im;
  __host__ __device__ Complex(float re = 1, float im = 2) : re(re), im(im) {}
};

// Initialisation sees the type of the element, with its constructors.
__global__ void classes(int *failed) {
  __shared__ padded<Complex> a[warps(45)][4][32];
  bankstripe::clear(a);
  for (int i = 0; i < 4; ++i) {
    EXPECT(begin(a)[i].re == 1 && begin(a)[i].im == 2);
    begin(a)[i] = Complex(own<float>(i));
  }
  for (int i = 0; i < 4; ++i)
    EXPECT(begin(a)[i].re == own<float>(i));
  bankstripe::initialize<4>(a, {Complex(3), {4, own<float>(5)}});
  EXPECT(begin(a)[0].re == 3 && begin(a)[1].im == own<float>(5));
  EXPECT(begin(a)[3].re == 1);
}

__global__ void aggregates(int *failed) {
  __shared__ padded<Halves> a[warps(45)][2][3][32];
  bankstripe::clear(a);
  EXPECT(begin(a)[1][2].x == 0 && begin(a)[1][2].z == 0);
  for (int i = 0; i < 6; ++i)
    begin(a)[i / 3][i % 3].y = own<short>(i);
  for (int i = 0; i < 6; ++i)
    EXPECT(begin(a)[i / 3][i % 3].y == own<short>(i));
  bankstripe::initialize<2, 3>(a, {{{1, 2, 3}}, {{}, {own<short>(4)}}});
  EXPECT(begin(a)[0][0].z == 3 && begin(a)[1][1].x == own<short>(4));
  EXPECT(begin(a)[1][1].y == 0);
}

int main() { return RUN((elements<padded<int>, int>)) | RUN(classes) | RUN(aggregates); }
