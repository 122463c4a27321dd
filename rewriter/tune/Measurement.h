//===-- Measurement.h - what one comparison on the GPU found ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TUNE_MEASUREMENT_H
#define BANKSTRIPE_TUNE_MEASUREMENT_H

#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace bankstripe {

/// Time of all launches of one kernel in one run, in nanoseconds; the median
/// over the runs.
struct KernelTimes {
  double Original = 0;
  double Changed = 0;
};

/// A program beside its original, as bankstripe-verify saw them.
struct Measurement {
  std::string Device;
  /// By comparableName(); only kernels that were timed in both programs.
  std::map<std::string, KernelTimes> Kernels;
  /// Why the changed program is no good; empty when both compute the same.
  std::string Problem;
  /// The kernel that the problem was found in, by comparableName(); empty when
  /// that is not known.
  std::string Culprit;
};

/// The name of the kernel with the symbol or the demangled name \p Name as
/// different demanglers agree on it.
std::string comparableName(llvm::StringRef Name);

/// Reads what bankstripe-verify prints with --json (runtime/verify/JSON.md).
/// Errors: it is of another form, or nothing could be measured.
llvm::Expected<Measurement> parseMeasurement(llvm::StringRef Json);

} // namespace bankstripe

#endif
