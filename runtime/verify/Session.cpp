//===-- Session.cpp - runs both programs and gathers the result -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Session.h"
#include <algorithm>
#include <fmt/ranges.h>
#include <iterator>

using namespace bankstripe::runtime;

// Bytes that are fetched to find the first one that differs.
constexpr uint64_t MostFetchedBytes = 64 << 20;

namespace {

// Why a verification ends before everything was looked at: an exception.
struct Stop {
  ExitStatus Verdict = ExitCannotRecord;
  std::string Reason;
};

// The original's runs with digests, all by one rule.
struct Originals {
  DigestRun How;
  RecordedRun First;
  std::vector<Recording> Controls;
  std::vector<std::string> ControlOutputs;
};

// What the timed runs gave.
struct TimedRuns {
  std::vector<Recording> Originals, Rewrittens; // With executions.
  unsigned Runs = 0;                            // Of both.
  std::vector<std::string> Notes;
  std::optional<Stop> Failure; // Of a program that did not end as before.
};

} // namespace

//===----------------------------------------------------------------------===//
// The runs of the original
//===----------------------------------------------------------------------===//

// What is wrong with a run; nothing where it can be compared.
//
// \param Ending what is to be said unless it ended as it should.
static std::optional<Stop> judge(const RecordedRun &Run, bool IsGoodEnd,
                                 ExitStatus Verdict, const std::string &Ending,
                                 const std::string &NotRecorded) {
  if (IsGoodEnd && Run.Problem.empty())
    return std::nullopt;
  return Stop{Verdict, (IsGoodEnd ? NotRecorded + ": " + Run.Problem : Ending) +
                           lastWords(Run.Child)};
}

static void requireOriginal(const RecordedRun &Run) {
  if (const auto Problem =
          judge(Run, Run.Child.exited(), ExitCannotRecord,
                "the original program: " + Run.Child.describe(),
                "the original program could not be recorded"))
    throw *Problem;
  if (Run.Record.Launches.empty())
    throw Stop{ExitCannotRecord, "the original program launches no kernel (" +
                                     Run.Child.describe() +
                                     lastWords(Run.Child) + ")"};
}

static bool endsAlike(const RecordedRun &Original, const RecordedRun &Run) {
  return Run.Child.exited() &&
         Run.Child.ExitStatus == Original.Child.ExitStatus;
}

static DigestRule ruleOf(const Options &O) {
  DigestRule Rule;
  if (O.First)
    Rule.First = Rule.FirstFrees = *O.First;
  return Rule;
}

static Originals recordOriginal(ProgramRunner &Programs) {
  const std::string &Recorded = Programs.options().RecordedFolder;
  if (!Recorded.empty()) {
    auto Kept = Runner::kept(Runner::placeOf(Recorded, 0));
    if (!Kept)
      throw Stop{ExitCannotRecord, "'" + Recorded + "' holds no survey"};
    requireOriginal(Kept->Run);
    return {std::move(Kept->How), std::move(Kept->Run), {}, {}};
  }
  Originals All{{ruleOf(Programs.options())}, {}, {}, {}};
  Programs.show("recording the original");
  All.First = Programs.record(Programs.options().Original, All.How);
  requireOriginal(All.First);
  return All;
}

// What the original does not reproduce is asked only where the two differ.
static bool isSame(const RecordedRun &Original, const RecordedRun &Rewritten) {
  return compare(Original.Record, {}, Rewritten.Record).identical() &&
         Original.Child.Output == Rewritten.Child.Output;
}

// Many programs may be compared with one survey, and nearly all print their
// times: what the original does again is then known from the first one.
static RecordedRun recordAgain(ProgramRunner &Programs, const DigestRun &How,
                               unsigned Number) {
  const Options &O = Programs.options();
  const std::string Place =
      O.RecordedFolder.empty() ? "" : Runner::placeOf(O.RecordedFolder, Number);
  if (!Place.empty())
    if (auto Kept = Runner::kept(Place))
      return std::move(Kept->Run);
  Programs.show("recording the original again");
  return Programs.record(O.Original, How, Place);
}

static void recordAgain(ProgramRunner &Programs, Originals &Known) {
  for (unsigned Number = 1; Number < Programs.options().Repeats; ++Number) {
    RecordedRun Again = recordAgain(Programs, Known.How, Number);
    if (const auto Problem = judge(
            Again, endsAlike(Known.First, Again), ExitCannotRecord,
            "the original program ends with " + Known.First.Child.describe() +
                " and, run again, with " + Again.Child.describe(),
            "the original program could not be recorded again"))
      throw *Problem;
    Known.Controls.push_back(std::move(Again.Record));
    Known.ControlOutputs.push_back(std::move(Again.Child.Output));
  }
}

static OutputComparison judgeOutput(const Originals &Known,
                                    const std::string &Rewritten) {
  const std::string &Original = Known.First.Child.Output;
  // One run that prints something else is enough.
  std::string Control = Original;
  for (const std::string &Output : Known.ControlOutputs)
    if (Output != Original)
      Control = Output;
  return compareOutput(Original, Control, Rewritten);
}

// Whether the first difference can come from addresses. Where memory varied
// with them before, and was the same in both programs, they are the same.
static bool mayBeOfAddresses(const Difference &D, const PairComparison &Moved) {
  if (Moved.Stop && Moved.Stop->Launch <= D.Launch)
    return true;
  const auto At =
      std::ranges::find_if(Moved.Contents, [&D](const Difference &M) {
        return M.IsVariable == D.IsVariable && M.Allocation == D.Allocation;
      });
  return At != Moved.Contents.end() &&
         (At->Launch == D.Launch || D.Kind == DifferenceKind::Left);
}

// With fixed addresses, a result that depends on them is the same in each run
// of the original, and may be another one in the rewritten program, whose code
// has another size. A run with random addresses tells; then it is random ones
// for all that follow, and what depends on them is known to vary.
static Originals withOtherAddresses(ProgramRunner &Programs, Originals Known,
                                    const RecordedRun &Rewritten) {
  const Comparison Fixed =
      compare(Known.First.Record, Known.Controls, Rewritten.Record);
  if (!Fixed.First && !judgeOutput(Known, Rewritten.Child.Output).failed())
    return Known;
  Programs.show("recording the original at other addresses");
  DigestRun Moved = Known.How;
  Moved.RandomAddresses = true;
  RecordedRun Run = Programs.record(Programs.options().Original, Moved);
  if (!endsAlike(Known.First, Run) || !Run.Problem.empty())
    return Known;
  if (Fixed.First &&
      !mayBeOfAddresses(*Fixed.First,
                        comparePair(Known.First.Record, Run.Record)))
    return Known;
  Known.ControlOutputs.push_back(std::move(Run.Child.Output));
  Known.Controls.push_back(std::move(Run.Record));
  const Comparison Random =
      compare(Known.First.Record, Known.Controls, Rewritten.Record);
  if (Random.NotDeterministic == Fixed.NotDeterministic &&
      Random.SequenceNotDeterministicFrom ==
          Fixed.SequenceNotDeterministicFrom &&
      Random.OrderNotDeterministic == Fixed.OrderNotDeterministic)
    Known.Controls.pop_back();
  else
    Known.How.RandomAddresses = true;
  return Known;
}

//===----------------------------------------------------------------------===//
// What else is to be known
//===----------------------------------------------------------------------===//

static std::optional<ByteDifference>
findBytes(ProgramRunner &Programs, const Findings &Found, const Difference &D) {
  Programs.show("fetching the bytes that differ");
  const uint64_t End = std::min(D.LastEnd, D.Begin + MostFetchedBytes);
  const bool Random = Found.Recorded.How.RandomAddresses;
  return findByteDifference(fetchBytes(Programs, false, Random, D, End),
                            fetchBytes(Programs, true, Random, D, End),
                            D.Begin);
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

static std::optional<std::string> noteProcesses(const char *Which,
                                                const RecordedRun &Run) {
  if (Run.Others.empty())
    return std::nullopt;
  std::string Text = fmt::format(
      "{} processes of the {} command use the GPU; compared is the one with "
      "the most launches ({}), not compared: {}",
      Run.Others.size() + 1, Which, Run.Record.Launches.size(),
      fmt::join(Run.Others, "; "));
  if (Run.OtherMayBeChosen)
    Text += "; some launch equally often, and the first to use the GPU is "
            "taken, which need not be the same one in every run";
  return Text;
}

static std::vector<std::string> gatherNotes(const RecordedRun &Original,
                                            const RecordedRun &Rewritten) {
  std::vector<std::string> All;
  std::map<std::string, uint64_t> Notes = Original.Record.Notes;
  for (const auto &[Text, Count] : Rewritten.Record.Notes)
    Notes[Text] = std::max(Notes[Text], Count);
  Notes.erase(OccupancyNote); // Said where launches follow.
  All.reserve(Notes.size());
  for (const auto &[Text, Count] : Notes)
    All.push_back(Count == 1 ? Text + " (once)"
                             : fmt::format("{} ({} times)", Text, Count));
  for (const auto &[Which, Run] :
       {std::pair("original", &Original), std::pair("rewritten", &Rewritten)}) {
    if (Run->Child.exited() && Run->Problem.empty() && !Run->Record.Complete)
      All.push_back(fmt::format(
          "the recording of the {} program has no end: it ended through _exit, "
          "or the disk is full; what came later is not compared",
          Which));
    if (auto Note = noteProcesses(Which, *Run))
      All.push_back(std::move(*Note));
  }
  return All;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

// One run. \returns false when there will be no more durations.
static bool timeOne(ProgramRunner &Programs, bool IsRewritten, int ExitStatus,
                    TimedRuns &Result) {
  const Options &O = Programs.options();
  const char *Which = IsRewritten ? "rewritten" : "original";
  RecordRequest Request;
  Request.Mode = RecordingMode::Time;
  RecordedRun Run =
      Programs.run(IsRewritten ? O.Rewritten : O.Original, std::move(Request));
  Programs.forget(Run);
  if (!Run.Child.exited() || Run.Child.ExitStatus != ExitStatus) {
    Result.Failure = {
        IsRewritten ? ExitDiffers : ExitCannotRecord,
        fmt::format("the {} program, run without digests: {}{}{}", Which,
                    Run.Child.describe(),
                    Run.Child.exited()
                        ? fmt::format(", not {} as with digests", ExitStatus)
                        : "",
                    lastWords(Run.Child))};
    return false;
  }
  if (!Run.Problem.empty()) {
    Result.Notes.push_back(fmt::format("the {} program could not be timed: {}",
                                       Which, Run.Problem));
    return false;
  }
  if (Run.Record.Executions.empty()) {
    Result.Notes.push_back(
        fmt::format("the {} program, run without digests, left no durations; "
                    "does it end through _exit?",
                    Which));
    return false;
  }
  (IsRewritten ? Result.Rewrittens : Result.Originals)
      .push_back(std::move(Run.Record));
  return true;
}

// Stops with the first run that leaves no durations. The two take turns in
// going first, so that a GPU that warms up slows neither more than the other.
// \param ExitStatus what both have to end with.
static TimedRuns timeBoth(ProgramRunner &Programs, int ExitStatus) {
  const Options &O = Programs.options();
  TimedRuns Result;
  bool GoesOn = true;
  for (unsigned I = 0; I < O.Runs && GoesOn; ++I) {
    Programs.show(fmt::format("timing, run {} of {}", I + 1, O.Runs));
    for (const bool IsRewritten : {I % 2 == 1, I % 2 == 0})
      GoesOn = GoesOn && timeOne(Programs, IsRewritten, ExitStatus, Result);
    Result.Runs += GoesOn;
  }
  return Result;
}

// The times of the runs with digests, which have none afterwards.
static TimedRuns moveTimes(Recordings &From) {
  TimedRuns Result;
  Result.Originals.emplace_back().Executions =
      std::move(From.Original.Executions);
  Result.Rewrittens.emplace_back().Executions =
      std::move(From.Rewritten.Executions);
  Result.Runs = 1;
  return Result;
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static VerifyReport startReport(const Options &O) {
  VerifyReport Report;
  Report.OriginalCommand = O.Original.text();
  Report.RewrittenCommand = O.Rewritten.text();
  if (O.RecordedFolder.empty())
    Report.First = O.First;
  return Report;
}

static void describeOriginal(VerifyReport &Report, const RecordedRun &Run) {
  Report.Device = Run.Record.Device;
  Report.Capability = Run.Record.Capability;
  Report.LaunchCount = static_cast<unsigned>(Run.Record.Launches.size());
  Report.AllocationCount = static_cast<unsigned>(Run.Record.Allocations.size());
  Report.VariableCount = static_cast<unsigned>(Run.Record.Variables.size());
  Report.Skipped = Run.Record.Skipped;
  for (const Launch &L : Run.Record.Launches) {
    Report.DigestedLaunches += L.Digested;
    Report.DigestsBeforeFree += L.DigestedBeforeFree;
  }
  if (Run.Child.ExitStatus != 0)
    Report.Notes.push_back("the original program itself ends with " +
                           Run.Child.describe() + lastWords(Run.Child));
}

// The comparison of a rewritten program that was recorded.
static Findings findDifference(ProgramRunner &Programs, Originals &Known,
                               RecordedRun &Rewritten, bool Ended) {
  if (Ended)
    Known = withOtherAddresses(Programs, std::move(Known), Rewritten);
  Findings Found =
      lookFor(Programs,
              {Known.How, std::move(Known.First.Record),
               std::move(Rewritten.Record), std::move(Known.Controls)},
              Ended);
  if (Ended && !judgeOutput(Known, Rewritten.Child.Output).failed())
    return Found;
  return lookCloser(Programs, std::move(Found), Ended);
}

static void addTimes(VerifyReport &Report, TimedRuns Timed,
                     const Recordings &Recorded) {
  Report.Runs = Timed.Runs;
  std::ranges::move(Timed.Notes, std::back_inserter(Report.Notes));
  Report.Kernels = kernelStatistics(Recorded.Original, Recorded.Rewritten,
                                    Timed.Originals, Timed.Rewrittens);
  Report.Total = totalTimes(Timed.Originals, Timed.Rewrittens);
  if (Timed.Failure)
    throw *Timed.Failure;
}

static void compareWith(ProgramRunner &Programs, Originals Known,
                        VerifyReport &Report) {
  const Options &O = Programs.options();
  describeOriginal(Report, Known.First);
  Programs.show("recording the rewritten program");
  RecordedRun Rewritten = Programs.record(O.Rewritten, Known.How);
  std::ranges::move(gatherNotes(Known.First, Rewritten),
                    std::back_inserter(Report.Notes));
  const std::optional<Stop> Failed =
      judge(Rewritten, endsAlike(Known.First, Rewritten), ExitDiffers,
            "the rewritten program: " + Rewritten.Child.describe(),
            "the rewritten program could not be recorded");
  if (Failed || !isSame(Known.First, Rewritten))
    recordAgain(Programs, Known);
  Report.Repeats = 1 + static_cast<unsigned>(Known.Controls.size());
  Findings Found;
  if (Rewritten.Problem.empty()) {
    Found = findDifference(Programs, Known, Rewritten, !Failed);
    Report.Launches = Found.Launches;
    Report.Found = Found.Found;
    Report.Kernels = kernelStatistics(Found.Recorded.Original,
                                      Found.Recorded.Rewritten, {}, {});
  }
  if (Failed)
    throw *Failed;
  Report.Output = judgeOutput(Known, Rewritten.Child.Output);
  Report.OutputBytes = Known.First.Child.Output.size();
  const std::optional<Difference> &D = Report.Launches.First;
  if (D && D->Kind == DifferenceKind::Contents)
    Report.Bytes = findBytes(Programs, Found, *D);
  const bool Same = Report.Launches.identical() && !Report.Output.failed();
  Report.Verdict = Same ? ExitIdentical : ExitDiffers;
  TimedRuns Timed = Known.How.Survey && O.Runs == 0
                        ? moveTimes(Found.Recorded)
                        : timeBoth(Programs, Known.First.Child.ExitStatus);
  addTimes(Report, std::move(Timed), Found.Recorded);
}

VerifyReport bankstripe::runtime::verify(const Options &O,
                                         const std::string &Recorder,
                                         const Progress &Show) {
  VerifyReport Report = startReport(O);
  ProgramRunner Programs(O, Recorder, Show);
  try {
    if (Programs.folder().empty())
      throw Stop{ExitCannotRecord, "no temporary folder can be made"};
    compareWith(Programs, recordOriginal(Programs), Report);
  } catch (Stop &Why) {
    Report.Verdict = Why.Verdict;
    Report.Reason = std::move(Why.Reason);
  }
  return Report;
}
