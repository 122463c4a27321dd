//===-- KernelParameters.h - the values of a kernel's parameters -*- C++ -*-==//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch hands its parameters over in one of two ways: as an array of
// pointers, one to each value, or as a buffer in which all of them lie. Where
// they lie there and how large they are is known to the driver.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_KERNELPARAMETERS_H
#define BANKSTRIPE_RECORDER_KERNELPARAMETERS_H

#include "capture/Capture.h"
#include <span>

namespace bankstripe::runtime {

/// Where a parameter lies in a kernel's parameter buffer.
struct ParameterPlace {
  uint64_t Offset = 0, Bytes = 0;
};

/// The parameters that \p Values points to, one pointer for each place.
std::vector<CapturedParameter>
copyParameters(std::span<const ParameterPlace> Places,
               const void *const *Values);

/// The parameters that lie in \p Buffer; none when it does not hold them all.
std::optional<std::vector<CapturedParameter>>
cutParameters(std::span<const ParameterPlace> Places, std::string_view Buffer);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_KERNELPARAMETERS_H
