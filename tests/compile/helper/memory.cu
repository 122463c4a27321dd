// memory.cu - whose the dynamic shared memory is
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using namespace bankstripe::detail;

// The kernel has so many bytes of its own in front of the parts of two warps.
template <int OWN> __global__ void parts(int *failed) {
  const unsigned place = OWN ? 1 - bankstripe::warp() : bankstripe::warp();
  EXPECT((own_memory<64, OWN != 0>() == BANKSTRIPE_SEGMENT + OWN + 64 * place));
  own_memory<64, OWN != 0>()[bankstripe::lane()] = own<unsigned char>(OWN);
  EXPECT((own_memory<64, OWN != 0>()[bankstripe::lane()] == own<unsigned char>(OWN)));
}

int main() {
  const int all = 2 * 64 + bankstripe::detail::mark;
  return run("alone", parts<0>, oddBlock(), all) | run("more", parts<0>, oddBlock(), 48 + all) |
         run("behind", parts<48>, oddBlock(), 48 + all);
}
