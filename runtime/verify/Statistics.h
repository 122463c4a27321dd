//===-- Statistics.h - durations per kernel ---------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_STATISTICS_H
#define BANKSTRIPE_VERIFY_STATISTICS_H

#include "recording/Recording.h"

namespace bankstripe::runtime {

/// The median; the mean of the two middle values of an even number; 0 for none.
double median(std::vector<double> Values);

/// One kernel of a program, before and after.
struct KernelStatistics {
  std::string Name;      ///< Canonical.
  unsigned Launches = 0; ///< In one run of the original.
  /// Over all launches of all timed runs, in nanoseconds; none when the kernel
  /// was not timed.
  std::optional<double> MedianOriginal, MedianRewritten;
  /// Of one run's launches together, the median over the runs, in nanoseconds.
  double TotalOriginal = 0, TotalRewritten = 0;
  /// Of the first launch; none when the program does not launch the kernel.
  std::optional<Resources> Original, Rewritten;
  /// Median of the original over that of the rewritten.
  std::optional<double> speedup() const;
};

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
