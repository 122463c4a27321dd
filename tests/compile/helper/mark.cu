// mark.cu - launches for which nothing else tells that they bring the memory
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

static_assert(bankstripe::detail::mark % 16 != 0, "as no array of vectors has");

__global__ void nothing(int *failed) {
  EXPECT(bankstripe::detail::own_memory<0, false>() != nullptr);
}

int main() { return run("nothing", nothing, oddBlock(), bankstripe::detail::mark); }
