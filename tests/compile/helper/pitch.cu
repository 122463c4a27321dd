// pitch.cu - the distance of neighbours
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::detail::pitch;
static_assert(pitch<char>::bytes == 4 && pitch<short[3]>::bytes == 12 && pitch<float[4]>::bytes == 20, "");
static_assert(pitch<double>::bytes == 8 && pitch<double[2]>::bytes == 24 && pitch<int4[2]>::bytes == 48, "");

// One access serves as many lanes as 128 bytes hold elements of that alignment.
template <class E> __global__ void banks(int *failed) {
  const int unit = pitch<E>::alignment;
  for (int lane = 1; lane < 128 / unit; ++lane)
    EXPECT(lane * pitch<E>::bytes / unit % (128 / unit) != 0);
}

int main() { return RUN(banks<char[9]>) | RUN(banks<double[4]>) | RUN(banks<int4[6]>); }
