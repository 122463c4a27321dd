//===-- Statistics.cpp - durations per kernel -----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/Statistics.h"
#include <algorithm>
#include <numeric>
#include <random>

using namespace bankstripe;
using namespace bankstripe::runtime;

double bankstripe::runtime::median(std::vector<double> Values) {
  if (Values.empty())
    return 0;
  std::sort(Values.begin(), Values.end());
  const size_t Middle = Values.size() / 2;
  return Values.size() % 2 ? Values[Middle]
                           : (Values[Middle - 1] + Values[Middle]) / 2;
}

PairedTimes
bankstripe::runtime::pairTimes(const std::vector<double> &Original,
                               const std::vector<double> &Rewritten) {
  PairedTimes Into;
  if (!Original.empty())
    Into.MedianOriginal = median(Original);
  if (!Rewritten.empty())
    Into.MedianRewritten = median(Rewritten);
  Into.SpeedupInterval = ratioInterval(Original, Rewritten);
  return Into;
}

namespace {

// The durations of one kernel in one program, one value per run.
struct Durations {
  std::vector<double> Medians, Totals;
};

} // namespace

static std::map<std::string, Durations>
durations(const std::vector<Recording> &Runs) {
  std::map<std::string, Durations> Found;
  for (const Recording &Run : Runs) {
    std::map<std::string, std::vector<double>> All;
    for (const Launch &L : Run.Executions)
      All[L.Kernel].push_back(L.Nanoseconds);
    for (auto &[Name, Values] : All) {
      Found[Name].Totals.push_back(
          std::accumulate(Values.begin(), Values.end(), 0.0));
      Found[Name].Medians.push_back(median(std::move(Values)));
    }
  }
  return Found;
}

static std::vector<double> runTotals(const std::vector<Recording> &Runs) {
  std::vector<double> Totals;
  for (const Recording &Run : Runs) {
    double &Total = Totals.emplace_back(0);
    for (const Launch &L : Run.Executions)
      Total += L.Nanoseconds;
  }
  return Totals;
}

PairedTimes
bankstripe::runtime::totalTimes(const std::vector<Recording> &Originals,
                                const std::vector<Recording> &Rewrittens) {
  return pairTimes(runTotals(Originals), runTotals(Rewrittens));
}

static FirstLaunch firstLaunch(const Launch &L) {
  return {L.Takes, L.Block.X * L.Block.Y * L.Block.Z, L.DynamicSharedBytes};
}

std::vector<KernelStatistics> bankstripe::runtime::kernelStatistics(
    const Recording &Original, const Recording &Rewritten,
    const std::vector<Recording> &OriginalTimes,
    const std::vector<Recording> &RewrittenTimes) {
  std::vector<KernelStatistics> Rows;
  std::map<std::string, size_t> RowOf;
  const auto Row = [&](const std::string &Name) -> KernelStatistics & {
    const auto [At, Inserted] = RowOf.try_emplace(Name, Rows.size());
    if (Inserted)
      Rows.emplace_back().Name = Name;
    return Rows[At->second];
  };
  for (const Launch &L : Original.Launches) {
    KernelStatistics &K = Row(L.Kernel);
    ++K.Launches;
    if (!K.Original)
      K.Original = firstLaunch(L);
  }
  for (const Launch &L : Rewritten.Launches)
    if (KernelStatistics &K = Row(L.Kernel); !K.Rewritten)
      K.Rewritten = firstLaunch(L);
  const auto InOriginal = durations(OriginalTimes);
  const auto InRewritten = durations(RewrittenTimes);
  for (const auto *Program : {&InOriginal, &InRewritten})
    for (const auto &[Name, D] : *Program)
      Row(Name);
  for (KernelStatistics &K : Rows) {
    const auto Of = [&K](const std::map<std::string, Durations> &Program) {
      const auto At = Program.find(K.Name);
      return At == Program.end() ? Durations() : At->second;
    };
    const Durations A = Of(InOriginal), B = Of(InRewritten);
    static_cast<PairedTimes &>(K) = pairTimes(A.Medians, B.Medians);
    K.TotalOriginal = median(A.Totals);
    K.TotalRewritten = median(B.Totals);
  }
  return Rows;
}

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
  // NOLINTNEXTLINE(bugprone-random-generator-seed): the same in each run.
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
