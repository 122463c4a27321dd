//===-- Interval.cpp - how sure a speedup is ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Interval.h"
#include "verify/Statistics.h"
#include <algorithm>
#include <random>

using namespace bankstripe::runtime;

constexpr size_t Resamples = 10000;
constexpr size_t Tail = Resamples / 40; // 2.5 % on either side.
constexpr uint64_t Seed = 0x62616e6b73747269;

// The median of as many values as there are, drawn with replacement. The
// library's own distributions differ from one library to the next.
static double drawMedian(const std::vector<double> &Values,
                         std::mt19937_64 &Random) {
  std::vector<double> Drawn;
  Drawn.reserve(Values.size());
  for (size_t I = 0; I < Values.size(); ++I)
    Drawn.push_back(Values[Random() % Values.size()]);
  return median(std::move(Drawn));
}

std::optional<Interval>
bankstripe::runtime::ratioInterval(const std::vector<double> &Original,
                                   const std::vector<double> &Rewritten,
                                   double Step) {
  const auto IsUsable = [](const std::vector<double> &Values) {
    return Values.size() >= FewestRunsForInterval &&
           std::all_of(Values.begin(), Values.end(),
                       [](double V) { return V > 0; });
  };
  if (!IsUsable(Original) || !IsUsable(Rewritten))
    return std::nullopt;
  std::mt19937_64 Random(Seed);
  std::vector<double> Ratios(Resamples);
  for (double &Ratio : Ratios) {
    const double Above = drawMedian(Original, Random);
    Ratio = Above / drawMedian(Rewritten, Random);
  }
  std::sort(Ratios.begin(), Ratios.end());
  const double Coarseness =
      Step / 2 * (1 / median(Original) + 1 / median(Rewritten));
  return Interval{Ratios[Tail - 1] * (1 - Coarseness),
                  Ratios[Resamples - Tail] * (1 + Coarseness)};
}
