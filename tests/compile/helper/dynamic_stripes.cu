// dynamic_stripes.cu - stripes in the dynamic shared memory
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

// What the kernel has for each warp, laid out as the tool does it.
#define WARP_BYTES 5632

template <bool OWN> __global__ void stripes(int *failed) {
  auto a = bankstripe::dynamic_stripe<int[4], 0, 512, WARP_BYTES, OWN>();
  auto m = bankstripe::dynamic_stripe<double[2][3], 512, 2048, WARP_BYTES, OWN>();
  auto w = bankstripe::dynamic_stripe<bankstripe::word<char>[3], 2048, 2432, WARP_BYTES, OWN>();
  auto p = bankstripe::dynamic_stripe<bankstripe::packed<short>[bankstripe::packed_words<short>(5)],
                                      2432, WARP_BYTES, WARP_BYTES, OWN>();
  bankstripe::clear(a);
  bankstripe::clear(m);
  bankstripe::initialize<3>(w, {1, 2});
  bankstripe::clear(p);
  for (int i = 0; i < 4; ++i)
    EXPECT(bankstripe::begin(a)[i] == 0);
  for (int i = 0; i < 4; ++i)
    bankstripe::begin(a)[i] = own<int>(i);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      bankstripe::begin(m)[i][j] = own<double>(10 * i + j);
  for (int i = 0; i < 5; ++i)
    bankstripe::begin(p)[i] = own<short>(i);
  EXPECT(bankstripe::begin(w)[0] == 1 && bankstripe::begin(w)[1] == 2 &&
         bankstripe::begin(w)[2] == 0);
  for (int i = 0; i < 4; ++i)
    EXPECT(bankstripe::begin(a)[i] == own<int>(i) && bankstripe::begin(a)[i] == own<int>(i));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT(bankstripe::begin(m)[i][j] == own<double>(10 * i + j));
  for (int i = 0; i < 5; ++i)
    EXPECT(bankstripe::begin(p)[i] == own<short>(i));
}

int main() {
  return runWithMemory("behind", stripes<bankstripe::behind>, WARP_BYTES) |
         runWithMemory("alone", stripes<false>, WARP_BYTES);
}
