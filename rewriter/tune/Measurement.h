//===-- Measurement.h - what the runtime's programs found -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what bankstripe-verify and bankstripe-replay print with --json
// (contract/Results.h). An error is that it is of another form, or that nothing
// could be measured.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TUNE_MEASUREMENT_H
#define BANKSTRIPE_TUNE_MEASUREMENT_H

#include "contract/Results.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bankstripe {

/// The name of the kernel with the symbol or the demangled name \p Name as
/// different demanglers agree on it.
std::string comparableName(llvm::StringRef Name);

/// A program beside its original.
struct Measurement {
  /// By comparableName(); only kernels that were timed in both programs.
  std::map<std::string, PairedTimes> Kernels;
  /// Of the whole program over its original; 1 where nothing was timed.
  double Speedup = 1;
  /// Why the changed program is no good; empty when both compute the same.
  std::string Problem;
};

llvm::Expected<Measurement> parseMeasurement(llvm::StringRef Json);

/// A run of the program.
struct ProgramRun {
  std::string Device;
  std::string Architecture; ///< `sm_90`; empty when nothing was captured.
  std::map<std::string, SurveyedKernel> Kernels; ///< By comparableName().
  double EndedAfter = 0; ///< Seconds, where it was ended; else 0.
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
  /// It leaves something else than the original does; Digest tells what.
  bool Differs = false;
  std::string Digest = {};
  /// Where the speedup lies with a probability of 95 %, where that was asked
  /// for long enough.
  std::optional<std::pair<double, double>> Sure = {};
  /// It was timed no longer since it is clearly slower.
  bool IsStopped = false;
};

/// What became of a list of candidates; a last one may be missing. Errors also:
/// the original does not leave what it had left in its program.
llvm::Expected<std::vector<Replayed>> parseReplays(llvm::StringRef Json);

} // namespace bankstripe

#endif
