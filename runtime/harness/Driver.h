//===-- Driver.h - what is asked of the CUDA driver -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_HARNESS_DRIVER_H
#define BANKSTRIPE_HARNESS_DRIVER_H

#include <cuda.h>
#include <stdexcept>
#include <string>

namespace bankstripe::runtime {

// The driver is looked for when it is needed, so that all programs start on a
// machine without one. Names are those of cuda.h, which maps many of them to
// a later version of the function: both the member and the symbol that is
// looked up have the mapped name.

#define BANKSTRIPE_DRIVER_FUNCTIONS(X)                                         \
  X(cuInit)                                                                    \
  X(cuGetErrorName)                                                            \
  X(cuDeviceGet)                                                               \
  X(cuDeviceGetCount)                                                          \
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
  X(cuMemAlloc)                                                                \
  X(cuMemFree)                                                                 \
  X(cuMemAllocHost)                                                            \
  X(cuMemcpyHtoD)                                                              \
  X(cuMemcpyDtoH)                                                              \
  X(cuMemcpyDtoD)                                                              \
  X(cuMemsetD32)                                                               \
  X(cuModuleLoadData)                                                          \
  X(cuModuleGetFunction)                                                       \
  X(cuModuleGetGlobal)                                                         \
  X(cuFuncGetAttribute)                                                        \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                               \
  X(cuFuncSetAttribute)                                                        \
  X(cuLaunchKernelEx)

struct Driver {
// The driver's own names.
// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses)
#define BANKSTRIPE_MEMBER(NAME) decltype(&::NAME) NAME = nullptr;
  BANKSTRIPE_DRIVER_FUNCTIONS(BANKSTRIPE_MEMBER)
#undef BANKSTRIPE_MEMBER
  // NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)

  /// Loads the driver's library.
  ///
  /// \return what is wrong; empty when nothing is.
  std::string load();

  /// "CUDA_ERROR_ILLEGAL_ADDRESS"
  std::string name(CUresult Result) const;

  /// Throws a GpuProblem unless \p Result is success.
  ///
  /// \param What could not be done: "memory could not be filled"
  void need(CUresult Result, const std::string &What) const;
};

/// What cannot be done with a GPU.
struct GpuProblem : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Why no CUDA program can run here; empty when one can.
std::string whyNoGpu();

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_HARNESS_DRIVER_H
