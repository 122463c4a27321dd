//===-- Statistics.cpp - durations per kernel -----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Statistics.h"
#include <algorithm>

using namespace bankstripe::runtime;

double bankstripe::runtime::median(std::vector<double> Values) {
  if (Values.empty())
    return 0;
  std::sort(Values.begin(), Values.end());
  const size_t Middle = Values.size() / 2;
  return Values.size() % 2 ? Values[Middle]
                           : (Values[Middle - 1] + Values[Middle]) / 2;
}

std::optional<double> KernelStatistics::speedup() const {
  if (!MedianOriginal || !MedianRewritten || *MedianRewritten <= 0)
    return std::nullopt;
  return *MedianOriginal / *MedianRewritten;
}

namespace {

// The durations of one kernel in one program.
struct Durations {
  std::vector<double> All;    // Every launch of every run.
  std::vector<double> Totals; // One sum per run.
};

} // namespace

static std::map<std::string, Durations>
durations(const std::vector<Recording> &Runs) {
  std::map<std::string, Durations> Found;
  for (const Recording &Run : Runs) {
    std::map<std::string, double> Totals;
    for (const Launch &L : Run.Launches) {
      const std::string Name = canonicalName(L.Kernel);
      Found[Name].All.push_back(L.Nanoseconds);
      Totals[Name] += L.Nanoseconds;
    }
    for (const auto &[Name, Total] : Totals)
      Found[Name].Totals.push_back(Total);
  }
  return Found;
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
    KernelStatistics &K = Row(canonicalName(L.Kernel));
    ++K.Launches;
    if (!K.Original)
      K.Original = L.Takes;
  }
  for (const Launch &L : Rewritten.Launches)
    if (KernelStatistics &K = Row(canonicalName(L.Kernel)); !K.Rewritten)
      K.Rewritten = L.Takes;
  for (const auto &[Name, D] : durations(OriginalTimes)) {
    Row(Name).MedianOriginal = median(D.All);
    Row(Name).TotalOriginal = median(D.Totals);
  }
  for (const auto &[Name, D] : durations(RewrittenTimes)) {
    Row(Name).MedianRewritten = median(D.All);
    Row(Name).TotalRewritten = median(D.Totals);
  }
  return Rows;
}
