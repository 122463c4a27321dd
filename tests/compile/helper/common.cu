// common.cu - who the calling thread is
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

static_assert(bankstripe::warps(1) == 1 && bankstripe::warps(32) == 1 && bankstripe::warps(33) == 2, "");

__global__ void places(int *failed) {
  EXPECT(bankstripe::thread() == threadIdx.x + 5 * (threadIdx.y + 3 * threadIdx.z));
  EXPECT(bankstripe::warp() * 32 + bankstripe::lane() == bankstripe::thread() && bankstripe::lane() < 32);
}

int main() { return RUN(places); }
