//===-- DigestEngineTest.cpp - memory of the recorder's own ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a driver whose contexts take their memory along when they end.
//
//===----------------------------------------------------------------------===//

#include "recorder/DigestEngine.h"
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>

using namespace bankstripe::runtime;

// The pinned memory of the context that is current.
static std::map<const void *, std::unique_ptr<char[]>> Pinned;

extern "C" {

extern const unsigned char BankstripeDigestImage[];
const unsigned char BankstripeDigestImage[] = {0};

CUresult cuMemAllocHost(void **Memory, size_t Bytes) {
  auto Fresh = std::make_unique<char[]>(Bytes);
  *Memory = Fresh.get();
  Pinned[Fresh.get()] = std::move(Fresh);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void *To, CUdeviceptr, size_t Bytes, CUstream) {
  if (!Pinned.contains(To))
    return CUDA_ERROR_INVALID_VALUE;
  std::memset(To, 'x', Bytes);
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *, unsigned) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }

// What else the engine could ask for.
CUresult cuMemAlloc(CUdeviceptr *, size_t) { return CUDA_ERROR_UNKNOWN; }
CUresult cuMemFree(CUdeviceptr) { return CUDA_ERROR_UNKNOWN; }
CUresult cuMemFreeHost(void *) { return CUDA_ERROR_UNKNOWN; }
CUresult cuModuleLoadData(CUmodule *, const void *) {
  return CUDA_ERROR_UNKNOWN;
}
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *) {
  return CUDA_ERROR_UNKNOWN;
}
CUresult cuCtxGetDevice(CUdevice *) { return CUDA_ERROR_UNKNOWN; }
CUresult cuDeviceGetAttribute(int *, CUdevice_attribute, CUdevice) {
  return CUDA_ERROR_UNKNOWN;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, CUfunction, int,
                                                     size_t) {
  return CUDA_ERROR_UNKNOWN;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr, const void *, size_t, CUstream) {
  return CUDA_ERROR_UNKNOWN;
}
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, CUstream) {
  return CUDA_ERROR_UNKNOWN;
}
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, unsigned, CUstream, void **,
                        void **) {
  return CUDA_ERROR_UNKNOWN;
}

} // extern "C"

// After cudaDeviceReset the memory may be the program's.
TEST(DigestEngine, CopiesGoToMemoryOfItsOwnContext) {
  std::map<int, DigestEngine> Engines;
  std::string_view Copy;
  EXPECT_EQ(Engines[1].copyOut(0, 3, Copy), CUDA_SUCCESS);
  EXPECT_EQ(Copy, "xxx");
  Engines.erase(1);
  Pinned.clear();
  EXPECT_EQ(Engines[2].copyOut(0, 3, Copy), CUDA_SUCCESS);
  EXPECT_EQ(Copy, "xxx");
}
