// placement_and_new.cu - the helper's placement beside that of <new>
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>

#include "expect.h"

struct Pair {
  int first, second;
  __device__ Pair(int first, int second) : first(first), second(second) {}
};

__global__ void both(int *failed) {
  __shared__ bankstripe::slots<Pair, 45> slots;
  const Pair &mine = *new (bankstripe::place(slots)) Pair(1, own<int>(2));
  Pair *again = new (&slots.mine()) Pair(3, own<int>(4));
  EXPECT(&mine == again && mine.first == 3 && mine.second == own<int>(4));
}

int main() { return RUN(both); }
