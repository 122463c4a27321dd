// Files that are included between braces: those of a namespace or a function
// leave no room for the helper, those of extern "C" do.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nobody knows its blocks, and no launch of it can ask for storage.
__global__ void asked(const int *in, int *out, int n) {
  int sums[16];
  for (int i = 0; i < 16; ++i)
    sums[i] = 0;
  for (int i = 0; i < n; ++i)
    sums[in[i] & 15] += i;
  out[threadIdx.x] = sums[in[n] & 15];
}

// Its kernel stands in such a file.
__device__ int pick(const int *in, int n) {
  int picked[16];
  for (int i = 0; i < n; ++i)
    picked[i & 15] = in[i];
  return picked[in[n] & 15];
}

namespace app {
#include "namespace.cuh"
}

extern "C" {
#include "linkage.cuh"
}

// The function that it is passed to gets no overload.
__global__ void passes(const int *in, int *out, int n) {
  int walked[16] = {};
  app::walk(walked, in, n);
  out[threadIdx.x] = walked[in[n] & 15];
}

void run(const int *in, int *out, int n) {
  app::order<<<100, 64>>>(in, out, n);
  count<<<100, 64>>>(in, out, n);
  passes<<<100, 64>>>(in, out, n);
  app::chosen<<<100, n>>>(in, out, n);
#include "function.cuh"
}
