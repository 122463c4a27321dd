//===-- Report.cpp - a replay for people and for programs -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "replay/Report.h"
#include "harness/Words.h"
#include "recording/Optional.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace bankstripe;
using namespace bankstripe::runtime;

const char *bankstripe::runtime::sideName(Side Of) {
  return Of == Side::Original ? "original" : "rewritten";
}

namespace bankstripe::runtime {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SideResult, Error, ChangedPages, Differences,
                                   Digest, Varies)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReplayResults, Candidate, Problem, Original,
                                   Rewritten, Timed, IsStopped, Untimed)

} // namespace bankstripe::runtime

std::string bankstripe::runtime::printResults(const ReplayResults &Results) {
  // Names of symbols come from files and need not be UTF-8.
  return nlohmann::json(Results).dump(
             -1, ' ', false, nlohmann::json::error_handler_t::replace) +
         '\n';
}

std::optional<ReplayResults>
bankstripe::runtime::readResults(const std::string &Lines, unsigned Candidate) {
  std::optional<ReplayResults> Latest;
  std::istringstream Input(Lines);
  for (std::string Line; std::getline(Input, Line);)
    if (const auto Value = nlohmann::json::parse(Line, nullptr, false);
        !Value.is_discarded() && Value.at("Candidate") == Candidate)
      Latest = Value.get<ReplayResults>();
  return Latest;
}

ExitStatus bankstripe::runtime::judge(const ReplayResults &Results) {
  const auto IsGood = [](const std::optional<SideResult> &Side) {
    return Side && Side->Error.empty() && Side->Differences.empty();
  };
  if (!IsGood(Results.Original))
    return ExitCannotRecord;
  if (Results.Rewritten && !IsGood(Results.Rewritten))
    return ExitDiffers;
  return Results.Problem.empty() ? ExitIdentical : ExitCannotRecord;
}

PairedTimes
bankstripe::runtime::pairedTimes(std::span<const double> Nanoseconds) {
  std::vector<double> Original, Rewritten;
  for (unsigned I = 0; I < Nanoseconds.size(); ++I)
    (timedSide(I) == Side::Original ? Original : Rewritten)
        .push_back(Nanoseconds[I]);
  return pairTimes(Original, Rewritten);
}

static std::string headline(const Capture &Of) {
  const auto Variables = std::ranges::count_if(
      Of.Memory, [](const CapturedMemory &M) { return M.isVariable(); });
  uint64_t Bytes = 0;
  for (const CapturedMemory &M : Of.Memory)
    Bytes += M.Bytes;
  const CapturedKernel &K = Of.Original;
  return fmt::format(
      "launch {}, {}\n  grid {}, block {}, {} of dynamic shared memory\n"
      "  captured on {} (compute capability {}) with {}, {} and {} of memory\n",
      Of.Program.Launch, canonicalName(K.Symbol), K.Grid.text(), K.Block.text(),
      plural(K.DynamicSharedBytes, "byte"), Of.Program.Device,
      Of.Program.Capability,
      plural(Of.Memory.size() - static_cast<size_t>(Variables), "allocation"),
      plural(static_cast<uint64_t>(Variables), "variable"),
      plural(Bytes, "byte"));
}

std::string bankstripe::runtime::printSide(Side Which,
                                           const SideResult &Result) {
  std::string Text = fmt::format("{}: ", sideName(Which));
  if (!Result.Error.empty())
    return Text + "fails with " + Result.Error + '\n';
  Text += Result.Differences.empty() ? "leaves what was captured"
          : Result.Varies ? "leaves something else each time"
                          : "leaves something else than was captured";
  Text += fmt::format(", {} of 64 KiB changed",
                      plural(Result.ChangedPages, "page"));
  Text += '\n';
  constexpr size_t Most = 8;
  for (size_t I = 0; I < std::min(Most, Result.Differences.size()); ++I)
    Text += Result.Differences[I];
  if (Result.Differences.size() > Most)
    Text += fmt::format("  and {} more\n",
                        plural(Result.Differences.size() - Most, "place"));
  return Text;
}

static ResultVerdict verdictOf(const ReplayResults &R) {
  switch (judge(R)) {
  case ExitIdentical:
    return R.Rewritten ? ResultVerdict::Identical : ResultVerdict::Reproduced;
  case ExitDiffers:
    return ResultVerdict::Differs;
  default:
    return !R.Original || !R.Problem.empty() ? ResultVerdict::NotReplayed
           : R.Original->isLikeCaptured()    ? ResultVerdict::Varies
                                             : ResultVerdict::NotReproduced;
  }
}

static std::string timesText(const ReplayResults &R) {
  const PairedTimes &T = R.Times;
  if (!T.speedup())
    return R.Untimed.empty() ? "" : "not timed: " + R.Untimed + '\n';
  std::string Text = fmt::format(
      "{} of each: original {}, rewritten {}\nspeedup {:.2f}",
      plural(R.Timed, "timed launch"), plainDurationText(T.OriginalTime),
      plainDurationText(T.RewrittenTime), *T.speedup());
  if (T.SpeedupInterval)
    Text +=
        fmt::format(" ({:.3f} to {:.3f} with 95 %): {}", T.SpeedupInterval->Low,
                    T.SpeedupInterval->High, T.verdict());
  return Text + '\n';
}

std::string bankstripe::runtime::printReplay(const Capture &Of,
                                             const ReplayResults &R) {
  std::string Text = fmt::format("{}: {}", textOf(verdictOf(R)), headline(Of));
  if (R.Original)
    Text += printSide(Side::Original, *R.Original);
  if (R.Rewritten)
    Text += printSide(Side::Rewritten, *R.Rewritten);
  if (!R.Problem.empty())
    Text += R.Problem + '\n';
  Text += timesText(R);
  for (const std::string &Note : Of.Notes)
    Text += "note: not in the capture: " + Note + '\n';
  return Text;
}

ReplayResult bankstripe::runtime::resultOf(const Capture &Of,
                                           const ReplayResults &R) {
  ReplayResult Result;
  Result.Verdict = verdictOf(R);
  Result.Problem = R.Problem;
  Result.Launch = Of.Program.Launch;
  Result.Kernel = canonicalName(Of.Original.Symbol);
  Result.Device = Of.Program.Device;
  Result.Capability = Of.Program.Capability;
  Result.Original = R.Original;
  Result.Rewritten = R.Rewritten;
  if (R.Times.speedup())
    Result.Times = ReplayTimes{R.Times, R.Timed, R.IsStopped};
  Result.Untimed = R.Untimed;
  Result.Notes = Of.Notes;
  return Result;
}
