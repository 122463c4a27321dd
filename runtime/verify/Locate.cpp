//===-- Locate.cpp - the launch and the element that differ ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Locate.h"
#include "recording/Records.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>

using namespace bankstripe::runtime;

// 64 launches per round make 16 million in four rounds.
constexpr unsigned MostRounds = 12;
// So many launches may turn out to vary before the search is given up.
constexpr unsigned MostVaryingLaunches = 8;
constexpr unsigned MostDigestsForATrace = 1024;

DigestRule bankstripe::runtime::narrowed(DigestRule Before,
                                         const LaunchRange &Range,
                                         unsigned Most) {
  Before.Spans.push_back({Range.first(), Range.Differs, Most});
  Before.Until = Range.Differs;
  return Before;
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

// All recordings once more, by another rule; with \p Problem where that fails.
// Further runs of the original, too: what the digests so far did not see may
// vary all the same.
//
// \param MayCrash the rewritten program may: it is recorded up to there.
static Recordings recordAll(ProgramRunner &Programs, DigestRun How,
                            size_t Controls, bool MayCrash,
                            std::string &Problem) {
  const Options &O = Programs.options();
  Recordings All{std::move(How), {}, {}, std::vector<Recording>(Controls)};
  const auto Record = [&](const Command &What, bool MayCrash, Recording &Into) {
    if (!Problem.empty())
      return;
    RecordedRun Run = Programs.record(What, All.How);
    Problem =
        Run.Child.exited() || MayCrash ? Run.Problem : Run.Child.describe();
    Into = std::move(Run.Record);
  };
  Record(O.Original, false, All.Original);
  Record(O.Rewritten, MayCrash, All.Rewritten);
  for (Recording &Control : All.Controls)
    Record(O.Original, false, Control);
  return All;
}

static std::optional<Recordings> recordAgain(ProgramRunner &Programs,
                                             const char *What, DigestRun How,
                                             size_t Controls) {
  Programs.show(std::string("recording again, with ") + What);
  std::string Problem;
  Recordings All =
      recordAll(Programs, std::move(How), Controls, /*MayCrash=*/true, Problem);
  return Problem.empty() ? std::optional(std::move(All)) : std::nullopt;
}

namespace {

// The difference after the first launch that differs, and where that is.
struct Located {
  std::optional<Difference> First;
  Location At;
};

} // namespace

// One step of the search, from what is known so far. Where no further one makes
// sense, there is a problem, or nothing that differs any more.
static Located narrowOnce(ProgramRunner &Programs, Located Result,
                          const DigestRun &How, bool MayVanish) {
  Location &At = Result.At;
  Programs.show(fmt::format("locating the difference in the launches {} to {}",
                            At.Range.first(), At.Range.Differs));
  ++At.Rounds;
  At.Problem.clear();
  const Recordings Recorded = recordAll(
      Programs, How, Programs.options().Repeats - 1, false, At.Problem);
  if (!At.Problem.empty())
    return Result;
  const Comparison Found = Recorded.compared();
  const unsigned Last = At.Range.Differs;
  if (!Found.First || Found.First->Launch > Last ||
      Found.First->Launch < At.Range.first() ||
      Found.First->Kind != DifferenceKind::Contents) {
    // With digests after every launch, the usual excuses hold.
    const bool WasAll = Last - At.Range.first() < LaunchesPerRound;
    const bool IsBehind = Found.First && Found.First->Launch > Last;
    if (MayVanish && WasAll && (!Found.First || IsBehind)) {
      Result.First.reset();
      std::ranges::copy_if(Found.NotDeterministic,
                           std::back_inserter(At.Varying),
                           [Last](unsigned Launch) { return Launch <= Last; });
    } else {
      At.Problem = "the difference did not show again in another run";
    }
    return Result;
  }
  LaunchRange Next =
      rangeBefore(Recorded.Original, Recorded.Rewritten, Found.First->Launch);
  Next.EqualAfter = std::max(Next.EqualAfter, At.Range.EqualAfter);
  Result.First = Found.First;
  if (Next.Differs == At.Range.Differs &&
      Next.EqualAfter == At.Range.EqualAfter)
    At.Problem = "no launch closer to it has digests in both programs";
  At.Range = Next;
  return Result;
}

// Narrows the range, at whose end digests showed the difference.
//
// \param MayVanish whether it can turn out to be none, because each launch that
// differs is one that the original does not reproduce.
static Located locate(ProgramRunner &Programs, const Difference &First,
                      const LaunchRange &Range, DigestRun How, bool MayVanish) {
  Located Result{First, {}};
  Result.At.Range = Range;
  while (!Result.At.Range.isOne() && Result.At.Rounds < MostRounds) {
    How.Rule = narrowed(std::move(How.Rule), Result.At.Range);
    Result = narrowOnce(Programs, std::move(Result), How, MayVanish);
    if (!Result.First || !Result.At.Problem.empty())
      return Result;
  }
  if (!Result.At.Range.isOne())
    Result.At.Problem =
        fmt::format("given up after {} rounds", Result.At.Rounds);
  return Result;
}

// Digests of its own for each of these launches.
static DigestRule refined(DigestRule Rule, const std::set<unsigned> &Launches) {
  for (const unsigned Launch : Launches)
    Rule.Spans.push_back({Launch - (Launch > 0), Launch});
  return Rule;
}

// A difference that was there, and is then neither found nor excused.
static void
recallVanished(Findings &In,
               const std::vector<std::pair<Difference, Location>> &Vanished) {
  for (const auto &[Seen, Where] : Vanished) {
    if (In.Launches.Excused.contains({Seen.IsVariable, Seen.Allocation}))
      continue;
    In.Launches.First = Seen;
    In.Found = Where;
    In.Found->Problem = "the difference did not show again in another run";
    return;
  }
}

// Compares, and narrows the first difference down to a launch. Where that turns
// out to be one that varies by itself, it gets digests of its own, which excuse
// what it writes and nothing else.
static Findings compareAndLocate(ProgramRunner &Programs, Recordings Recorded) {
  const DigestRule Rule = Recorded.How.Rule;
  std::set<unsigned> Varying;
  std::vector<std::pair<Difference, Location>> Vanished;
  for (;;) {
    Findings Result{std::move(Recorded), {}, {}};
    Result.Launches = Result.Recorded.compared();
    if (!Result.Launches.First) {
      recallVanished(Result, Vanished);
      return Result;
    }
    const Difference Seen = *Result.Launches.First;
    if (Seen.Kind != DifferenceKind::Contents)
      return Result;
    Located Narrowed =
        locate(Programs, Seen,
               rangeBefore(Result.Recorded.Original, Result.Recorded.Rewritten,
                           Seen.Launch),
               Result.Recorded.How,
               Result.Launches.FirstIsTentative &&
                   Varying.size() < MostVaryingLaunches);
    Result.Launches.First = Narrowed.First;
    Result.Found = Narrowed.At;
    if (Narrowed.First)
      return Result;
    const size_t Known = Varying.size();
    Varying.insert(Narrowed.At.Varying.begin(), Narrowed.At.Varying.end());
    std::optional<Recordings> Again;
    if (Varying.size() > Known)
      Again = recordAgain(Programs, "digests of the launches that vary",
                          {refined(Rule, Varying),
                           Result.Recorded.How.RandomAddresses,
                           Result.Recorded.How.Survey},
                          Result.Recorded.Controls.size());
    if (!Again) {
      Result.Launches.First = Seen;
      Result.Found->Problem = "further runs went differently";
      return Result;
    }
    Vanished.emplace_back(Seen, Narrowed.At);
    Recorded = std::move(*Again);
  }
}

Findings bankstripe::runtime::lookFor(ProgramRunner &Programs,
                                      Recordings Recorded, bool Ended) {
  if (Ended)
    return compareAndLocate(Programs, std::move(Recorded));
  Findings Result{std::move(Recorded), {}, {}};
  Result.Launches = Result.Recorded.compared();
  return Result;
}

Findings bankstripe::runtime::lookCloser(ProgramRunner &Programs,
                                         Findings Known, bool Ended) {
  const std::deque<Launch> &Launches = Known.Recorded.Original.Launches;
  const std::optional<Difference> &Found = Known.Launches.First;
  // Where a program ends too early is not where it went wrong.
  const bool IsTheEnd = Found && !Ended &&
                        (Found->Kind == DifferenceKind::MissingLaunch ||
                         Found->Kind == DifferenceKind::LaunchError);
  if (Launches.empty() || (Found && !IsTheEnd) ||
      std::ranges::all_of(Launches, &Launch::Digested))
    return Known;
  LaunchRange All{std::nullopt, static_cast<unsigned>(Launches.size() - 1)};
  if (IsTheEnd)
    All.Differs = std::min(All.Differs, Found->Launch);
  auto More = recordAgain(
      Programs, "more digests",
      {narrowed(Known.Recorded.How.Rule, All, MostDigestsForATrace),
       Known.Recorded.How.RandomAddresses, Known.Recorded.How.Survey},
      Known.Recorded.Controls.size());
  if (!More)
    return Known;
  Findings Closer = lookFor(Programs, std::move(*More), Ended);
  if (Closer.Found)
    ++Closer.Found->Rounds;
  return Closer;
}

std::string bankstripe::runtime::fetchBytes(ProgramRunner &Programs,
                                            bool OfRewritten,
                                            bool RandomAddresses,
                                            const Difference &D, uint64_t End) {
  const Options &O = Programs.options();
  RecordRequest Request;
  Request.Digests = DigestRule::none();
  Request.Digests.Spans.push_back({D.Launch, D.Launch});
  Request.Bytes = {D.Launch, D.IsVariable,
                   OfRewritten ? D.RewrittenAllocation : D.Allocation, D.Begin,
                   End};
  const RecordedRun Run = Programs.run(OfRewritten ? O.Rewritten : O.Original,
                                       std::move(Request), RandomAddresses);
  std::string Bytes = readFile(Run.Path + ".bytes").value_or("");
  Programs.forget(Run);
  return Bytes;
}
