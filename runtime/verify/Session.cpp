//===-- Session.cpp - runs both programs and gathers the result -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first run of the original chooses the launches after which memory is
// digested, within the limits of the options; all others follow its schedule.
//
//===----------------------------------------------------------------------===//

#include "verify/Session.h"
#include "verify/Originals.h"
#include "verify/Places.h"
#include "verify/Timing.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <sys/file.h>

using namespace bankstripe::runtime;

// Bytes that are fetched to find the first one that differs.
constexpr uint64_t MostFetchedBytes = 64 << 20;
// So many launches may turn out to vary before the search is given up, and so
// many allocations are compared within a tolerance; each costs several runs.
constexpr unsigned MostVaryingLaunches = 8;
constexpr unsigned MostDigestsForATrace = 1024;
constexpr size_t MostToleratedAllocations = 8;

namespace {

class Session {
public:
  Session(const Options &O, const std::string &Recorder, const Progress &Tell)
      : O(O), Tell(Tell), Runs(O, Recorder), Search(O, Runs, Tell) {}
  VerifyReport run();

private:
  RecordedRun recordOriginal(unsigned Number, const std::string &How,
                             const RunRequest &Request);
  bool recordOriginals();
  bool judgeOriginal(const RecordedRun &First);
  bool judgeAgain(const RecordedRun &First, const RecordedRun &Again);
  void lookAtAddresses(const RecordedRun &Rewritten);
  void compareLaunches(Recording &Rewritten);
  bool recordAgain(const std::string &With, const Schedule &When,
                   Recording &Rewritten);
  void
  recallVanished(const std::vector<std::pair<Difference, Location>> &Vanished);
  bool judgeRewritten(const RecordedRun &Original, const RecordedRun &Run);
  const OutputComparison &judgeOutput(const std::string &Rewritten);
  void judgeExpectations();
  void compareAll(bool Ended, Recording &Rewritten);
  void digestMore(bool Ended, Recording &Rewritten);
  void showBytes();
  void capture(const Recording &Rewritten);
  std::optional<unsigned> launchToCapture(const Recording &Rewritten,
                                          std::string &Problem) const;
  void tolerate();
  ToleratedMemory tolerateOne(const Difference &D);
  TimedRuns time();
  void noteProcesses(const char *Which, const RecordedRun &Run);
  void gatherNotes(const RecordedRun &Original, const RecordedRun &Rewritten);
  bool stop(Outcome Verdict, std::string Reason) {
    Report.Verdict = Verdict;
    Report.Reason = std::move(Reason);
    return false;
  }

  const Options &O;
  const Progress &Tell;
  Runner Runs;
  Locator Search;
  RunRequest Followed; ///< How all runs after the first one are recorded.
  RecordedRun First;
  std::vector<Recording> Controls;
  std::vector<std::string> ControlOutputs;
  VerifyReport Report;
};

} // namespace

// One of the runs that the rewritten program is compared with.
RecordedRun Session::recordOriginal(unsigned Number, const std::string &How,
                                    const RunRequest &Request) {
  const Originals Kept(O, How);
  if (std::optional<RecordedRun> Run = Kept.find(Number))
    return std::move(*Run);
  Tell(Number ? "recording the original again" : "recording the original");
  RecordedRun Run = Runs.run(O.Original, Request);
  Kept.keep(Number, Run);
  Runs.forget(Run);
  return Run;
}

static std::string join(const std::map<std::string, std::string> &Settings) {
  std::string Text;
  for (const auto &[Name, Value] : Settings)
    Text += Name + '=' + Value + ' ';
  return Text;
}

// \returns false when there is nothing to compare with.
bool Session::recordOriginals() {
  const RunRequest Limited{RecordingMode::Digest, digestLimits(O)};
  First = recordOriginal(0, join(Limited.Settings), Limited);
  if (!judgeOriginal(First))
    return false;
  std::string How;
  if (!Limited.Settings.empty()) {
    const Schedule Taken = Schedule::of(First.Record);
    Followed.Settings = Search.follow(Taken);
    How = Taken.text();
  }
  for (unsigned Number = 1; Number < O.Repeats; ++Number) {
    RecordedRun Again = recordOriginal(Number, How, Followed);
    if (!judgeAgain(First, Again))
      return false;
    Controls.push_back(std::move(Again.Record));
    ControlOutputs.push_back(std::move(Again.Child.Output));
  }
  return true;
}

// Whether a run of the original is something to compare with.
bool Session::judgeOriginal(const RecordedRun &Run) {
  if (!Run.Child.exited())
    return stop(Outcome::CannotRecord,
                "the original program: " + Run.Child.describe() +
                    lastWords(Run.Child));
  if (!Run.Problem.empty())
    return stop(Outcome::CannotRecord,
                "the original program could not be recorded: " + Run.Problem +
                    lastWords(Run.Child));
  if (Run.Record.Launches.empty())
    return stop(Outcome::CannotRecord,
                "the original program launches no kernel (" +
                    Run.Child.describe() + lastWords(Run.Child) + ")");
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
  Report.Overhead = O.Overhead;
  Report.Repeats = O.Repeats;
  if (Run.Child.ExitStatus != 0)
    Report.Notes.push_back("the original program itself ends with " +
                           Run.Child.describe() + lastWords(Run.Child));
  return true;
}

bool Session::judgeAgain(const RecordedRun &Run, const RecordedRun &Again) {
  if (!Again.Child.exited() || Run.Child.ExitStatus != Again.Child.ExitStatus)
    return stop(Outcome::CannotRecord,
                "the original program ends with " + Run.Child.describe() +
                    " and, run again, with " + Again.Child.describe() +
                    lastWords(Again.Child));
  if (!Again.Problem.empty())
    return stop(Outcome::CannotRecord,
                "the original program could not be recorded again: " +
                    Again.Problem + lastWords(Again.Child));
  return true;
}

bool Session::judgeRewritten(const RecordedRun &Original,
                             const RecordedRun &Run) {
  if (!Run.Child.exited() || Run.Child.ExitStatus != Original.Child.ExitStatus)
    return stop(Outcome::Differs,
                "the rewritten program: " + Run.Child.describe() +
                    lastWords(Run.Child));
  if (!Run.Problem.empty())
    return stop(Outcome::Differs,
                "the rewritten program could not be recorded: " + Run.Problem +
                    lastWords(Run.Child));
  return true;
}

const OutputComparison &Session::judgeOutput(const std::string &Rewritten) {
  const std::string &Original = First.Child.Output;
  // One run that prints something else is enough.
  std::string Control = Original;
  for (const std::string &Output : ControlOutputs)
    if (Output != Original)
      Control = Output;
  Report.Output = compareOutput(Original, Control, Rewritten);
  Report.OutputBytes = Original.size();
  return Report.Output;
}

void Session::judgeExpectations() {
  if (O.ExpectOutput && First.Child.Output.empty())
    stop(Outcome::Differs, "the original program prints nothing");
  if (O.ExpectOutput && Report.Output.NotDeterministic)
    stop(Outcome::Differs,
         "the output of the original program is not deterministic");
}

// The digests that were taken, and for each of \p Launches some of its own.
static Schedule refined(const Recording &Taken,
                        const std::set<unsigned> &Launches) {
  const Schedule Before = Schedule::of(Taken);
  Schedule Result;
  for (const Launch &L : Taken.Launches)
    if (Before.after(L.Index) || Launches.contains(L.Index) ||
        Launches.contains(L.Index + 1))
      Result.add(L.Index, L.Index, false);
    else if (Before.beforeFree(L.Index))
      Result.add(L.Index, L.Index, true);
  return Result;
}

// Takes all recordings once more, with another schedule. The rewritten program
// may crash: it is recorded up to there.
bool Session::recordAgain(const std::string &With, const Schedule &When,
                          Recording &Rewritten) {
  Tell("recording again, with " + With);
  Followed.Settings = Search.follow(When);
  const auto Record = [&](const Command &What, bool MayCrash, Recording &Into) {
    RecordedRun Run = Runs.run(What, Followed);
    Runs.forget(Run);
    Into = std::move(Run.Record);
    return Run.Problem.empty() && (Run.Child.exited() || MayCrash);
  };
  Recording NewOriginal, NewRewritten;
  std::vector<Recording> NewControls(Controls.size());
  bool Good = Record(O.Original, false, NewOriginal) &&
              Record(O.Rewritten, true, NewRewritten);
  for (Recording &Control : NewControls)
    Good = Good && Record(O.Original, false, Control);
  if (!Good)
    return false;
  First.Record = std::move(NewOriginal);
  Rewritten = std::move(NewRewritten);
  Controls = std::move(NewControls);
  return true;
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
  return At != Moved.Contents.end() && At->Launch == D.Launch;
}

// With fixed addresses, a result that depends on them is the same in each run
// of the original, and may be another one in the rewritten program, whose code
// has another size. A run with random addresses tells; then it is random ones
// for all that follow, and what depends on them is known to vary.
void Session::lookAtAddresses(const RecordedRun &Rewritten) {
  const Comparison Fixed = compare(First.Record, Controls, Rewritten.Record);
  if (!Fixed.First && Rewritten.Child.Output == First.Child.Output)
    return;
  Tell("recording the original at other addresses");
  RunRequest Elsewhere = Followed;
  Elsewhere.RandomAddresses = true;
  RecordedRun Run = Runs.run(O.Original, Elsewhere);
  Runs.forget(Run);
  if (!Run.Child.exited() || !Run.Problem.empty() ||
      Run.Child.ExitStatus != First.Child.ExitStatus)
    return;
  if (Fixed.First &&
      !mayBeOfAddresses(*Fixed.First, comparePair(First.Record, Run.Record)))
    return;
  ControlOutputs.push_back(std::move(Run.Child.Output));
  Controls.push_back(std::move(Run.Record));
  const Comparison Random = compare(First.Record, Controls, Rewritten.Record);
  if (Random.NotDeterministic == Fixed.NotDeterministic &&
      Random.SequenceNotDeterministicFrom ==
          Fixed.SequenceNotDeterministicFrom &&
      Random.OrderNotDeterministic == Fixed.OrderNotDeterministic)
    Controls.pop_back();
  else
    Runs.randomizeAddresses();
}

// The rewritten program failed or printed something else, and left no trace in
// the digests: what went wrong was overwritten since. More digests tell when.
void Session::digestMore(bool Ended, Recording &Rewritten) {
  const std::vector<Launch> &Launches = First.Record.Launches;
  const std::optional<Difference> &Found = Report.Launches.First;
  // Where a program ends too early is not where it went wrong.
  const bool IsTheEnd = Found && !Ended &&
                        (Found->Kind == DifferenceKind::MissingLaunch ||
                         Found->Kind == DifferenceKind::LaunchError);
  if (Launches.empty() || (Found && !IsTheEnd) ||
      std::ranges::all_of(Launches, &Launch::Digested))
    return;
  LaunchRange All{std::nullopt, static_cast<unsigned>(Launches.size() - 1)};
  if (IsTheEnd)
    All.Differs = std::min(All.Differs, Found->Launch);
  if (!recordAgain(
          "more digests",
          narrowed(Schedule::of(First.Record), All, MostDigestsForATrace),
          Rewritten))
    return;
  compareAll(Ended, Rewritten);
  if (Report.Found)
    ++Report.Found->Rounds;
}

// Also after a failure: how far the two agree says where to look.
void Session::compareAll(bool Ended, Recording &Rewritten) {
  if (Ended)
    compareLaunches(Rewritten);
  else
    Report.Launches = compare(First.Record, Controls, Rewritten);
}

// Compares, and narrows the first difference down to a launch. Where that turns
// out to be one that varies by itself, it gets digests of its own, which excuse
// what it writes and nothing else. A difference that is then neither found nor
// excused was there all the same.
void Session::compareLaunches(Recording &Rewritten) {
  std::set<unsigned> Varying;
  std::vector<std::pair<Difference, Location>> Vanished;
  for (;;) {
    Report.Launches = compare(First.Record, Controls, Rewritten);
    std::optional<Difference> &Differs = Report.Launches.First;
    if (!Differs)
      return recallVanished(Vanished);
    if (Differs->Kind != DifferenceKind::Contents || Report.Launches.ByDevice)
      return;
    const Difference Seen = *Differs;
    Report.Found = Search.narrow(
        Differs, rangeBefore(First.Record, Rewritten, Seen.Launch),
        Schedule::of(First.Record),
        Report.Launches.FirstIsTentative &&
            Varying.size() < MostVaryingLaunches);
    if (Differs)
      return;
    const size_t Known = Varying.size();
    Varying.insert(Report.Found->Varying.begin(), Report.Found->Varying.end());
    if (Varying.size() == Known ||
        !recordAgain("digests of the launches that vary",
                     refined(First.Record, Varying), Rewritten)) {
      Differs = Seen;
      Report.Found->Problem = "further runs went differently";
      return;
    }
    Vanished.emplace_back(Seen, *Report.Found);
    Report.Found.reset();
  }
}

void Session::recallVanished(
    const std::vector<std::pair<Difference, Location>> &Vanished) {
  const std::vector<Difference> &Excused = Report.Launches.Excused;
  for (const auto &[Seen, Where] : Vanished) {
    if (std::any_of(Excused.begin(), Excused.end(), [&](const Difference &D) {
          return D.IsVariable == Seen.IsVariable &&
                 D.Allocation == Seen.Allocation;
        }))
      continue;
    Report.Launches.First = Seen;
    Report.Found = Where;
    Report.Found->Problem = "the difference did not show again in another run";
    return;
  }
}

static std::string placeMade(const Recording &R, unsigned Allocation) {
  if (Allocation >= R.Allocations.size())
    return "";
  const std::optional<unsigned> Made = R.Allocations[Allocation].Made;
  return Made && *Made < R.Stacks.size() ? placeOf(R.Stacks[*Made]) : "";
}

void Session::showBytes() {
  const std::optional<Difference> &D = Report.Launches.First;
  if (!D || D->Kind != DifferenceKind::Contents || Report.Launches.ByDevice)
    return;
  Tell("fetching the bytes that differ");
  if (!D->IsVariable)
    Report.MadeAt = placeMade(First.Record, D->Allocation);
  const uint64_t End = std::min(D->LastEnd, D->Begin + MostFetchedBytes);
  Report.Bytes =
      findByteDifference(Search.fetch(false, *D, End),
                         Search.fetch(true, *D, End), D->Begin, O.Type);
}

ToleratedMemory Session::tolerateOne(const Difference &D) {
  Difference All = D;
  All.Begin = 0;
  ToleratedMemory Result{D, 0, {}, {}, false};
  const uint64_t End = std::min(D.Bytes, MostFetchedBytes);
  const std::string Original = Search.fetch(false, All, End);
  const std::string Again = Search.fetch(false, All, End);
  const std::string Rewritten = Search.fetch(true, All, End);
  Result.WasRead =
      Original.size() == End && Again.size() == End && Rewritten.size() == End;
  if (!Result.WasRead)
    return Result;
  Result.Bytes = End;
  Result.Rewrite = compareWithin(*O.Within, Original, Rewritten);
  Result.Original = compareWithin(*O.Within, Original, Again);
  return Result;
}

// What varies is compared within the tolerance, where one was given.
void Session::tolerate() {
  Report.Within = O.Within;
  if (!O.Within || Report.Launches.OrderNotDeterministic ||
      Report.Launches.ByDevice)
    return;
  const std::vector<Difference> &Excused = Report.Launches.Excused;
  for (size_t I = 0; I < std::min(Excused.size(), MostToleratedAllocations);
       ++I) {
    Tell(fmt::format("comparing within the tolerance, {} of {}", I + 1,
                     std::min(Excused.size(), MostToleratedAllocations)));
    Report.Tolerated.push_back(tolerateOne(Excused[I]));
    const ToleratedMemory &T = Report.Tolerated.back();
    if (T.Rewrite.Beyond > 0)
      stop(Outcome::Differs, "results that vary from run to run lie further "
                             "apart than the tolerance");
  }
  if (Excused.size() > MostToleratedAllocations)
    Report.Notes.push_back(fmt::format(
        "{} allocations vary; within the tolerance the first {} were compared",
        Excused.size(), MostToleratedAllocations));
}

// Which launch is to be captured; none where `Problem` says why.
std::optional<unsigned> Session::launchToCapture(const Recording &Rewritten,
                                                 std::string &Problem) const {
  const std::optional<Difference> &D = Report.Launches.First;
  if (O.CaptureLaunch && *O.CaptureLaunch >= Report.LaunchCount)
    Problem = fmt::format("the original makes {} launches, and they count "
                          "from 0",
                          Report.LaunchCount);
  else if (O.CaptureLaunch)
    return O.CaptureLaunch;
  else if (!D)
    Problem = "no launch differs; --capture-launch=N names one";
  else if (D->Kind != DifferenceKind::Contents &&
           D->Kind != DifferenceKind::LaunchError)
    Problem = "the first difference is not one in memory; --capture-launch=N "
              "names a launch";
  else if (Report.Launches.ByDevice)
    Problem = "the launch that differs has another number in each run";
  else if (Report.Found
               ? Report.Found->Range.isOne()
               : rangeBefore(First.Record, Rewritten, D->Launch).isOne())
    return D->Launch;
  else
    Problem = "it is not known which launch is the first to differ; "
              "--capture-launch=N names one";
  return std::nullopt;
}

void Session::capture(const Recording &Rewritten) {
  if (!Report.Captured)
    return;
  std::string &Problem = Report.Captured->Problem;
  Problem.clear();
  if (const auto Launch = launchToCapture(Rewritten, Problem))
    // Nothing is to be digested but what has to be.
    Report.Captured =
        Capturer(O, Runs, Search.follow(Schedule())).take(*Launch, Tell);
}

TimedRuns Session::time() {
  TimedRuns Timed = timeBoth(O, Runs, First.Child.ExitStatus, Tell);
  Report.Runs = Timed.Runs;
  Report.OriginalClocks = Timed.OriginalClocks;
  Report.RewrittenClocks = Timed.RewrittenClocks;
  Report.ClocksUnknown = Timed.ClocksUnknown;
  Report.Notes.insert(Report.Notes.end(), Timed.Notes.begin(),
                      Timed.Notes.end());
  if (Timed.Failure)
    stop(Timed.Failure->IsRewritten ? Outcome::Differs : Outcome::CannotRecord,
         Timed.Failure->Text);
  return Timed;
}

void Session::noteProcesses(const char *Which, const RecordedRun &Run) {
  if (Run.Others.empty())
    return;
  std::string Text = fmt::format(
      "{} processes of the {} command use the GPU; compared is the one with "
      "the most launches ({}), not compared: ",
      Run.Others.size() + 1, Which, Run.Record.Launches.size());
  for (const std::string &Other : Run.Others)
    Text += (&Other == &Run.Others.front() ? "" : "; ") + Other;
  if (Run.OtherCouldBeTaken)
    Text += "; some launch equally often, and the first to use the GPU is "
            "taken, which need not be the same one in every run";
  Report.Notes.push_back(std::move(Text));
}

void Session::gatherNotes(const RecordedRun &Original,
                          const RecordedRun &Rewritten) {
  std::map<std::string, uint64_t> Notes = Original.Record.Notes;
  for (const auto &[Text, Count] : Rewritten.Record.Notes)
    Notes[Text] = std::max(Notes[Text], Count);
  for (const auto &[Text, Count] : Notes)
    Report.Notes.push_back(Count == 1
                               ? Text + " (once)"
                               : fmt::format("{} ({} times)", Text, Count));
  const auto NoteEnd = [this](const char *Which, const RecordedRun &Run) {
    if (Run.Child.exited() && Run.Problem.empty() && !Run.Record.Complete)
      Report.Notes.push_back(fmt::format(
          "the recording of the {} program has no end: it ended through _exit, "
          "or the disk is full; what came later is not compared",
          Which));
  };
  NoteEnd("original", Original);
  NoteEnd("rewritten", Rewritten);
  noteProcesses("original", Original);
  noteProcesses("rewritten", Rewritten);
}

VerifyReport Session::run() {
  Report.OriginalCommand = O.Original.text();
  Report.RewrittenCommand = O.Rewritten.text();
  if (!O.CapturePath.empty()) {
    Report.Captured.emplace();
    Report.Captured->Path = O.CapturePath;
    Report.Captured->Problem = "the programs could not be compared";
  }
  if (Runs.folder().empty()) {
    stop(Outcome::CannotRecord, "no temporary folder can be made");
    return std::move(Report);
  }
  if (!O.LockPath.empty() && !FileLock(O.LockPath, LOCK_SH).isOpen()) {
    stop(Outcome::CannotRecord,
         fmt::format("cannot open the lock '{}'", O.LockPath));
    return std::move(Report);
  }
  if (!recordOriginals())
    return std::move(Report);
  Tell("recording the rewritten program");
  RecordedRun Rewritten = Runs.run(O.Rewritten, Followed);
  Runs.forget(Rewritten);
  gatherNotes(First, Rewritten);
  const bool Ended = judgeRewritten(First, Rewritten);
  if (Rewritten.Problem.empty()) {
    if (Ended)
      lookAtAddresses(Rewritten);
    compareAll(Ended, Rewritten.Record);
    if (!Ended || judgeOutput(Rewritten.Child.Output).failed())
      digestMore(Ended, Rewritten.Record);
    Report.Kernels = kernelStatistics(First.Record, Rewritten.Record, {}, {});
  }
  if (!Ended) {
    capture(Rewritten.Record);
    return std::move(Report);
  }

  Report.Verdict =
      Report.Launches.identical() ? Outcome::Identical : Outcome::Differs;
  if (Report.Output.failed())
    Report.Verdict = Outcome::Differs;
  judgeExpectations();
  showBytes();
  capture(Rewritten.Record);
  tolerate();

  const TimedRuns Timed = time();
  Report.Kernels = kernelStatistics(First.Record, Rewritten.Record,
                                    Timed.Originals, Timed.Rewrittens);
  Report.Total = totalTimes(Timed.Originals, Timed.Rewrittens);
  return std::move(Report);
}

VerifyReport bankstripe::runtime::verify(const Options &O,
                                         const std::string &Recorder,
                                         const Progress &Tell) {
  return Session(O, Recorder, Tell).run();
}
