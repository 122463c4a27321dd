//===-- Interval.h - how sure a speedup is ----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A percentile bootstrap (Efron and Tibshirani, An Introduction to the
// Bootstrap, 1993, chapter 13) of the ratio of two medians. As Kalibera and
// Jones advise (Rigorous Benchmarking in Reasonable Time, 2013), whole runs are
// drawn again and not single launches: the launches of one run share clocks and
// addresses and do not vary on their own.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_INTERVAL_H
#define BANKSTRIPE_VERIFY_INTERVAL_H

#include <cstdint>
#include <optional>
#include <vector>

namespace bankstripe::runtime {

/// A range that holds the true ratio with a probability of 95 %.
struct Interval {
  double Low = 0, High = 0;
  /// Whether a ratio of 1 is possible: no difference is to be seen.
  bool holdsOne() const { return Low <= 1 && 1 <= High; }
};

/// Fewer runs than this tell nothing of how much runs vary: of four values,
/// even the smallest and the largest hold the median between them only 7 times
/// in 8.
constexpr size_t FewestRunsForInterval = 5;

/// The steps in which GPUs count time. What differs by less is no difference.
constexpr double TimerStepNanoseconds = 32;

/// Of the median of \p Original over the median of \p Rewritten, each with one
/// value per run. The same values always give the same interval. None for
/// fewer than FewestRunsForInterval runs or times that are not positive.
///
/// \param Step how finely the values could be measured; the interval is widened
/// by what half a step on either side would make.
std::optional<Interval> ratioInterval(const std::vector<double> &Original,
                                      const std::vector<double> &Rewritten,
                                      double Step = TimerStepNanoseconds);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_INTERVAL_H
