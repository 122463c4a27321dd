//===-- Expectation.cpp - what a version may be worth ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rasmussen and Williams, Gaussian Processes for Machine Learning, algorithm
// 2.1; the gain is Jones' expected improvement.
//
//===----------------------------------------------------------------------===//

#include "tune/Expectation.h"
#include <cmath>

using namespace bankstripe;

// Standard deviations of the logarithm of a speedup: what only such a
// combination of arrays does, what only such a carveout does, and what a replay
// is off by.
static constexpr double OfCombination = 0.15, OfCarveout = 0.3, OfReplay = 0.01;

// How much of a prediction is believed.
static constexpr double Trust = 0.5;

double Estimate::gainOver(double Best) const {
  if (Deviation <= 0)
    return std::max(0.0, Mean - Best);
  const double Z = (Mean - Best) / Deviation;
  const double Density = std::exp(-Z * Z / 2) / std::sqrt(2 * M_PI);
  return (Mean - Best) * std::erfc(-Z / M_SQRT2) / 2 + Deviation * Density;
}

double Expectation::covariance(const Point &A, const Point &B) const {
  double Sum = 0;
  unsigned Different = 0;
  for (auto [Own, Other] : llvm::zip(*A.Arrays, *B.Arrays)) {
    const bool IsSame = Own.second == Other.second;
    Different += !IsSame;
    if (Own.second == Layout::Keep || Other.second == Layout::Keep)
      continue;
    const double Deviation = Prior.Deviations.at(Own.first);
    // Out of local memory it is in either.
    Sum += Deviation * Deviation * (IsSame ? 1 : 0.7);
  }
  const double Likeness = std::exp(-2.0 * Different / A.Arrays->size());
  return Sum +
         Likeness * (OfCombination * OfCombination +
                     (*A.Carved == *B.Carved ? OfCarveout * OfCarveout : 0));
}

double Expectation::priorMean(const Arrangement &Arrays) const {
  double Sum = 0;
  for (const auto &Each : Arrays)
    if (auto It = Prior.Effects.find(Each); It != Prior.Effects.end())
      Sum += It->second;
  return Trust * Sum;
}

Expectation::Expectation(const TuneGroup &G, const PriorKnowledge &Prior)
    : Prior(Prior) {
  std::vector<double> Solved;
  for (const Attempt &A : G.Attempts) {
    if (!A.Speedup)
      continue;
    const Point New{&A.Got, &A.Carved};
    std::vector<double> &Row = Factor.emplace_back();
    double Rest = std::log(*A.Speedup) - priorMean(A.Got);
    double Square = covariance(New, New) + OfReplay * OfReplay;
    for (size_t I = 0; I < Measured.size(); ++I) {
      double Value = covariance(New, Measured[I]);
      for (size_t K = 0; K < I; ++K)
        Value -= Row[K] * Factor[I][K];
      Row.push_back(Value / Factor[I][I]);
      Rest -= Row[I] * Solved[I];
      Square -= Row[I] * Row[I];
    }
    Row.push_back(std::sqrt(std::max(Square, OfReplay * OfReplay)));
    Solved.push_back(Rest / Row.back());
    Measured.push_back(New);
  }
  Weights = std::move(Solved);
}

Estimate Expectation::of(const Arrangement &Arrays,
                         const std::optional<Carveout> &Carved) const {
  const Point New{&Arrays, &Carved};
  Estimate Result{priorMean(Arrays), 0};
  double Square = covariance(New, New);
  std::vector<double> Row;
  for (size_t I = 0; I < Measured.size(); ++I) {
    double Value = covariance(New, Measured[I]);
    for (size_t K = 0; K < I; ++K)
      Value -= Row[K] * Factor[I][K];
    Row.push_back(Value / Factor[I][I]);
    Result.Mean += Row[I] * Weights[I];
    Square -= Row[I] * Row[I];
  }
  Result.Deviation = std::sqrt(std::max(Square, 0.0));
  return Result;
}
