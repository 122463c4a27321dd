//===-- Plot.h - bars and axes as SVG ---------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plot is a table with a small SVG in each row. Its coordinates are percents
// of its width, so bars fit any window while texts keep their size, and a
// reader who cannot see the bars has the figures beside them.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PAGE_PLOT_H
#define BANKSTRIPE_PAGE_PLOT_H

#include "page/Rows.h"

namespace bankstripe::runtime {

/// A logarithmic axis of factors that has 1 on it.
class FactorAxis {
public:
  /// Wide enough for all speedups of \p Rows and their intervals.
  explicit FactorAxis(const std::vector<KernelRow> &Rows);

  /// Where \p Factor stands, in percent of the width. What is beyond the end
  /// stands at the end.
  double place(double Factor) const;
  const std::vector<double> &ticks() const { return Ticks; }

private:
  double Low = 0.5, High = 2;
  std::vector<double> Ticks; ///< Among them Low, High and 1.
};

/// The labels of the axis.
std::string axisPlot(const FactorAxis &Axis);

/// A bar from 1 to the speedup, a dot at its end, and a line for the interval.
std::string speedupPlot(const KernelRow &Row, const FactorAxis &Axis);

/// Two bars, before and after, of which \p Most nanoseconds fill the width.
std::string timePlot(const KernelRow &Row, double Most);

/// What the plot of a speedup says, in words.
std::string speedupSentence(const KernelRow &Row);

/// "12.3 ms won", "1.20 ms lost", "no difference"
std::string wonText(double Nanoseconds);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_PAGE_PLOT_H
