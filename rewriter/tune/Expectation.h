//===-- Expectation.h - what a version may be worth -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each array adds to the logarithm of a speedup, and neighbours are alike: a
// Gaussian process over the layouts of a group's arrays. It begins with what
// the model predicts, and what was measured corrects it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TUNE_EXPECTATION_H
#define BANKSTRIPE_TUNE_EXPECTATION_H

#include "tune/Attempts.h"

namespace bankstripe {

/// What is known of a group's arrays before anything is measured.
struct PriorKnowledge {
  /// The logarithm of what an array alone is predicted to be worth.
  std::map<std::pair<unsigned, LayoutChoice>, double> Effects;
  /// How far an array may be from that, as a standard deviation.
  std::map<unsigned, double> Deviations;
};

/// The logarithm of a speedup.
struct Estimate {
  double Mean = 0, Deviation = 0;

  /// By how much more than \p Best it is expected to be, where it is more.
  double gainOver(double Best) const;
};

/// What \p G may do in versions that were not measured.
class Expectation {
public:
  /// Both outlive this.
  Expectation(const TuneGroup &G, const PriorKnowledge &Prior);

  Estimate of(const Arrangement &Arrays,
              const std::optional<Carveout> &Carved) const;

private:
  struct Point {
    const Arrangement *Arrays;
    const std::optional<Carveout> *Carved;
  };
  double covariance(const Point &A, const Point &B) const;
  double priorMean(const Arrangement &Arrays) const;

  const PriorKnowledge &Prior;
  std::vector<Point> Measured;
  std::vector<std::vector<double>> Factor; ///< Of Cholesky's decomposition.
  std::vector<double> Weights;             ///< Of what was measured.
};

} // namespace bankstripe

#endif
