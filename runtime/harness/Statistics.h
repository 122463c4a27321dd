//===-- Statistics.h - durations per kernel ---------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_HARNESS_STATISTICS_H
#define BANKSTRIPE_HARNESS_STATISTICS_H

#include "contract/Results.h"
#include "recording/Recording.h"
#include <optional>
#include <vector>

namespace bankstripe::runtime {

// How an interval comes about: docs/guide/verify.md, "How sure a speedup is".

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

/// The median; the mean of the two middle values of an even number; 0 for none.
double median(std::vector<double> Values);

/// \param Original,Rewritten one value per run.
PairedTimes pairTimes(const std::vector<double> &Original,
                      const std::vector<double> &Rewritten);

/// What a kernel takes, and how it is launched.
struct FirstLaunch : Resources {
  unsigned Threads = 0;            ///< Of a block.
  unsigned DynamicSharedBytes = 0; ///< Per block.
};

/// A kernel, with what it takes.
struct KernelStatistics : ComparedKernel {
  /// None when the program does not launch the kernel.
  std::optional<FirstLaunch> Original, Rewritten;
};

/// All executions of a run together, in \p Originals and \p Rewrittens.
PairedTimes totalTimes(const std::vector<Recording> &Originals,
                       const std::vector<Recording> &Rewrittens);

/// One entry per kernel, in the order of the original's first launches; those
/// of the rewritten program alone come last.
///
/// \param Original,Rewritten recordings with the kernels' resources.
/// \param OriginalTimes,RewrittenTimes recordings with executions.
std::vector<KernelStatistics>
kernelStatistics(const Recording &Original, const Recording &Rewritten,
                 const std::vector<Recording> &OriginalTimes,
                 const std::vector<Recording> &RewrittenTimes);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_HARNESS_STATISTICS_H
