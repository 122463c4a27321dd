// launches.cu - what launches see to besides the bytes themselves
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

#define WARP_BYTES 512

__global__ void fill(int *failed) {
  auto a = bankstripe::dynamic_stripe<int[4], 0, WARP_BYTES, WARP_BYTES>();
  for (int i = 0; i < 4; ++i)
    bankstripe::begin(a)[i] = own<int>(i);
  for (int i = 0; i < 4; ++i)
    EXPECT(bankstripe::begin(a)[i] == own<int>(i));
}

static size_t fill_bytes(dim3 block, size_t own) {
  static bankstripe::carveout carved;
  carved.set((const void *)fill, 30);
  return bankstripe::shared_bytes<WARP_BYTES>(block, own);
}
static size_t fill_bytes_for_grid(dim3 grid, dim3 block, size_t own) {
  static bankstripe::carveout carved;
  const size_t bytes = bankstripe::shared_bytes<WARP_BYTES>(block, own);
  carved.fit((const void *)fill, grid, block, bytes);
  return bytes;
}

template <class Bytes> static int launch(const char *name, Bytes bytes) {
  int *failed, line = -1;
  cudaMalloc(&failed, sizeof(int));
  cudaMemset(failed, 0, sizeof(int));
  cudaLaunchConfig_t config = {};
  config.gridDim = 3;
  config.blockDim = oddBlock();
  const size_t before = config.dynamicSmemBytes;
  cudaLaunchKernelEx(bankstripe::configured(&config, bytes), fill, failed);
  config.gridDim = 1;
  cudaLaunchKernelEx(bankstripe::configured(&config, bytes), fill, failed);
  const cudaError_t status = cudaDeviceSynchronize();
  cudaMemcpy(&line, failed, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(failed);
  std::printf("%s: %s, line %d\n", name, cudaGetErrorString(status), line);
  return status != cudaSuccess || line != 0 || config.dynamicSmemBytes != before;
}

static int needs(int expected, unsigned long long blocks, unsigned warps, size_t bytes) {
  bankstripe::detail::multiprocessors all = {};
  all.count = 132;
  all.threads = 2048;
  all.blocks = 32;
  all.registers = 65536;
  all.shared_bytes = 233472;
  all.registers_per_warp = 40 * 32;
  all.bytes_per_block = 1024;
  const int percent = bankstripe::detail::percent_needed(all, blocks, warps, bytes);
  if (percent != expected)
    std::printf("%llu blocks need %d percent, not %d\n", blocks, expected, percent);
  return percent != expected;
}

int main() {
  int failures = launch("configured", fill_bytes) + launch("with a grid", fill_bytes_for_grid);
  failures += needs(8, 1, 4, 15 * 1024);        // One block of 16 KB.
  failures += needs(8, 132, 4, 15 * 1024);      // One on each SM.
  failures += needs(22, 3 * 132, 4, 15 * 1024); // Three.
  failures += needs(85, 1 << 30, 4, 15 * 1024); // 12, whose registers there are.
  failures += needs(15, 1 << 30, 1, 0);         // 32, the most there can be.
  failures += needs(86, 1 << 30, 1, 64 * 1024); // Three, as many as fit.
  failures += needs(100, 1, 32, 300 * 1024);    // It will not start.
  return failures;
}
