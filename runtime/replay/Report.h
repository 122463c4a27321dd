//===-- Report.h - a replay for people and for programs ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that fails takes its process along. So the replay happens in a
// process of its own, which writes down what it has, as a line of JSON, as soon
// as there is more, and the one that was called reads the last one.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_REPORT_H
#define BANKSTRIPE_REPLAY_REPORT_H

#include "contract/Results.h"
#include "harness/ByteDifference.h"
#include "harness/CommandLine.h"
#include "harness/Statistics.h"
#include "recording/Capture.h"

namespace bankstripe::runtime {

/// Memory that is not what the captured launch left.
struct MemoryMismatch {
  unsigned Memory = 0; ///< Index in Capture::Memory.
  uint64_t DifferingBytes = 0;
  ByteDifference First; ///< Original: captured; rewritten: found.
};

enum class Side { Original, Rewritten };

/// "original" or "rewritten"
const char *sideName(Side Of);

/// The side of the timed launch \p Index, counted from 0: original, rewritten,
/// rewritten, original, and so on, so that none always goes first.
constexpr Side timedSide(unsigned Index) {
  return (Index + 1) / 2 % 2 == 0 ? Side::Original : Side::Rewritten;
}

/// One launch of a kernel again.
struct SideResult {
  std::string Error; ///< Name of the error that it ended with; or empty.
  uint64_t ChangedPages = 0; ///< That are not as they were before the launch.
  std::vector<MemoryMismatch> Mismatches;
  uint64_t MismatchDigest = 0; ///< Of the pages with a mismatch.
  /// Launched once more it left something else again, as atomic additions of
  /// floating-point numbers do.
  bool Varies = false;

  /// Whether its times are those of the launch in the program: it leaves the
  /// same, or what no launch leaves twice.
  bool isLikeCaptured() const {
    return Error.empty() && (Mismatches.empty() || Varies);
  }
};

/// What there is of a replay.
struct ReplayResults {
  unsigned Candidate = 0; ///< Which of several it is about.
  std::string Problem;    ///< Why there is no more; else empty.
  std::optional<SideResult> Original, Rewritten;
  unsigned Timed = 0;     ///< Launches of each side after the first ones.
  bool IsStopped = false; ///< As in ReplayTimes.
  std::string Untimed;    ///< Why there are no times though they were wanted.
};

/// What there is so far, as a line with its end.
std::string printResults(const ReplayResults &Results);

/// The last whole line of \p Lines that is about the candidate; none when none
/// is.
std::optional<ReplayResults> readResults(const std::string &Lines,
                                         unsigned Candidate = 0);

/// Everything that a replay found.
struct ReplayReport {
  ReplayResults Results;
  PairedTimes Times; ///< Of the timed launches.
};

/// What the results say.
ExitStatus judge(const ReplayResults &Results);

/// Medians and the interval of \p Nanoseconds: the durations of the
/// first launch of each side and then of the timed ones, in their order.
///
/// \return no times when there are not as many durations as launches.
PairedTimes pairedTimes(const std::vector<double> &Nanoseconds, unsigned Timed);

/// What the launch of one side gave, as text.
std::string printSide(const Capture &Of, Side Which, const SideResult &Result);

/// The report as text.
std::string printReplay(const Capture &Of, const ReplayReport &Report);

/// The report for programs.
ReplayResult resultOf(const Capture &Of, const ReplayReport &Report);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_REPORT_H
