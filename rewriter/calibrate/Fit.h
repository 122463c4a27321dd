//===-- Fit.h - constants from timings --------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CALIBRATE_FIT_H
#define BANKSTRIPE_CALIBRATE_FIT_H

#include "plan/CostModel.h"

namespace bankstripe {

/// The program that measures (runtime/calibrate/CalibrationKernels.cu).
extern const char *const CalibrationKernels;

/// One kernel of the sweep, in one variant (tests/gpu/sweep/driver.cu).
struct Timing {
  unsigned Bytes = 0, Elements = 0; ///< Of an element; of the array.
  std::string Pattern;              ///< Of indices.
  unsigned Arithmetic = 0;          ///< Multiply-adds of a step.
  std::string Stream, Variant;
  unsigned Block = 0, Grid = 0, Blocks = 0; ///< The last on an SM at a time.
  double Milliseconds = 0;
  uint64_t Shared = 0; ///< Bytes of a block.
  bool Same = false;   ///< Results as those of the original.
};

struct Timings {
  std::string Gpu = FittedGpu, Arch = FittedArch;
  double Multiprocessors = 132, Megahertz = 1980;
  std::vector<Timing> All; ///< Of all that fit.
};

/// Adds what the lines of \p Text say. Errors: a line is none of a sweep's.
llvm::Error addTimings(llvm::StringRef Text, Timings &T);

/// What \p M makes of \p T: errors of the logarithm, root mean square.
double errorOf(const CostModel &M, const Timings &T);

/// The constants that fit \p T best, from \p Start.
CostModel fitted(const Timings &T, CostModel Start = {});

/// What an array costs where, for people.
std::string tableOf(const Timings &T);

} // namespace bankstripe

#endif
