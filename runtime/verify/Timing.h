//===-- Timing.h - runs both programs for their durations ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_TIMING_H
#define BANKSTRIPE_VERIFY_TIMING_H

#include "verify/Clocks.h"
#include "verify/Locate.h"

namespace bankstripe::runtime {

/// A program that did not end as it did before.
struct TimingFailure {
  bool IsRewritten = false;
  std::string Text; ///< How it ended.
};

/// What the timed runs gave.
struct TimedRuns {
  std::vector<Recording> Originals, Rewrittens; ///< In mode Time.
  unsigned Runs = 0;                            ///< Of both.
  std::optional<ClockSummary> OriginalClocks, RewrittenClocks;
  std::string ClocksUnknown; ///< Why a summary is not there.
  std::vector<std::string> Notes;
  std::optional<TimingFailure> Failure;
};

/// Runs the programs \p O.Runs times each, without digests, alone on the GPU
/// as far as \p O.LockPath sees to that. Stops with the first run that leaves
/// no durations.
///
/// \param ExitStatus what both have to end with.
TimedRuns timeBoth(const Options &O, Runner &Runs, int ExitStatus,
                   const Progress &Tell);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_TIMING_H
