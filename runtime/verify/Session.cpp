//===-- Session.cpp - runs both programs and gathers the result -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A difference in digests names a range of at most 1/256 of an allocation. To
// name the byte, both programs run once more and hand over the bytes of the
// range after that launch.
//
//===----------------------------------------------------------------------===//

#include "verify/Session.h"
#include "verify/Originals.h"
#include "verify/Runner.h"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/file.h>

using namespace bankstripe::runtime;

// Bytes that are fetched to find the first one that differs.
constexpr uint64_t MostFetchedBytes = 64 << 20;

namespace {

class Session {
public:
  Session(const Options &O, const std::string &Recorder, const Progress &Tell)
      : O(O), Tell(Tell), Runs(O, Recorder) {}
  VerifyReport run();

private:
  RecordedRun recordOriginal(unsigned Number);
  bool judgeOriginal(const RecordedRun &First, const RecordedRun &Second);
  bool judgeRewritten(const RecordedRun &Original, const RecordedRun &Run);
  void judgeOutput(const std::string &Original, const std::string &Control,
                   const std::string &Rewritten);
  void locate(const Difference &D);
  void timeBoth(std::vector<Recording> &Originals,
                std::vector<Recording> &Rewrittens);
  bool timeOne(bool IsRewritten, const ClockSource &Source,
               std::vector<ClockSample> &Clocks, std::vector<Recording> &Into);
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
  VerifyReport Report;
};

} // namespace

// One of the runs that the rewritten program is compared with.
RecordedRun Session::recordOriginal(unsigned Number) {
  const Originals Kept(O, "");
  if (std::optional<RecordedRun> Run = Kept.find(Number))
    return std::move(*Run);
  Tell(Number ? "recording the original again" : "recording the original");
  RecordedRun Run = Runs.run(O.Original, {});
  Kept.keep(Number, Run);
  Runs.forget(Run);
  return Run;
}

// Whether two runs of the original are something to compare with.
bool Session::judgeOriginal(const RecordedRun &First,
                            const RecordedRun &Second) {
  for (const RecordedRun *Run : {&First, &Second})
    if (!Run->Child.exited())
      return stop(Outcome::CannotRecord,
                  "the original program: " + Run->Child.describe() +
                      lastWords(Run->Child));
  for (const RecordedRun *Run : {&First, &Second})
    if (!Run->Problem.empty())
      return stop(Outcome::CannotRecord,
                  "the original program could not be recorded: " +
                      Run->Problem + lastWords(Run->Child));
  if (First.Record.Launches.empty())
    return stop(Outcome::CannotRecord,
                "the original program launches no kernel (" +
                    First.Child.describe() + lastWords(First.Child) + ")");
  Report.Device = First.Record.Device;
  Report.Capability = First.Record.Capability;
  Report.LaunchCount = static_cast<unsigned>(First.Record.Launches.size());
  Report.AllocationCount =
      static_cast<unsigned>(First.Record.Allocations.size());
  Report.VariableCount = static_cast<unsigned>(First.Record.Variables.size());
  if (First.Child.ExitStatus != Second.Child.ExitStatus)
    return stop(Outcome::CannotRecord,
                "the original program ends with " + First.Child.describe() +
                    " and, run again, with " + Second.Child.describe());
  if (First.Child.ExitStatus != 0)
    Report.Notes.push_back("the original program itself ends with " +
                           First.Child.describe() + lastWords(First.Child));
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
                "the rewritten program could not be recorded: " + Run.Problem);
  return true;
}

void Session::judgeOutput(const std::string &Original,
                          const std::string &Control,
                          const std::string &Rewritten) {
  Report.Output = compareOutput(Original, Control, Rewritten);
  Report.OutputBytes = Original.size();
  if (Report.Output.failed())
    Report.Verdict = Outcome::Differs;
  if (O.ExpectOutput && Original.empty())
    stop(Outcome::Differs, "the original program prints nothing");
  if (O.ExpectOutput && Report.Output.NotDeterministic)
    stop(Outcome::Differs,
         "the output of the original program is not deterministic");
}

static std::string readFile(const std::string &Path) {
  std::ifstream Input(Path, std::ios::binary);
  return {std::istreambuf_iterator<char>(Input), {}};
}

void Session::locate(const Difference &D) {
  if (D.Kind != DifferenceKind::Contents)
    return;
  Tell("locating the difference");
  const auto Fetch = [&](const Command &What, unsigned Allocation) {
    const std::string Wish = fmt::format(
        "{}:{}{}:{}:{}", D.Launch, D.IsVariable ? "v" : "", Allocation, D.Begin,
        std::min(D.LastEnd, D.Begin + MostFetchedBytes));
    const RecordedRun Run =
        Runs.run(What, {RecordingMode::Digest, {{"BANKSTRIPE_DUMP", Wish}}});
    std::string Bytes = readFile(Run.Path + ".bytes");
    Runs.forget(Run);
    return Bytes;
  };
  const std::string Original = Fetch(O.Original, D.Allocation);
  const std::string Rewritten = Fetch(O.Rewritten, D.RewrittenAllocation);
  Report.Bytes = findByteDifference(Original, Rewritten, D.Begin);
}

// \returns false when there will be no more durations.
bool Session::timeOne(bool IsRewritten, const ClockSource &Source,
                      std::vector<ClockSample> &Clocks,
                      std::vector<Recording> &Into) {
  const char *Which = IsRewritten ? "rewritten" : "original";
  RecordedRun Run;
  {
    const ClockSampler Sampler(Source, Clocks);
    Run = Runs.run(IsRewritten ? O.Rewritten : O.Original,
                   {RecordingMode::Time, {}});
  }
  Runs.forget(Run);
  if (!Run.Child.exited())
    return stop(IsRewritten ? Outcome::Differs : Outcome::CannotRecord,
                fmt::format("the {} program, run without digests: {}{}", Which,
                            Run.Child.describe(), lastWords(Run.Child)));
  if (!Run.Problem.empty()) {
    Report.Notes.push_back(fmt::format("the {} program could not be timed: {}",
                                       Which, Run.Problem));
    return false;
  }
  if (Run.Record.Launches.empty()) {
    Report.Notes.push_back(
        fmt::format("the {} program, run without digests, left no durations; "
                    "does it end through _exit?",
                    Which));
    return false;
  }
  Into.push_back(std::move(Run.Record));
  return true;
}

// The two take turns in going first, so that a GPU that warms up slows neither
// more than the other.
void Session::timeBoth(std::vector<Recording> &Originals,
                       std::vector<Recording> &Rewrittens) {
  const FileLock Lock(O.LockPath, LOCK_EX);
  const auto Found = findClocks();
  const auto *Source = std::get_if<ClockSource>(&Found);
  if (!Source)
    Report.ClocksUnknown = std::get<std::string>(Found);
  std::vector<ClockSample> Clocks[2];
  bool GoesOn = true;
  for (unsigned I = 0; I < O.Runs && GoesOn; ++I) {
    Tell(fmt::format("timing, run {} of {}", I + 1, O.Runs));
    for (const bool IsRewritten : {I % 2 == 1, I % 2 == 0})
      GoesOn = GoesOn && timeOne(IsRewritten, Source ? *Source : ClockSource(),
                                 Clocks[IsRewritten],
                                 IsRewritten ? Rewrittens : Originals);
    Report.Runs += GoesOn;
  }
  Report.OriginalClocks = summarise(Clocks[0]);
  Report.RewrittenClocks = summarise(Clocks[1]);
  if (O.Runs > 0 && Source &&
      (!Report.OriginalClocks || !Report.RewrittenClocks))
    Report.ClocksUnknown = "the programs end before they could be read";
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
  noteProcesses("original", Original);
  noteProcesses("rewritten", Rewritten);
}

VerifyReport Session::run() {
  Report.OriginalCommand = O.Original.text();
  Report.RewrittenCommand = O.Rewritten.text();
  if (Runs.folder().empty()) {
    stop(Outcome::CannotRecord, "no temporary folder can be made");
    return std::move(Report);
  }
  if (!O.LockPath.empty() && !FileLock(O.LockPath, LOCK_SH).isOpen()) {
    stop(Outcome::CannotRecord,
         fmt::format("cannot open the lock '{}'", O.LockPath));
    return std::move(Report);
  }
  const RecordedRun First = recordOriginal(0);
  const RecordedRun Second = recordOriginal(1);
  if (!judgeOriginal(First, Second))
    return std::move(Report);
  Tell("recording the rewritten program");
  const RecordedRun Rewritten = Runs.run(O.Rewritten, {});
  Runs.forget(Rewritten);
  gatherNotes(First, Rewritten);
  const bool Ended = judgeRewritten(First, Rewritten);
  if (Rewritten.Problem.empty()) {
    // Also after a failure: how far the two agree says where to look.
    Report.Launches = compare(First.Record, Second.Record, Rewritten.Record);
    Report.Kernels = kernelStatistics(First.Record, Rewritten.Record, {}, {});
  }
  if (!Ended)
    return std::move(Report);

  Report.Verdict =
      Report.Launches.identical() ? Outcome::Identical : Outcome::Differs;
  judgeOutput(First.Child.Output, Second.Child.Output, Rewritten.Child.Output);
  if (Report.Launches.First)
    locate(*Report.Launches.First);

  std::vector<Recording> Originals, Rewrittens;
  timeBoth(Originals, Rewrittens);
  Report.Kernels =
      kernelStatistics(First.Record, Rewritten.Record, Originals, Rewrittens);
  Report.Total = totalTimes(Originals, Rewrittens);
  return std::move(Report);
}

VerifyReport bankstripe::runtime::verify(const Options &O,
                                         const std::string &Recorder,
                                         const Progress &Tell) {
  return Session(O, Recorder, Tell).run();
}
