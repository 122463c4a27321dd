//===-- Measured.h - what nvcc has against a plan ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_MEASURED_H
#define BANKSTRIPE_PLAN_MEASURED_H

#include "plan/Merge.h"

namespace bankstripe {

/// What nvcc makes of a kernel in which arrays move.
struct ChangedCode {
  /// How many times as much code runs again and again; 1 where there is hardly
  /// less of it.
  double Growth = 1;
  unsigned Registers = 0; ///< Per thread.
};

/// The same of all kernels that nvcc was asked about, by their mangled names.
std::map<std::string, ChangedCode> changedCode(const MergedRun &Run,
                                               const Measured &Known);

/// Why array \p I of \p Run, which changes as \p Planned, must not,
/// if that is known.
std::optional<Why> whyTakenBack(unsigned I,
                                const std::map<Place, Treatment> &Planned,
                                const MergedRun &Run, const Measured &Known);

/// Whether all frames of the kernels that reach \p A stayed as they were in a
/// trial in which it moved, so that nothing shows that it was in one.
bool keepsFrames(const ReachedArray &A, const MergedRun &Run,
                 const Measured &Known);

/// The smallest stack frame that kernel \p K had in a trial, which holds what
/// did not move in it; without one, that of the original.
uint64_t smallestFrame(const MergedKernel &K, const Measured &Known);

} // namespace bankstripe

#endif
