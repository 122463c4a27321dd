//===-- Gpu.h - what the GPU says of itself ---------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_GPU_H
#define BANKSTRIPE_VERIFY_GPU_H

#include "verify/Statistics.h"
#include <atomic>
#include <cuda.h>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

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

// A GPU raises its clocks under load and lowers them when it is hot or idle.
// Times are only worth comparing when both programs had the same clocks, so
// they are read now and then while the programs run.

/// The clocks at one moment, in MHz.
struct ClockSample {
  unsigned Sm = 0, Memory = 0;
};

/// The clocks during the runs of a program, in MHz.
struct ClockSummary {
  struct Range {
    unsigned Low = 0, Median = 0, High = 0;
  };
  size_t Samples = 0;
  Range Sm, Memory;
};

/// None for no samples.
std::optional<ClockSummary> summarise(const std::vector<ClockSample> &Samples);

/// Reads the clocks; nothing when they cannot be read just now.
using ClockSource = std::function<std::optional<ClockSample>()>;

/// The clocks of the first GPU that this process sees, by way of NVIDIA's
/// management library, which is looked for at run time.
///
/// \returns the source, or why there is none.
std::variant<ClockSource, std::string> findClocks();

/// Reads clocks in a thread of its own, as long as it lives.
class ClockSampler {
public:
  /// \param Into gets the samples when the sampler goes.
  ClockSampler(const ClockSource &Source, std::vector<ClockSample> &Into);
  ~ClockSampler();
  ClockSampler(const ClockSampler &) = delete;
  ClockSampler &operator=(const ClockSampler &) = delete;

private:
  std::vector<ClockSample> &Into;
  std::vector<ClockSample> Samples;
  std::atomic<bool> Ends = false;
  std::thread Thread;
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
