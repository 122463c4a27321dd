//===-- GpuFacts.h - the figures of a GPU -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_GPUFACTS_H
#define BANKSTRIPE_VERIFY_GPUFACTS_H

#include "verify/Statistics.h"
#include <optional>
#include <string>

namespace bankstripe::runtime {

/// What the driver says of a GPU; sizes in bytes.
struct GpuFacts {
  unsigned Major = 0, Minor = 0; ///< The compute capability.
  unsigned Multiprocessors = 0;
  unsigned ThreadsPerMultiprocessor = 0; ///< That can be resident.
  unsigned ThreadsPerBlock = 0;
  unsigned RegistersPerMultiprocessor = 0, RegistersPerBlock = 0;
  unsigned SharedPerMultiprocessor = 0, SharedPerBlock = 0;
  unsigned SharedPerBlockOptIn = 0, SharedReservedPerBlock = 0;
  unsigned MegaHertz = 0; ///< The highest clock; 0: unknown.
  unsigned Driver = 0;    ///< The newest CUDA that it knows: 13000 is 13.0.
};

/// Asks the CUDA driver about the first GPU called \p Name. Nothing where there
/// is no driver or no such GPU.
std::optional<GpuFacts> gpuFacts(const std::string &Name);

/// The warps that an SM can hold of a kernel that takes \p Takes and
/// is launched like \p Shape. Nothing where the GPU's figures do not tell.
std::optional<unsigned> residentWarps(const Resources &Takes,
                                      const LaunchShape &Shape,
                                      const GpuFacts &Gpu);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_GPUFACTS_H
