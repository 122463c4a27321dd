//===-- Session.h - runs both programs and gathers the result ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     original, original again, rewritten           with digests, compared
//     original, rewritten, rewritten, original, ... with durations only
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_SESSION_H
#define BANKSTRIPE_VERIFY_SESSION_H

#include "verify/Clocks.h"
#include "verify/Compare.h"
#include "verify/Elements.h"
#include "verify/Options.h"
#include "verify/Statistics.h"
#include <functional>

namespace bankstripe::runtime {

enum class Outcome {
  Identical,    ///< Nothing differs that the rewrite is to blame for.
  Differs,      ///< Something does, or the rewritten program failed.
  CannotRecord, ///< There is nothing to judge.
};

/// Everything that a verification found.
struct VerifyReport {
  Outcome Verdict = Outcome::CannotRecord;
  /// For CannotRecord, and for Differs without a differing launch or output.
  std::string Reason;
  std::string Device, Capability;
  Comparison Launches;
  OutputComparison Output;
  uint64_t OutputBytes = 0;
  std::optional<ByteDifference> Bytes;
  std::vector<KernelStatistics> Kernels;
  unsigned Runs = 0; ///< Timed runs that succeeded, of each program.
  PairedTimes Total; ///< All launches of a run together.
  /// During the timed runs; none when they are unknown, and why.
  std::optional<ClockSummary> OriginalClocks, RewrittenClocks;
  std::string ClocksUnknown;
  /// As they would be typed.
  std::string OriginalCommand, RewrittenCommand;
  unsigned LaunchCount = 0, AllocationCount = 0, VariableCount = 0;
  /// What was not recorded or is worth knowing.
  std::vector<std::string> Notes;
};

/// Told before each run what it is for; for a progress line.
using Progress = std::function<void(const std::string &)>;

/// Runs the programs as often as needed. Recordings are kept in a temporary
/// folder, which is removed.
VerifyReport verify(const Options &O, const std::string &Recorder,
                    const Progress &Tell);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_SESSION_H
