//===-- Measurement.h - what the runtime's programs found -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what bankstripe-verify (docs/reference/json-verify.md) and
// bankstripe-replay (docs/guide/replay.md) print with --json. An error is that
// it is of another form, or that nothing could be measured.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TUNE_MEASUREMENT_H
#define BANKSTRIPE_TUNE_MEASUREMENT_H

#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bankstripe {

/// The name of the kernel with the symbol or the demangled name \p Name as
/// different demanglers agree on it.
std::string comparableName(llvm::StringRef Name);

/// Time of all launches of one kernel in one run, in nanoseconds; the median
/// over the runs.
struct KernelTimes {
  double Original = 0;
  double Changed = 0;
  double speedup() const { return Original / Changed; }
};

/// A program beside its original.
struct Measurement {
  std::string Device;
  /// By comparableName(); only kernels that were timed in both programs.
  std::map<std::string, KernelTimes> Kernels;
  /// Why the changed program is no good; empty when both compute the same.
  std::string Problem;

  /// All kernels together.
  KernelTimes total() const;
};

llvm::Expected<Measurement> parseMeasurement(llvm::StringRef Json);

/// A captured launch.
struct CapturedLaunch {
  std::string File;       ///< Empty when there is none.
  double Nanoseconds = 0; ///< Of all launches that it stands for.
  uint64_t Bytes = 0;     ///< Of this memory.
  std::string Digest;     ///< Of what it launches, and with which memory.
};

/// What a run of the program showed of a kernel.
struct SeenKernel {
  unsigned BlockThreads = 0; ///< Of the largest block.
  std::vector<CapturedLaunch> Captures;
  std::string Problem; ///< Why some cannot be replayed; else empty.
};

/// A run of the program.
struct ProgramRun {
  std::string Device;
  std::string Architecture; ///< `sm_90`; empty when nothing was captured.
  std::map<std::string, SeenKernel> Kernels; ///< By comparableName().
};

llvm::Expected<ProgramRun> parseSurvey(llvm::StringRef Json);

/// A candidate that was launched in the place of the original.
struct Replayed {
  /// Median of the original over its own; nothing when it was not timed.
  std::optional<double> Speedup;
  std::string Problem; ///< What is wrong; else empty.
  /// The original leaves something else each time, so nothing is known of what
  /// this computes.
  bool Varies = false;
  /// Where the speedup lies with a probability of 95 %, where that was asked
  /// for long enough.
  std::optional<std::pair<double, double>> Sure = {};
};

/// What became of a list of candidates; a last one may be missing. Errors also:
/// the original does not leave what it had left in its program.
llvm::Expected<std::vector<Replayed>> parseReplays(llvm::StringRef Json);

} // namespace bankstripe

#endif
