//===-- Statistics.cpp - durations per kernel -----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/Statistics.h"
#include "harness/Words.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>
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
    Into.OriginalTime = median(Original);
  if (!Rewritten.empty())
    Into.RewrittenTime = median(Rewritten);
  Into.SpeedupInterval = ratioInterval(Original, Rewritten);
  return Into;
}

namespace {

// The executions of one kernel in one program, for each run that has any.
using Executions = std::vector<std::vector<const Launch *>>;

} // namespace

static std::map<std::string, Executions>
executions(const std::vector<Recording> &Runs) {
  std::map<std::string, Executions> Found;
  for (const Recording &Run : Runs) {
    std::map<std::string, std::vector<const Launch *>> All;
    for (const Launch &L : Run.Executions)
      All[L.Kernel].push_back(&L);
    for (auto &[Name, Launches] : All)
      Found[Name].push_back(std::move(Launches));
  }
  return Found;
}

// For each run, the time of the executions with these numbers together.
static std::vector<double> together(const Executions &Of,
                                    const std::vector<size_t> &Numbers) {
  std::vector<double> Totals;
  for (const auto &Run : Of) {
    double &Total = Totals.emplace_back(0);
    for (const size_t Number : Numbers)
      Total += Run[Number]->Nanoseconds;
  }
  return Totals;
}

// The numbers of executions by size: those of one grid and block of which none
// takes more than twice as long as another.
static std::vector<std::vector<size_t>> bySize(const Executions &Original) {
  struct Sized {
    LaunchSize Shape;
    double Time = 0;
    size_t Number = 0;
    auto operator<=>(const Sized &) const = default;
  };
  std::vector<Sized> All;
  for (size_t I = 0; I < Original[0].size(); ++I) {
    const Launch &L = *Original[0][I];
    All.push_back({{L.Grid, L.Block}, median(together(Original, {I})), I});
  }
  std::ranges::sort(All, std::less());
  std::vector<std::vector<size_t>> Groups;
  const Sized *Least = nullptr;
  for (const Sized &S : All) {
    if (!Least || S.Shape != Least->Shape || S.Time > 2 * Least->Time) {
      Groups.emplace_back();
      Least = &S;
    }
    Groups.back().push_back(S.Number);
  }
  return Groups;
}

// "(16, 4)", "16"
static std::string shortText(const Extent &E) {
  if (E.Z != 1)
    return fmt::format("({}, {}, {})", E.X, E.Y, E.Z);
  return E.Y != 1 ? fmt::format("({}, {})", E.X, E.Y) : std::to_string(E.X);
}

// The rows of sizes, the longest first; none where all launches are alike, or
// another run launches otherwise.
static std::vector<ComparedLaunches> timesBySize(const Executions &Original,
                                                 const Executions &Rewritten) {
  constexpr size_t MostRows = 8;
  for (const Executions *Runs : {&Original, &Rewritten})
    for (const auto &Run : *Runs)
      if (Run.size() != Original[0].size())
        return {};
  auto Groups = bySize(Original);
  if (Groups.size() < 2)
    return {};
  std::ranges::stable_sort(Groups, std::greater(), [&](const auto &Numbers) {
    return median(together(Original, Numbers));
  });
  const size_t Sizes = Groups.size();
  for (; Groups.size() > MostRows; Groups.pop_back())
    std::ranges::copy(Groups.back(), std::back_inserter(Groups[MostRows - 1]));
  std::vector<ComparedLaunches> Rows;
  for (const auto &Numbers : Groups) {
    const Launch &L = *Original[0][Numbers[0]];
    ComparedLaunches &Row = Rows.emplace_back();
    static_cast<PairedTimes &>(Row) =
        pairTimes(together(Original, Numbers), together(Rewritten, Numbers));
    Row.Launches = static_cast<unsigned>(Numbers.size());
    Row.Name = fmt::format("<<<{}, {}>>>, {} each", shortText(L.Grid),
                           shortText(L.Block),
                           plainDurationText(*Row.OriginalTime / Row.Launches));
  }
  if (Sizes > Rows.size())
    Rows.back().Name = fmt::format("{} other sizes", Sizes - MostRows + 1);
  return Rows;
}

static std::vector<double> totals(const Executions &Of) {
  std::vector<double> Totals;
  for (const auto &Run : Of) {
    double &Total = Totals.emplace_back(0);
    for (const Launch *L : Run)
      Total += L->Nanoseconds;
  }
  return Totals;
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
  auto InOriginal = executions(OriginalTimes);
  auto InRewritten = executions(RewrittenTimes);
  for (const auto *Program : {&InOriginal, &InRewritten})
    for (const auto &[Name, E] : *Program)
      Row(Name);
  for (KernelStatistics &K : Rows) {
    const Executions &A = InOriginal[K.Name], &B = InRewritten[K.Name];
    static_cast<PairedTimes &>(K) = pairTimes(totals(A), totals(B));
    if (!A.empty() && !B.empty())
      K.Sizes = timesBySize(A, B);
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
