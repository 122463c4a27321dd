// traps.cu - what BANKSTRIPE_CHECK_BOUNDS and require_block_of_at_most stop,
// and launches that do not ask for the memory
//
// The arguments are the number of a case, and 1 where the kernel must stop, or
// 0 where it goes as far as it may.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>

#include "expect.h"

__global__ void kernel(int number, int over) {
  __shared__ int a[bankstripe::warps(64)][2][3][32];
  __shared__ bankstripe::packed<char> b[bankstripe::warps(64)][2][32];
  __shared__ short c[bankstripe::warps(64)][5][32];
  __shared__ bankstripe::slots<int[3], 64> s;
  switch (number) {
  case 1: bankstripe::require_block_of_at_most<64>(); break;
  case 2: bankstripe::begin(a)[0][0] = 1; break;
  case 3: bankstripe::clear(a); break;
  case 4: bankstripe::begin(a); break;
  case 5: s.mine()[0] = 1; break;
  case 6: new (bankstripe::place(s)) int[3]; break;
  case 7: bankstripe::begin(a)[1 + over][0] = 1; break;
  case 8: bankstripe::begin(a)[1][2 + over] = 1; break;
  case 9: bankstripe::begin(a)[0][0 - over] = 1; break;
  case 10: bankstripe::begin(b)[7 + over] = 1; break;
  case 11: bankstripe::column(c)[4 + over] = 1; break;
  case 12: bankstripe::column(c)[0 - over] = 1; break;
  case 13: case 14: bankstripe::clear(bankstripe::dynamic_stripe<int[2], 0, 256, 256>()); break;
  }
}

int main(int count, char **arguments) {
  if (count != 3)
    return 2;
  const int number = std::atoi(arguments[1]), over = std::atoi(arguments[2]);
  size_t shared = 0;
  if (number >= 13) // 14: as much, but asked for in another way.
    shared = over ? (number == 13 ? 0 : 1024) : 2 * 256 + bankstripe::detail::mark;
  kernel<<<1, number <= 6 ? 64 + over : 64, shared>>>(number, over);
  return cudaDeviceSynchronize() != cudaSuccess;
}
