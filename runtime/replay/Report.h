//===-- Report.h - a replay for people and for programs ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_REPORT_H
#define BANKSTRIPE_REPLAY_REPORT_H

#include "replay/Options.h"
#include "verify/Statistics.h"

namespace bankstripe::runtime {

/// Everything that a replay found.
struct ReplayReport {
  ReplayResults Results;
  PairedTimes Times;   ///< Of the timed launches.
  std::string Untimed; ///< Why there are no times though they were wanted.
};

/// What the results say.
ExitStatus judge(const ReplayResults &Results);

/// Medians, spreads and the interval of \p Nanoseconds: the durations of the
/// first launch of each side and then of the timed ones, in their order.
///
/// \return no times when there are not as many durations as launches.
PairedTimes pairedTimes(const std::vector<double> &Nanoseconds, unsigned Timed);

/// What the launch of one side gave, as text.
std::string printSide(const Capture &Of, Side Which, const SideResult &Result);

/// The report as text.
std::string printReplay(const Capture &Of, const ReplayReport &Report);

/// The report as one JSON object, which docs/replay.md describes.
std::string jsonReplay(const Capture &Of, const ReplayReport &Report);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_REPORT_H
