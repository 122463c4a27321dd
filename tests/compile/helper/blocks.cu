// blocks.cu - a kernel that says of its blocks what its launch bounds see to
//
// The test in the function must go where the function is inlined; with
// -DSILENT, which takes the kernel's word away, it must stay.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

#ifdef __NVCC__ // Clang ignores the assumption, and says so.
__device__ int last(const int *in, int n) {
  bankstripe::require_block_of_at_most<64>();
  int result = 0;
  for (int i = 0; i < n; ++i)
    result = in[result];
  return result;
}

__global__ void __launch_bounds__(64) kernel(const int *in, int *out, int n) {
#ifndef SILENT
  bankstripe::assume_block_of_at_most<64>();
#endif
  for (int i = 0; i < n; ++i)
    out[i] = last(in + i, n);
}
#endif

__global__ void threads(int *failed) { EXPECT(bankstripe::block_threads() == 45); }

int main() { return RUN(threads); }
