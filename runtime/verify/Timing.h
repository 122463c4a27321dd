//===-- Timing.h - runs both programs for their durations ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_TIMING_H
#define BANKSTRIPE_VERIFY_TIMING_H

#include "verify/Runner.h"

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
  std::vector<std::string> Notes;
  std::optional<TimingFailure> Failure;
};

/// Runs the programs as often as the options say, without digests. Stops with
/// the first run that leaves no durations.
///
/// \param ExitStatus what both have to end with.
TimedRuns timeBoth(Runner &Runs, int ExitStatus);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_TIMING_H
