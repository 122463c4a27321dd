// assertion.cu - the helper's declaration beside that of assert()
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cassert>

#include "expect.h"

__global__ void both(int *failed) {
  assert(failed != nullptr);
  void (*const stop)(const char *, const char *, unsigned, const char *, decltype(sizeof(0))) = __assertfail;
  EXPECT(stop != nullptr);
}

int main() { return RUN(both); }
