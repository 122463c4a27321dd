//===-- Parameters.h - what a kernel is called with again -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_PARAMETERS_H
#define BANKSTRIPE_REPLAY_PARAMETERS_H

#include "replay/AddressPlan.h"

namespace bankstripe::runtime {

/// A variable that a module has at an address of its own.
struct MovedVariable {
  AddressRange Was; ///< Where it lay in the captured program.
  uint64_t IsAt = 0;
};

/// Whether two kernels take parameters of the same sizes at the same places.
bool haveSameLayout(const CapturedKernel &A, const CapturedKernel &B);

/// The buffer of all parameters, with gaps of zeros. A 64-bit word at a
/// multiple of 8 bytes in a parameter that points into a moved variable points
/// into it where it is now.
std::string parameterBuffer(const std::vector<CapturedParameter> &Parameters,
                            const std::vector<MovedVariable> &Moved);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_PARAMETERS_H
