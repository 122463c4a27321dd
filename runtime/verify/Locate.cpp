//===-- Locate.cpp - the launch and the element that differ ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Locate.h"
#include "verify/Files.h"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>

using namespace bankstripe::runtime;

// 64 launches per round make 16 million in four rounds.
constexpr unsigned MostRounds = 12;

Schedule bankstripe::runtime::narrowed(const Schedule &Before,
                                       const LaunchRange &Range,
                                       unsigned Most) {
  Schedule Result;
  const unsigned First = Range.first();
  const uint64_t Count = uint64_t{Range.Differs} - First + 1;
  for (unsigned I = 0; I < First; ++I)
    if (const bool IsAfter = Before.after(I); IsAfter || Before.beforeFree(I))
      Result.add(I, I, !IsAfter);
  if (Count <= Most) {
    Result.add(First, Range.Differs, false);
    return Result;
  }
  unsigned Next = First;
  for (uint64_t I = 1; I <= Most; ++I) {
    const auto Point = static_cast<unsigned>(First + I * Count / Most - 1);
    if (Next < Point)
      Result.add(Next, Point - 1, true);
    Result.add(Point, Point, false);
    Next = Point + 1;
  }
  return Result;
}

LaunchRange bankstripe::runtime::rangeBefore(const Recording &Original,
                                             const Recording &Rewritten,
                                             unsigned Differs) {
  const auto IsDigested = [](const Recording &R, unsigned Index) {
    return Index < R.Launches.size() && R.Launches[Index].Digested;
  };
  LaunchRange Range{std::nullopt, Differs};
  for (unsigned I = Differs; I > 0 && !Range.EqualAfter; --I)
    if (IsDigested(Original, I - 1) && IsDigested(Rewritten, I - 1))
      Range.EqualAfter = I - 1;
  return Range;
}

std::map<std::string, std::string> Locator::follow(const Schedule &What) {
  const std::string Path =
      fmt::format("{}/schedule-{}", Runs.folder(), Schedules++);
  std::ofstream(Path, std::ios::binary) << What.text();
  return {{"BANKSTRIPE_SCHEDULE", Path}};
}

bool Locator::record(const Command &What, const Schedule &When, Recording &Into,
                     std::string &Problem) {
  RecordedRun Run = Runs.run(What, {RecordingMode::Digest, follow(When)});
  Runs.forget(Run);
  Problem = Run.Child.exited() ? Run.Problem : Run.Child.describe();
  Into = std::move(Run.Record);
  return Problem.empty();
}

// Further runs of the original, too: what the digests so far did not see may
// vary all the same.
bool Locator::round(std::optional<Difference> &First, Location &At,
                    const Schedule &When, bool MayVanish) {
  Tell(fmt::format("locating the difference in the launches {} to {}",
                   At.Range.first(), At.Range.Differs));
  ++At.Rounds;
  Recording Original, Rewritten;
  std::vector<Recording> Controls(O.Repeats - 1);
  if (!record(O.Original, When, Original, At.Problem) ||
      !record(O.Rewritten, When, Rewritten, At.Problem))
    return false;
  for (Recording &Control : Controls)
    if (!record(O.Original, When, Control, At.Problem))
      return false;
  const Comparison Found = compare(Original, Controls, Rewritten);
  const unsigned Last = At.Range.Differs;
  if (!Found.First || Found.First->Launch > Last ||
      Found.First->Launch < At.Range.first() ||
      Found.First->Kind != DifferenceKind::Contents) {
    // With digests after every launch, the usual excuses hold.
    const bool WasAll = Last - At.Range.first() < LaunchesPerRound;
    if (MayVanish && WasAll && !Found.First) {
      First.reset();
      At.Varying = Found.NotDeterministic;
    } else {
      At.Problem = "the difference did not show again in another run";
    }
    return false;
  }
  LaunchRange Next = rangeBefore(Original, Rewritten, Found.First->Launch);
  Next.EqualAfter = std::max(Next.EqualAfter, At.Range.EqualAfter);
  First = Found.First;
  if (Next.Differs == At.Range.Differs &&
      Next.EqualAfter == At.Range.EqualAfter)
    At.Problem = "no launch closer to it has digests in both programs";
  At.Range = Next;
  return At.Problem.empty();
}

Location Locator::narrow(std::optional<Difference> &First, LaunchRange Range,
                         Schedule When, bool MayVanish) {
  Location At;
  At.Range = Range;
  while (!At.Range.isOne() && At.Rounds < MostRounds) {
    When = narrowed(When, At.Range);
    if (!round(First, At, When, MayVanish))
      return At;
  }
  if (!At.Range.isOne())
    At.Problem = fmt::format("given up after {} rounds", At.Rounds);
  return At;
}

std::string Locator::fetch(bool IsRewritten, const Difference &D,
                           uint64_t End) {
  Schedule When;
  When.add(D.Launch, D.Launch, false);
  std::map<std::string, std::string> Settings = follow(When);
  Settings["BANKSTRIPE_DUMP"] = fmt::format(
      "{}:{}{}:{}:{}", D.Launch, D.IsVariable ? "v" : "",
      IsRewritten ? D.RewrittenAllocation : D.Allocation, D.Begin, End);
  const RecordedRun Run =
      Runs.run(IsRewritten ? O.Rewritten : O.Original,
               {RecordingMode::Digest, std::move(Settings)});
  std::string Bytes = readFile(Run.Path + ".bytes").value_or("");
  Runs.forget(Run);
  return Bytes;
}
