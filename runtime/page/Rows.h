//===-- Rows.h - kernels as the HTML report shows them ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was measured, what was planned and what the GPU is, joined per kernel
// and put in order, before any of it becomes text.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PAGE_ROWS_H
#define BANKSTRIPE_PAGE_ROWS_H

#include "page/GpuFacts.h"
#include "page/Plan.h"
#include "verify/Session.h"

namespace bankstripe::runtime {

enum class Effect { Faster, Slower, Equal, Unknown };

/// Speedups this near to 1 are called equal where no spread is known.
constexpr double AssumedNoise = 0.02;

struct KernelRow {
  std::string Name;  ///< In full.
  std::string Short; ///< For plots; no two rows have the same.
  unsigned Launches = 0;
  std::optional<double> MedianBefore, MedianAfter; ///< Nanoseconds.
  double SpreadBefore = 0, SpreadAfter = 0;        ///< Of the medians.
  double TotalBefore = 0, TotalAfter = 0;          ///< Of one run.
  std::optional<double> Speedup;
  std::optional<Interval> Sure; ///< Where the speedup lies, with 95 %.
  Effect Change = Effect::Unknown;
  std::optional<Resources> Before, After;
  std::optional<LaunchShape> ShapeBefore, ShapeAfter;
  std::optional<unsigned> WarpsBefore, WarpsAfter; ///< Of a multiprocessor.
  const PlannedKernel *Planned = nullptr;

  double won() const { return TotalBefore - TotalAfter; }
  bool isTimed() const { return MedianBefore || MedianAfter; }
};

/// Everything below the verdict.
struct KernelRows {
  std::vector<KernelRow> Rows; ///< What changes the program most comes first.
  double TotalBefore = 0, TotalAfter = 0;
  bool HasIntervals = false;
  unsigned Faster = 0, Slower = 0, Equal = 0, NotTimed = 0;
  std::optional<double> speedup() const;
  /// Of a thread of the kernel that takes most, before and after.
  std::pair<unsigned, unsigned> mostLocalBytes() const;
};

/// \param Plan may be null; it has to outlive the rows.
/// \param Gpu where it is known, resident warps are computed for the launches
/// that were seen; else they are the plan's.
KernelRows kernelRows(const VerifyReport &Report, const HtmlPlan *Plan,
                      const std::optional<GpuFacts> &Gpu = std::nullopt);

Effect effectOf(const std::optional<double> &Speedup,
                const std::optional<Interval> &Sure);

/// The device memory that the driver sets aside for the local memory of a
/// kernel: that of all threads that the GPU can hold at once.
uint64_t reservedLocalBytes(unsigned BytesPerThread, const GpuFacts &Gpu);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_PAGE_ROWS_H
