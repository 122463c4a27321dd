// dynamic_slots.cu - slots in the dynamic shared memory
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

// What the kernel has for each warp, laid out as the tool does it.
#define WARP_BYTES 5632

struct Stack {
  int values[5], top;
  __device__ explicit Stack(int first) : top(1) { values[0] = first; }
};

template <bool OWN> __global__ void slots(int *failed) {
  auto &a_slots = bankstripe::dynamic_slots<float[7], 0, 1408, WARP_BYTES, OWN>();
  float (&a)[7] = a_slots.mine();
  auto &s_slots = bankstripe::dynamic_slots<Stack, 1408, 2816, WARP_BYTES, OWN>();
  Stack &s = *new (bankstripe::place(s_slots)) Stack(own<int>(0));
  auto &v_slots = bankstripe::dynamic_slots<float4[3], 2816, WARP_BYTES, WARP_BYTES, OWN, 16>();
  float4(&v)[3] = v_slots.mine();
  bankstripe::initialize_slot(a, {1, own<float>(1)});
  s.values[s.top++] = own<int>(1);
  v[2] = make_float4(0, 0, 0, own<float>(2));
  EXPECT(a[0] == 1 && a[1] == own<float>(1) && a[6] == 0);
  EXPECT(s.top == 2 && s.values[0] == own<int>(0) && s.values[1] == own<int>(1));
  EXPECT(v[2].w == own<float>(2));
}

int main() {
  return runWithMemory("behind", slots<bankstripe::behind>, WARP_BYTES) |
         runWithMemory("alone", slots<false>, WARP_BYTES);
}
