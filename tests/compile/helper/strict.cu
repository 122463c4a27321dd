// For builds that make errors of all warnings, also of those about conversions:
// each layout once, with nothing here that such a compiler minds. The helper is
// included as by a file that itself stands between these braces.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

extern "C" {
#include "bankstripe.cuh"
}

__global__ void __launch_bounds__(128) kernel(const int *in, unsigned char *out, int n) {
  __shared__ int counts[::bankstripe::warps(128)][16][32];
  __shared__ unsigned char bytes[::bankstripe::warps(128)][16][32];
  __shared__ ::bankstripe::slots<int[16], 128> order_slots;
  int (&order)[16] = order_slots.mine();
  auto walked = ::bankstripe::begin(counts);
  for (int i = 0; i < 16; ++i) {
    order[i] = 0;
    walked[i] = 0;
  }
  ::bankstripe::begin(counts)[in[n] & 15]++;
  auto small = ::bankstripe::column(bytes);
  small[in[n] & 15] = static_cast<unsigned char>(in[n]);
  ::bankstripe::bits<9> seen = {};
  seen[in[0] % 9] = true;
  out[threadIdx.x] = static_cast<unsigned char>(
      ::bankstripe::begin(counts)[n & 15] + order[n & 15] + walked[n & 3] +
      (seen[in[1] % 9] ? 1 : 0) + small[n & 15]);
}
