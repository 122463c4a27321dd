//===-- Session.h - runs both programs and gathers the result ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order in which programs run: docs/internals/recorder.md, "Comparing".
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_SESSION_H
#define BANKSTRIPE_VERIFY_SESSION_H

#include "harness/Statistics.h"
#include "harness/Words.h"
#include "verify/Compare.h"
#include "verify/Locate.h"

namespace bankstripe::runtime {

/// Everything that a verification found.
struct VerifyReport {
  ExitStatus Verdict = ExitCannotRecord;
  /// For ExitCannotRecord, and for ExitDiffers without a differing launch or
  /// output.
  std::string Reason;
  std::string Device, Capability;
  Comparison Launches;
  OutputComparison Output;
  uint64_t OutputBytes = 0;
  std::optional<ByteDifference> Bytes;
  /// Where Launches.First was found, when it is a difference in memory.
  std::optional<Location> Found;
  unsigned Repeats = 1; ///< Runs of the original with digests.
  std::map<std::string, uint64_t> Skipped; ///< As in Recording.
  unsigned DigestedLaunches = 0;           ///< With digests right after them.
  unsigned DigestsBeforeFree = 0;          ///< Of memory after other launches.
  /// As in Options; none where a survey decided it.
  std::optional<uint64_t> First;
  std::vector<KernelStatistics> Kernels;
  unsigned Runs = 0; ///< Timed runs that succeeded, of each program.
  PairedTimes Total; ///< All launches of a run together.
  /// As they would be typed.
  std::string OriginalCommand, RewrittenCommand;
  unsigned LaunchCount = 0, AllocationCount = 0, VariableCount = 0;
  /// What was not recorded or is worth knowing.
  std::vector<std::string> Notes;
};

/// Runs the programs as often as needed. Recordings are kept in a temporary
/// folder, which is removed.
VerifyReport verify(const Options &O, const std::string &Recorder,
                    const Progress &Show);

/// The report as text.
std::string printReport(const VerifyReport &Report);

/// The report as one JSON object, which docs/reference/json.md
/// describes.
std::string jsonReport(const VerifyReport &Report);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_SESSION_H
