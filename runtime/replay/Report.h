//===-- Report.h - a replay for people and for programs ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_REPORT_H
#define BANKSTRIPE_REPLAY_REPORT_H

#include "contract/Results.h"
#include "harness/CommandLine.h"
#include "harness/Statistics.h"
#include "recording/Capture.h"

namespace bankstripe::runtime {

enum class Side { Original, Rewritten };

/// "original" or "rewritten"
const char *sideName(Side Of);

/// The side of the timed launch \p Index, counted from 0: original, rewritten,
/// rewritten, original, and so on, so that none always goes first.
constexpr Side timedSide(unsigned Index) {
  return (Index + 1) / 2 % 2 == 0 ? Side::Original : Side::Rewritten;
}

/// One launch of a kernel again.
struct SideResult : ReplayedKernel {
  /// Launched once more it left something else again, as atomic additions of
  /// floating-point numbers do.
  bool Varies = false;

  /// Whether its times are those of the launch in the program: it leaves the
  /// same, or what no launch leaves twice.
  bool isLikeCaptured() const {
    return Error.empty() && (Differences.empty() || Varies);
  }
};

/// Everything that a replay found.
struct ReplayResults {
  unsigned Candidate = 0; ///< Which of several it is about.
  std::string Problem;    ///< Why there is no more; else empty.
  std::optional<SideResult> Original, Rewritten;
  unsigned Timed = 0;     ///< Launches of each side after the first ones.
  bool IsStopped = false; ///< As in ReplayTimes.
  std::string Untimed;    ///< Why there are no times though they were wanted.
  PairedTimes Times;      ///< Of the timed launches; in no line.
};

/// What there is so far, as a line with its end.
std::string printResults(const ReplayResults &Results);

/// The last whole line of \p Lines that is about the candidate; none when none
/// is.
std::optional<ReplayResults> readResults(const std::string &Lines,
                                         unsigned Candidate = 0);

/// What the results say.
ExitStatus judge(const ReplayResults &Results);

/// Medians and the interval of the durations of timed launches, in their order.
PairedTimes pairedTimes(std::span<const double> Nanoseconds);

/// What the launch of one side gave, as text.
std::string printSide(Side Which, const SideResult &Result);

/// The report as text.
std::string printReplay(const Capture &Of, const ReplayResults &R);

/// The report for programs.
ReplayResult resultOf(const Capture &Of, const ReplayResults &R);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_REPORT_H
