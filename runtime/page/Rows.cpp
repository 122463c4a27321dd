//===-- Rows.cpp - kernels as the HTML report shows them ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "page/Rows.h"
#include "page/Occupancy.h"
#include "page/Text.h"
#include "verify/Text.h"
#include <algorithm>
#include <cmath>

using namespace bankstripe::runtime;

Effect bankstripe::runtime::effectOf(const std::optional<double> &Speedup,
                                     const std::optional<Interval> &Sure) {
  if (!Speedup || !std::isfinite(*Speedup) || *Speedup <= 0)
    return Effect::Unknown;
  const Interval Lies = Sure ? *Sure
                             : Interval{*Speedup / (1 + AssumedNoise),
                                        *Speedup * (1 + AssumedNoise)};
  if (Lies.holdsOne())
    return Effect::Equal;
  return Lies.Low > 1 ? Effect::Faster : Effect::Slower;
}

uint64_t bankstripe::runtime::reservedLocalBytes(unsigned BytesPerThread,
                                                 const GpuFacts &Gpu) {
  return uint64_t{BytesPerThread} * Gpu.ThreadsPerMultiprocessor *
         Gpu.Multiprocessors;
}

std::pair<unsigned, unsigned> KernelRows::mostLocalBytes() const {
  unsigned MostBefore = 0, MostAfter = 0;
  for (const KernelRow &Row : Rows) {
    MostBefore = std::max(MostBefore, Row.Before ? Row.Before->LocalBytes : 0);
    MostAfter = std::max(MostAfter, Row.After ? Row.After->LocalBytes : 0);
  }
  return {MostBefore, MostAfter};
}

std::optional<double> KernelRows::speedup() const {
  if (TotalBefore <= 0 || TotalAfter <= 0)
    return std::nullopt;
  return TotalBefore / TotalAfter;
}

namespace {

// The kernels of a plan by the names that a recording has. Instantiations
// differ in their mangled names only; where Clang and nvcc mangle differently,
// the name in the source has to do, if only one kernel has it.
class PlannedKernels {
public:
  explicit PlannedKernels(const HtmlPlan *Plan) {
    if (!Plan)
      return;
    for (const PlannedKernel &K : Plan->Kernels) {
      ByCanonicalName.try_emplace(canonicalName(K.MangledName), &K);
      const auto [At, IsNew] = BySourceName.try_emplace(K.Name, &K);
      if (!IsNew)
        At->second = nullptr;
    }
  }

  const PlannedKernel *find(const std::string &Name) const {
    if (const auto At = ByCanonicalName.find(Name); At != ByCanonicalName.end())
      return At->second;
    const auto At = BySourceName.find(functionName(Name));
    return At == BySourceName.end() ? nullptr : At->second;
  }

private:
  std::map<std::string, const PlannedKernel *> ByCanonicalName, BySourceName;
};

} // namespace

// Both figures from one source, so that they can be compared.
static void setWarps(KernelRow &Row, const std::optional<GpuFacts> &Gpu) {
  if (Gpu && Row.Before && Row.ShapeBefore && Row.After && Row.ShapeAfter) {
    Row.WarpsBefore = residentWarps(*Row.Before, *Row.ShapeBefore, *Gpu);
    Row.WarpsAfter = residentWarps(*Row.After, *Row.ShapeAfter, *Gpu);
  }
  if (Row.Planned && (!Row.WarpsBefore || !Row.WarpsAfter)) {
    Row.WarpsBefore = Row.Planned->WarpsBefore;
    Row.WarpsAfter = Row.Planned->WarpsAfter;
  }
}

static KernelRow makeRow(const KernelStatistics &K,
                         const PlannedKernels &Planned,
                         const std::optional<GpuFacts> &Gpu) {
  KernelRow Row;
  Row.Name = K.Name;
  Row.Short = plotName(K.Name);
  Row.Launches = K.Launches;
  Row.MedianBefore = K.MedianOriginal;
  Row.MedianAfter = K.MedianRewritten;
  Row.SpreadBefore = K.SpreadOriginal;
  Row.SpreadAfter = K.SpreadRewritten;
  Row.TotalBefore = K.TotalOriginal;
  Row.TotalAfter = K.TotalRewritten;
  Row.Speedup = K.speedup();
  Row.Sure = K.Sure;
  Row.Change = effectOf(Row.Speedup, Row.Sure);
  Row.Before = K.Original;
  Row.After = K.Rewritten;
  Row.ShapeBefore = K.OriginalShape;
  Row.ShapeAfter = K.RewrittenShape;
  Row.Planned = Planned.find(K.Name);
  setWarps(Row, Gpu);
  return Row;
}

// Instantiations of one template may be the same when shortened.
static void numberShortNames(std::vector<KernelRow> &Rows) {
  std::map<std::string, unsigned> Count, Seen;
  for (const KernelRow &Row : Rows)
    ++Count[Row.Short];
  for (KernelRow &Row : Rows)
    if (const std::string Shared = Row.Short; Count[Shared] > 1)
      Row.Short += " #" + std::to_string(++Seen[Shared]);
}

KernelRows bankstripe::runtime::kernelRows(const VerifyReport &Report,
                                           const HtmlPlan *Plan,
                                           const std::optional<GpuFacts> &Gpu) {
  const PlannedKernels Planned(Plan);
  KernelRows All;
  for (const KernelStatistics &K : Report.Kernels) {
    const KernelRow &Row = All.Rows.emplace_back(makeRow(K, Planned, Gpu));
    All.TotalBefore += Row.TotalBefore;
    All.TotalAfter += Row.TotalAfter;
    All.HasIntervals |= Row.Sure.has_value();
    ++(Row.Change == Effect::Faster   ? All.Faster
       : Row.Change == Effect::Slower ? All.Slower
       : Row.Change == Effect::Equal  ? All.Equal
                                      : All.NotTimed);
  }
  std::sort(All.Rows.begin(), All.Rows.end(),
            [](const KernelRow &A, const KernelRow &B) {
              const double WonA = std::abs(A.won()), WonB = std::abs(B.won());
              return WonA != WonB ? WonA > WonB : A.Name < B.Name;
            });
  numberShortNames(All.Rows);
  return All;
}
