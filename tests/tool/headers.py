"""Headers for tests of the launcher.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

LOCAL = """#pragma once
#define LOCAL 3
static const char *local() { return __FILE__; }
"""

# Whose array moves, too.
WEIGH = """#pragma once
#include "local.h"
static __device__ int weigh(const int *in) {
  int table[4] = {0};
  for (int i = 0; i < 50; ++i)
    table[in[i] & 3] += table[in[i + 1] & 3];
  return table[in[0] & 3];
}
"""
