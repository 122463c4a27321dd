// Files that are included between braces: those of a namespace leave no room
// for the helper, those of extern "C" do.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

namespace app {
#include "namespace.cuh"
}

extern "C" {
#include "linkage.cuh"
}

void run(const int *in, int *out, int n) {
  app::order<<<100, 64>>>(in, out, n);
  count<<<100, 64>>>(in, out, n);
}
