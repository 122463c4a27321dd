//===-- Gpu.h - what the GPU says of itself ---------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_GPU_H
#define BANKSTRIPE_VERIFY_GPU_H

#include <cuda.h>
#include <optional>
#include <string>

namespace bankstripe::runtime {

// The driver is looked for when it is needed, so that all programs start on a
// machine without one. Names are those of cuda.h, which maps many of them to
// a later version of the function: both the member and the symbol that is
// looked up have the mapped name.

#define BANKSTRIPE_DRIVER_FUNCTIONS(X)                                         \
  X(cuInit)                                                                    \
  X(cuDriverGetVersion)                                                        \
  X(cuGetErrorName)                                                            \
  X(cuGetErrorString)                                                          \
  X(cuDeviceGet)                                                               \
  X(cuDeviceGetCount)                                                          \
  X(cuDeviceGetName)                                                           \
  X(cuDeviceGetPCIBusId)                                                       \
  X(cuDeviceGetAttribute)                                                      \
  X(cuDevicePrimaryCtxRetain)                                                  \
  X(cuCtxSetCurrent)                                                           \
  X(cuCtxSetLimit)                                                             \
  X(cuCtxSynchronize)                                                          \
  X(cuMemAddressReserve)                                                       \
  X(cuMemCreate)                                                               \
  X(cuMemMap)                                                                  \
  X(cuMemSetAccess)                                                            \
  X(cuMemGetInfo)                                                              \
  X(cuMemAllocHost)                                                            \
  X(cuMemcpyHtoD)                                                              \
  X(cuMemcpyDtoH)                                                              \
  X(cuMemsetD32)                                                               \
  X(cuModuleLoadData)                                                          \
  X(cuModuleGetFunction)                                                       \
  X(cuModuleGetGlobal)                                                         \
  X(cuFuncSetAttribute)                                                        \
  X(cuLaunchKernelEx)

struct Driver {
#define BANKSTRIPE_MEMBER(NAME) decltype(&::NAME) NAME = nullptr;
  BANKSTRIPE_DRIVER_FUNCTIONS(BANKSTRIPE_MEMBER)
#undef BANKSTRIPE_MEMBER

  /// Loads the driver's library.
  ///
  /// \return what is wrong; empty when nothing is.
  std::string load();

  /// "CUDA_ERROR_ILLEGAL_ADDRESS"
  std::string name(CUresult Result) const;
};

/// Why no CUDA program can run here; empty when one can.
std::string whyNoGpu();

/// What the driver says of a GPU.
struct GpuFacts {
  unsigned Multiprocessors = 0;
  unsigned ThreadsPerMultiprocessor = 0; ///< That can be resident.
  unsigned MegaHertz = 0;                ///< The highest clock; 0: unknown.
  unsigned Driver = 0; ///< The newest CUDA that it knows: 13000 is 13.0.
};

/// Asks the CUDA driver about the first GPU called \p Name. Nothing where there
/// is no driver or no such GPU.
std::optional<GpuFacts> gpuFacts(const std::string &Name);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_GPU_H
