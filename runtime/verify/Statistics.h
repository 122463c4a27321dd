//===-- Statistics.h - durations per kernel ---------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_STATISTICS_H
#define BANKSTRIPE_VERIFY_STATISTICS_H

#include "recording/Recording.h"
#include "verify/Interval.h"
#include <string>

namespace bankstripe::runtime {

/// The median; the mean of the two middle values of an even number; 0 for none.
double median(std::vector<double> Values);

/// The difference between the quartiles, interpolated between values; 0 for
/// none.
double quartileRange(std::vector<double> Values);

/// What the times say of a rewritten kernel.
enum class TimeVerdict {
  Unknown, ///< There is no interval.
  Faster,
  Slower,
  Equal, ///< The difference is within the noise.
};

/// "unknown", "faster", "slower" or "equal".
const char *resultName(TimeVerdict Verdict);

/// Durations in both programs.
struct PairedTimes {
  /// The median over the runs, of the median over one run's launches, in
  /// nanoseconds; none when there are no times.
  std::optional<double> MedianOriginal, MedianRewritten;
  /// How far the runs lie apart: quartileRange() of their medians.
  double SpreadOriginal = 0, SpreadRewritten = 0;
  /// Where the speedup lies with a probability of 95 %.
  std::optional<Interval> Sure;
  /// Median of the original over that of the rewritten.
  std::optional<double> speedup() const;
  TimeVerdict verdict() const;
};

/// How a kernel is launched.
struct LaunchShape {
  unsigned Threads = 0;            ///< Of a block.
  unsigned DynamicSharedBytes = 0; ///< Per block.
};

/// One kernel of a program, before and after.
struct KernelStatistics : PairedTimes {
  std::string Name;      ///< Canonical.
  unsigned Launches = 0; ///< In one run of the original.
  /// Of one run's launches together, the median over the runs, in nanoseconds.
  double TotalOriginal = 0, TotalRewritten = 0;
  /// Of the first launch; none when the program does not launch the kernel.
  std::optional<Resources> Original, Rewritten;
  std::optional<LaunchShape> OriginalShape, RewrittenShape; ///< Likewise.
};

/// All launches of a run together, in \p Originals and \p Rewrittens, which are
/// recordings in mode Time.
PairedTimes totalTimes(const std::vector<Recording> &Originals,
                       const std::vector<Recording> &Rewrittens);

/// One entry per kernel, in the order of the original's first launches; those
/// of the rewritten program alone come last.
///
/// \param Original,Rewritten recordings with the kernels' resources.
/// \param OriginalTimes,RewrittenTimes recordings in mode Time.
std::vector<KernelStatistics>
kernelStatistics(const Recording &Original, const Recording &Rewritten,
                 const std::vector<Recording> &OriginalTimes,
                 const std::vector<Recording> &RewrittenTimes);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_STATISTICS_H
