//===-- Tune.cpp - bankstripe tune ----------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the program once to see what it launches, measures versions of its
// kernels, and writes what was best into the decisions file, which `rewrite`
// obeys. The sources are parsed once; what to try is known in tune/.
//
//     the original runs once              which kernels, which blocks, captures
//     each version of a kernel alone      Replays.cpp
//     where that cannot be, each in it    the whole program
//     the best of all kernels together    the whole program
//
//===----------------------------------------------------------------------===//

#include "model/SourceFile.h"
#include "plan/KernelSetting.h"
#include "tool/Copies.h"
#include "tool/Replays.h"
#include "tune/Outcome.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// One `bankstripe tune`.
class Tuning {
public:
  Tuning(const ToolOptions &Options, ReadResult Read, Program &P,
         std::string Original)
      : Options(Options), Read(std::move(Read)), P(P),
        Original(std::move(Original)) {}

  /// Runs the program. What it shows of blocks counts as known from then on.
  llvm::Error see(const std::vector<TuneGroup> &Likely, const Plan &Assumed);
  void takeGpu();
  llvm::Error search(double MinSpeedup);
  llvm::Error confirm();
  /// Whether all that could move was launched with blocks that leave no room.
  bool foundNothing() const { return Groups.empty() && NotLaunched.empty(); }
  /// What was found by now.
  TuneOutcome outcome() const;

private:
  llvm::Expected<RunResult> carryOut(const Trial &T) const;
  llvm::Expected<Measurement> compareWhole(const RunResult &Run, unsigned Runs);
  bool isSlower(const Measurement &M) const;
  llvm::Error searchWhole(TuneGroup &G);
  llvm::Error searchWholeSince(TuneGroup &G, std::string Why);

  const ToolOptions &Options;
  ReadResult Read; ///< Whatever can move does.
  Program &P;
  std::string Original; ///< The executable.
  ProgramRun Seen;
  std::map<std::string, unsigned> Blocks; ///< As in TuneOutcome.
  std::vector<std::string> NotLaunched;
  Plan Movable;
  Arrangement Predicted;
  std::vector<TuneGroup> Groups;
  std::string Device;
  std::optional<Measurement> Together; ///< With the best of all.
  unsigned Replayed = 0, Known = 0, Comparisons = 0;
  double SecondsOfARun = 0; ///< Of the whole program, captures included.
  std::chrono::steady_clock::time_point Begin =
      std::chrono::steady_clock::now();
};

} // namespace

static double secondsSince(std::chrono::steady_clock::time_point Begin) {
  const std::chrono::duration<double> Taken =
      std::chrono::steady_clock::now() - Begin;
  return Taken.count();
}

// Where no command says for what the code is made, it runs on this GPU, whose
// blocks may have more shared memory than those of any.
void Tuning::takeGpu() {
  PlanOptions &Planning = Read.Planning;
  if (!Planning.AllGpuArchs.empty() || Seen.Architecture.empty())
    return;
  Planning.GpuArch = Seen.Architecture;
  Planning.AllGpuArchs = {Planning.GpuArch};
  if (!Options.SharedLimit)
    Planning.SharedLimit = commonSharedLimit(Planning);
}

llvm::Error Tuning::see(const std::vector<TuneGroup> &Likely,
                        const Plan &Assumed) {
  std::vector<std::string> Symbols;
  for (const TuneGroup &G : Likely)
    for (unsigned Row : G.Kernels)
      Symbols.push_back(Assumed.Kernels[Row].Facts.Id);
  if (Options.Level != Detail::Quiet)
    llvm::errs() << "bankstripe: running the program to see what it launches\n";
  const auto Before = std::chrono::steady_clock::now();
  llvm::Expected<std::string> Json = P.survey(Original, Symbols);
  if (!Json)
    return Json.takeError();
  SecondsOfARun = secondsSince(Before);
  llvm::Expected<ProgramRun> Run = parseSurvey(*Json);
  if (!Run)
    return Run.takeError();
  Seen = std::move(*Run);
  Device = Seen.Device;
  takeGpu();
  for (const KernelPlan &K : planUnits(Read.Units, Read.Planning).Kernels) {
    auto Found = Seen.Kernels.find(comparableName(K.Facts.Id));
    if (Found == Seen.Kernels.end()) {
      if (llvm::is_contained(Symbols, K.Facts.Id))
        NotLaunched.push_back(K.Facts.Name);
    } else if (K.Block.Source == BlockSizeSource::Unknown) {
      Blocks[K.Facts.Id] = Found->second.MostThreads;
      Read.Planning.KernelDecisions.emplace_back(decisionAbout(K.Facts))
          .BlockSize = Found->second.MostThreads;
    }
  }
  return llvm::Error::success();
}

// The decisions of people stay, those of the trial join them.
llvm::Expected<RunResult> Tuning::carryOut(const Trial &T) const {
  RunResult Run;
  Run.Decisions = planUnits(Read.Units, planningFor(T, Movable, Read.Planning));
  if (llvm::Error E = bankstripe::carryOut(Run, Options))
    return E;
  return Run;
}

llvm::Error Tuning::search(double MinSpeedup) {
  Movable = planUnits(Read.Units, Read.Planning);
  PlanOptions Usual = Read.Planning;
  Usual.MinSpeedup = MinSpeedup;
  Predicted = layoutsOf(planUnits(Read.Units, Usual));
  Groups = tuneGroups(Movable, [&](const KernelPlan &K) {
    return Seen.Kernels.count(comparableName(K.Facts.Id)) != 0;
  });
  Replays Alone(Options, Read, P, Seen,
                [this](const Trial &T) { return carryOut(T); });
  if (llvm::Error E = Alone.search(Groups, Movable, Predicted))
    return E;
  Replayed = Alone.count();
  Known = Alone.knownCount();
  for (TuneGroup &G : Groups)
    if (!G.WhyWhole.empty() && P.canBuild())
      if (llvm::Error E = searchWhole(G))
        return E;
  return llvm::Error::success();
}

// What cannot be built, or computes something else, has a problem.
llvm::Expected<Measurement> Tuning::compareWhole(const RunResult &Run,
                                                 unsigned Runs) {
  ++Comparisons;
  llvm::Expected<std::string> Built = P.build("changed", Run.Changes);
  if (!Built) {
    Measurement Failed;
    Failed.Problem = toString(Built.takeError());
    return Failed;
  }
  if (!Run.Changes.empty())
    if (llvm::Error E = P.checkChanged(Original, *Built))
      return E;
  llvm::Expected<std::string> Json = P.measure(Original, *Built, Runs);
  if (!Json)
    return Json.takeError();
  llvm::Expected<Measurement> M = parseMeasurement(*Json);
  if (M)
    Device = M->Device;
  return M;
}

// Time of the kernels of G in the original over that in the other program.
static std::optional<double> speedupOf(const TuneGroup &G, const Plan &P,
                                       const Measurement &M) {
  double Original = 0, Changed = 0;
  for (unsigned Row : G.Kernels)
    if (auto It = M.Kernels.find(comparableName(P.Kernels[Row].Facts.Id));
        It != M.Kernels.end()) {
      Original += It->second.Original;
      Changed += It->second.Changed;
    }
  if (Original <= 0 || Changed <= 0)
    return std::nullopt;
  return Original / Changed;
}

llvm::Error Tuning::searchWhole(TuneGroup &G) {
  while (true) {
    std::vector<Attempt> Next = nextAttempts(G, Movable, Predicted);
    if (Next.empty())
      return llvm::Error::success();
    for (Attempt &A : Next) {
      if (Options.Level != Detail::Quiet)
        llvm::errs() << "bankstripe: building and running "
                     << Movable.Kernels[G.Kernels.front()].Facts.Name << ", "
                     << A.Name << '\n';
      Trial T;
      T.add(G, A);
      llvm::Expected<RunResult> Run = carryOut(T);
      if (!Run)
        return Run.takeError();
      llvm::Expected<Measurement> M =
          compareWhole(*Run, runsToTry(SecondsOfARun, Options.Runs));
      if (!M)
        return M.takeError();
      if (G.Attempts.empty() && !M->Problem.empty())
        return llvm::createStringError("the original, built and run twice, "
                                       "does not agree with itself: " +
                                       M->Problem);
      A.Problem = M->Problem;
      if (A.Problem.empty())
        A.Speedup = speedupOf(G, Movable, *M);
      if (A.Problem.empty() && !A.Speedup)
        A.Problem = "no launch of it was timed";
      G.record(std::move(A), Run->Decisions);
    }
  }
}

llvm::Error Tuning::searchWholeSince(TuneGroup &G, std::string Why) {
  G.WhyWhole = std::move(Why);
  G.Attempts.clear();
  return searchWhole(G);
}

// Whether the program, or the kernels of a group in it, lose by the best of
// all.
bool Tuning::isSlower(const Measurement &M) const {
  return M.total().speedup() < 1 ||
         llvm::any_of(
             Groups,
             [&](const TuneGroup &G) {
               return G.best() && speedupOf(G, Movable, M).value_or(0) < 1;
             });
}

// Each best version was right by itself; this is all of them together, in the
// program. What the program does not gain from is measured in it. Before one
// run condemns anything, both programs are timed.
llvm::Error Tuning::confirm() {
  if (!P.canBuild() ||
      llvm::none_of(Groups, [](const TuneGroup &G) { return G.best(); }))
    return llvm::Error::success();
  if (Options.Level != Detail::Quiet)
    llvm::errs() << "bankstripe: building and running the program with the "
                    "best of each kernel\n";
  llvm::Expected<RunResult> Run = carryOut(bestOf(Groups));
  if (!Run)
    return Run.takeError();
  const unsigned Runs = runsToConfirm(SecondsOfARun, Options.Runs);
  llvm::Expected<Measurement> M = compareWhole(*Run, Runs);
  if (M && M->Problem.empty() && Runs == 0 && isSlower(*M))
    M = compareWhole(*Run, 1);
  if (!M)
    return M.takeError();
  const bool IsWrong = !M->Problem.empty();
  bool IsSettled = true;
  for (TuneGroup &G : Groups) {
    G.InProgram = speedupOf(G, Movable, *M);
    const double Gain = G.InProgram.value_or(0);
    // Which one is wrong is among those that were not compared alone.
    if (!G.best() || !G.WhyWhole.empty() || (IsWrong ? !G.Varies : Gain >= 1))
      continue;
    std::string Why =
        IsWrong ? "with what is best alone, " + M->Problem
                : llvm::formatv("what was {0:F2}x alone is {1:F2}x in it",
                                *G.best()->Speedup, Gain)
                      .str();
    IsSettled = false;
    if (llvm::Error E = searchWholeSince(G, std::move(Why)))
      return E;
  }
  if (IsWrong && IsSettled)
    return llvm::createStringError("the best of all kernels together does not "
                                   "work, so nothing is written: " +
                                   M->Problem);
  // Other kernels may pay for it: a carveout, or what is left in the caches.
  const double Total = M->total().speedup();
  if (IsSettled && Total < 1)
    for (TuneGroup &G : Groups)
      if (G.best())
        G.WhyNone = llvm::formatv(
            "all kernels of the program together are at {0:F2}x", Total);
  Together = std::move(*M);
  return IsSettled ? llvm::Error::success() : confirm();
}

TuneOutcome Tuning::outcome() const {
  return {Movable,
          Groups,
          Device,
          Replayed,
          Known,
          Comparisons,
          secondsSince(Begin),
          Blocks,
          NotLaunched,
          Together};
}

// The comments before the first key; what follows is printed anew.
static StringRef headComments(StringRef Text) {
  StringRef Rest = Text;
  while (Rest.starts_with("#") || Rest.starts_with("\n"))
    Rest = Rest.split('\n').second;
  return Text.drop_back(Rest.size());
}

// Makes the path of D, which is absolute, one from the folder of \p Path.
template <class Decision>
static llvm::Error makeRelative(Decision &D, StringRef Path) {
  const std::string Folder = (path::parent_path(Path) + "/").str();
  StringRef Inside = D.File;
  if (!Inside.consume_front(Folder))
    return llvm::createStringError("'" + D.File + "' lies outside of '" +
                                   Folder + "', so '" + Path +
                                   "' cannot speak for it");
  D.File = Inside.str();
  return llvm::Error::success();
}

static llvm::Error writeDecisions(StringRef Path, DecisionsFile New) {
  const auto Known = readText(Path);
  if (!Known && fs::exists(Path))
    return llvm::createStringError("cannot read '" + Path + "'");
  auto File = Known ? parseDecisions(*Known, Path) : DecisionsFile();
  if (!File)
    return File.takeError();
  for (ArrayDecision &D : New.Arrays)
    if (llvm::Error E = makeRelative(D, Path))
      return E;
  for (KernelDecision &D : New.Kernels)
    if (llvm::Error E = makeRelative(D, Path))
      return E;
  replaceTuned(*File, New);
  std::string Text = headComments(Known.value_or("")).str();
  llvm::raw_string_ostream OS(Text);
  printDecisions(OS, *File);
  return replaceFile(Path, Text, std::nullopt);
}

// Each decision goes where a later run looks for it.
static llvm::Error writeAll(DecisionsFile All, const ToolOptions &Options) {
  const DecisionsLookup Lookup(Options.Config);
  std::map<std::string, DecisionsFile> ByFile;
  auto FileFor = [&](std::string &Source) -> DecisionsFile & {
    Source = realPath(Source);
    std::string Path = Lookup.pathFor(Source);
    if (Path.empty())
      Path = commonFolder({Options.Paths.begin(), Options.Paths.end()}) + "/" +
             DecisionsFileName.str();
    return ByFile[Path];
  };
  for (ArrayDecision &D : All.Arrays)
    FileFor(D.File).Arrays.push_back(std::move(D));
  for (KernelDecision &D : All.Kernels)
    FileFor(D.File).Kernels.push_back(std::move(D));
  for (auto &[Path, Each] : ByFile) {
    const size_t Count = Each.Arrays.size() + Each.Kernels.size();
    std::set<std::string> Sources;
    for (const ArrayDecision &D : Each.Arrays)
      Sources.insert(displayName(D.File));
    for (const KernelDecision &D : Each.Kernels)
      Sources.insert(displayName(D.File));
    const bool IsNew = !fs::exists(Path);
    // Whoever wrote the project may have made it lead anywhere.
    if (Options.Config.Named.empty() && fs::is_symlink_file(Path))
      return llvm::createStringError("'" + Path +
                                     "' is a link; name the file "
                                     "that it leads to with --config");
    if (llvm::Error E = writeDecisions(Path, std::move(Each)))
      return E;
    if (Options.Level == Detail::Quiet)
      continue;
    llvm::errs() << "bankstripe: wrote " << Count << " decision"
                 << (Count == 1 ? "" : "s") << " to " << displayName(Path)
                 << '\n';
    // A build cannot know of a file that was not there.
    if (IsNew)
      llvm::errs()
          << "bankstripe: builds obey it once these files are compiled again: "
          << llvm::join(Sources, ", ") << '\n';
  }
  return llvm::Error::success();
}

// Moves whatever can move; measurements of an earlier day do not count.
static ReadResult movingAll(ReadResult Read) {
  PlanOptions &Planning = Read.Planning;
  Planning.MinSpeedup = 0;
  auto IsByTune = [](const auto &Decision) { return Decision.ByTune; };
  llvm::erase_if(Planning.Decisions, IsByTune);
  llvm::erase_if(Planning.KernelDecisions, IsByTune);
  return Read;
}

static llvm::Error print(const TuneOutcome &Outcome,
                         const ToolOptions &Options) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  if (Options.Format == OutputFormat::Json)
    llvm::outs() << llvm::formatv("{0:2}\n", toJson(Outcome));
  else if (Options.Level != Detail::Quiet)
    printTuning(OS, Outcome);
  llvm::outs() << printable(Text);
  return Options.Html.empty()
             ? llvm::Error::success()
             : replaceFile(Options.Html, pageOf(Outcome), std::nullopt);
}

// What --dry-run says.
static void tell(const std::vector<TuneGroup> &Groups, const Plan &P) {
  for (const TuneGroup &G : Groups) {
    std::set<std::string> Files, Arrays;
    llvm::outs() << "would run the program once, and capture launches of";
    for (unsigned Row : G.Kernels) {
      llvm::outs() << ' ' << P.Kernels[Row].Facts.Name;
      Files.insert(P.Kernels[Row].Facts.Where.File);
    }
    for (unsigned I : G.Arrays)
      Arrays.insert("'" + decisionAbout(P, I, Layout::Keep).Array + "'");
    llvm::outs() << "\n  arrays " << llvm::join(Arrays, ", ")
                 << "; to compile for each version: "
                 << llvm::join(llvm::map_range(Files, displayName), ", ")
                 << "\n  versions to begin with:";
    for (const Attempt &A : nextAttempts(G, P, layoutsOf(P)))
      llvm::outs() << ' ' << A.Name << ';';
    llvm::outs() << " then without some of the arrays, and other carveouts\n";
  }
}

static llvm::Error tune(const ToolOptions &Options, StringRef Executable,
                        ReadResult Given) {
  const double MinSpeedup = Given.Planning.MinSpeedup;
  ReadResult Read = movingAll(std::move(Given));
  // The run tells which blocks there are. Small ones leave most room.
  constexpr unsigned SmallBlock = 32;
  PlanOptions Assuming = Read.Planning;
  if (!Assuming.BlockSize)
    Assuming.BlockSize = SmallBlock;
  const Plan Assumed = planUnits(Read.Units, Assuming);
  const auto Likely =
      tuneGroups(Assumed, [](const KernelPlan &) { return true; });
  if (Likely.empty()) {
    llvm::errs() << "bankstripe: nothing can be moved, so there is nothing to "
                    "tune\n";
    return llvm::Error::success();
  }
  if (Options.OnlyTell) {
    tell(Likely, Assumed);
    return llvm::Error::success();
  }
  llvm::Expected<Program> P = Program::find(Options, Executable, Read.Run);
  if (!P)
    return P.takeError();
  llvm::Expected<std::string> Built = P->build("original", {});
  if (!Built)
    return Built.takeError();
  Tuning T(Options, std::move(Read), *P, std::move(*Built));
  if (llvm::Error E = T.see(Likely, Assumed))
    return E;
  if (llvm::Error E = T.search(MinSpeedup))
    return E;
  if (T.foundNothing())
    llvm::errs() << "bankstripe: the program launches nothing whose arrays "
                    "can be moved, so there is nothing to tune\n";
  llvm::Error Unconfirmed = T.confirm();
  if (llvm::Error E =
          joinErrors(std::move(Unconfirmed), print(T.outcome(), Options)))
    return E;
  return writeAll(decisionsOf(T.outcome()), Options);
}

llvm::Expected<int> bankstripe::runTune(const ToolOptions &Options,
                                        StringRef Executable) {
  llvm::Expected<ReadResult> Read = readPaths(Options);
  if (!Read)
    return Read.takeError();
  if (Read->Run.SomeFailed)
    return ExitSomeFailed;
  if (llvm::Error E = tune(Options, Executable, std::move(*Read)))
    return std::move(E);
  return ExitDone;
}
