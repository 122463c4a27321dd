// dynamic.cu - storage in the dynamic shared dynamic shared memory
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

// What the kernels below have for each warp, laid out as the tool does it.
#define WARP_BYTES 5632

// As run(), with the memory, some of which the kernel has for itself.
static int runDynamic(const char *name, void (*kernel)(int *), dim3 block, int own) {
  int *failed, line = -1;
  cudaMalloc(&failed, sizeof(int));
  cudaMemset(failed, 0, sizeof(int));
  const unsigned warps = (block.x * block.y * block.z + 31) / 32;
  kernel<<<2, block, (own + 15) / 16 * 16 + warps * WARP_BYTES + bankstripe::detail::mark>>>(failed);
  const cudaError_t status = cudaDeviceSynchronize();
  cudaMemcpy(&line, failed, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(failed);
  std::printf("%s: %s, line %d\n", name, cudaGetErrorString(status), line);
  return status != cudaSuccess || line != 0;
}

template <bool OWN> __global__ void stripes(int *failed) {
  auto a = bankstripe::dynamic_stripe<int[4], 0, 512, WARP_BYTES, OWN>();
  auto m = bankstripe::dynamic_stripe<double[2][3], 512, 2048, WARP_BYTES, OWN>();
  auto w = bankstripe::dynamic_stripe<bankstripe::word<char>[3], 2048, 2432, WARP_BYTES, OWN>();
  auto p = bankstripe::dynamic_stripe<bankstripe::packed<short>[bankstripe::packed_words<short>(5)],
                                      2432, WARP_BYTES, WARP_BYTES, OWN>();
  bankstripe::clear(a);
  bankstripe::clear(m);
  bankstripe::initialize<3>(w, {1, 2});
  bankstripe::clear(p);
  for (int i = 0; i < 4; ++i)
    EXPECT(bankstripe::begin(a)[i] == 0);
  for (int i = 0; i < 4; ++i)
    bankstripe::begin(a)[i] = own<int>(i);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      bankstripe::begin(m)[i][j] = own<double>(10 * i + j);
  for (int i = 0; i < 5; ++i)
    bankstripe::begin(p)[i] = own<short>(i);
  EXPECT(bankstripe::begin(w)[0] == 1 && bankstripe::begin(w)[1] == 2 &&
         bankstripe::begin(w)[2] == 0);
  for (int i = 0; i < 4; ++i)
    EXPECT(bankstripe::begin(a)[i] == own<int>(i) && bankstripe::begin(a)[i] == own<int>(i));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT(bankstripe::begin(m)[i][j] == own<double>(10 * i + j));
  for (int i = 0; i < 5; ++i)
    EXPECT(bankstripe::begin(p)[i] == own<short>(i));
}

struct Stack {
  int values[5];
  int top;
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
  int failures = 0;
  const dim3 blocks[] = {dim3(1), oddBlock(), dim3(64), dim3(7, 11)};
  for (const dim3 &block : blocks)
    for (int own : {0, 4, 100}) {
      failures += runDynamic("stripes behind", stripes<bankstripe::behind>, block, own);
      failures += runDynamic("slots behind", slots<bankstripe::behind>, block, own);
      failures += runDynamic("stripes", stripes<false>, block, own);
      failures += runDynamic("slots", slots<false>, block, own);
    }
  return failures;
}
