// shared.cu - storage that functions of several files share
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

struct First;
struct Second;

template <class Array> __device__ bankstripe::pointer<int> array() {
  return bankstripe::begin(bankstripe::shared<int[bankstripe::warps(45)][3][32], Array>());
}

__global__ void apart(int *failed) {
  array<First>()[2] = own<int>(1);
  array<Second>()[2] = own<int>(2);
  EXPECT(array<First>()[2] == own<int>(1) && array<Second>()[2] == own<int>(2));
}

int main() { return RUN(apart); }
