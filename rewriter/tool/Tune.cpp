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
//     each version of a kernel alone      bench/Replays
//     where that cannot be, each in it    the whole program
//     the best of all kernels together    the whole program
//
//===----------------------------------------------------------------------===//

#include "bench/Copies.h"
#include "bench/Replays.h"
#include "model/SourceFile.h"
#include "page/Frame.h"
#include "plan/KernelSetting.h"
#include "report/Terminal.h"
#include "tool/Pipeline.h"
#include "tool/Version.h"
#include "tune/TuneResult.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static double secondsSince(std::chrono::steady_clock::time_point Begin) {
  const std::chrono::duration<double> Passed =
      std::chrono::steady_clock::now() - Begin;
  return Passed.count();
}

namespace {

/// One `bankstripe tune`.
class Tuning {
public:
  Tuning(const ToolOptions &Options, ReadResult Read, Program &P,
         std::string Original)
      : Options(Options), Read(std::move(Read)), Units(this->Read.results()),
        P(P), Original(std::move(Original)) {}

  /// Runs the program. What it shows of blocks counts as known from then on.
  llvm::Error survey(const std::vector<TuneGroup> &Likely, const Plan &Assumed);
  llvm::Error search(double MinSpeedup);
  llvm::Error confirm();
  /// Whether all that could move was launched with blocks that leave no room.
  bool foundNothing() const {
    return Result.Groups.empty() && Result.NotLaunched.empty();
  }
  /// What was found by now.
  const TuneResult &result() {
    Result.Seconds = secondsSince(Begin);
    return Result;
  }

private:
  void adoptGpu();
  llvm::Expected<SourceVersion> carryOut(const Trial &T) const;
  llvm::Expected<Measurement> compareWhole(const SourceVersion &Version,
                                           unsigned TimedRuns);
  bool isSlower(const Measurement &M) const;
  llvm::Error searchWhole(TuneGroup &G);
  llvm::Error searchWholeSince(TuneGroup &G, std::string Why);

  const ToolOptions &Options;
  ReadResult Read;                     ///< Whatever can move does.
  const std::vector<UnitResult> Units; ///< Planned for again and again.
  Program &P;
  std::string Original; ///< The executable.
  ProgramRun Seen;
  Arrangement Predicted;
  TuneResult Result;
  double SecondsOfARun = 0; ///< Of the whole program, captures included.
  std::chrono::steady_clock::time_point Begin =
      std::chrono::steady_clock::now();
};

} // namespace

// Where no command says for what the code is made, it runs on this GPU, whose
// blocks may have more shared memory than those of any.
void Tuning::adoptGpu() {
  PlanOptions &Planning = Read.Planning;
  if (!Planning.AllGpuArchs.empty() || Seen.Architecture.empty())
    return;
  Planning.GpuArch = Seen.Architecture;
  Planning.AllGpuArchs = {Planning.GpuArch};
  if (!Options.Planning.Wanted.SharedLimit)
    Planning.SharedLimit = commonSharedLimit(Planning);
}

llvm::Error Tuning::survey(const std::vector<TuneGroup> &Likely,
                           const Plan &Assumed) {
  std::vector<std::string> Symbols;
  for (const TuneGroup &G : Likely)
    for (unsigned Row : G.Kernels)
      Symbols.push_back(Assumed.Kernels[Row].Facts.Id);
  if (Options.level() != Detail::Quiet)
    llvm::errs() << "bankstripe: running the program to see what it launches\n";
  const auto Before = std::chrono::steady_clock::now();
  llvm::Expected<ProgramRun> Run = P.survey(Original, Symbols);
  if (!Run)
    return Run.takeError();
  SecondsOfARun = secondsSince(Before);
  Seen = std::move(*Run);
  Result.Device = Seen.Device;
  adoptGpu();
  for (const KernelPlan &K : makePlan(Units, Read.Planning).Kernels) {
    auto Found = Seen.Kernels.find(comparableName(K.Facts.Id));
    if (Found == Seen.Kernels.end()) {
      if (llvm::is_contained(Symbols, K.Facts.Id))
        Result.NotLaunched.push_back(K.Facts.Name);
    } else if (K.Block.Source == BlockSizeSource::Unknown) {
      Result.Blocks[K.Facts.Id] = Found->second.MostThreads;
      Read.Planning.KernelDecisions.emplace_back(decisionAbout(K.Facts))
          .BlockSize = Found->second.MostThreads;
    }
  }
  return llvm::Error::success();
}

// The decisions of people stay, those of the trial join them.
llvm::Expected<SourceVersion> Tuning::carryOut(const Trial &T) const {
  return rewriteUnits(Units, planningFor(T, Result.Movable, Read.Planning),
                      Options.Planning.EmbedHelper);
}

llvm::Error Tuning::search(double MinSpeedup) {
  Result.Movable = makePlan(Units, Read.Planning);
  PlanOptions Usual = Read.Planning;
  Usual.MinSpeedup = MinSpeedup;
  Predicted = layoutsOf(makePlan(Units, Usual));
  Result.Groups = tuneGroups(Result.Movable, [&](const KernelPlan &K) {
    return Seen.Kernels.count(comparableName(K.Facts.Id)) != 0;
  });
  Replays Alone(Read.Units, P, Read.Known.get(), Seen,
                [this](const Trial &T) { return carryOut(T); });
  if (llvm::Error E = Alone.search(Result.Groups, Result.Movable, Predicted))
    return E;
  Result.Replays = Alone.count();
  Result.Known = Alone.knownCount();
  for (TuneGroup &G : Result.Groups)
    if (!G.WhyWhole.empty() && P.canBuild())
      if (llvm::Error E = searchWhole(G))
        return E;
  return llvm::Error::success();
}

// What cannot be built, or computes something else, has a problem.
llvm::Expected<Measurement> Tuning::compareWhole(const SourceVersion &Version,
                                                 unsigned TimedRuns) {
  ++Result.Comparisons;
  llvm::Expected<std::string> Built = P.build("changed", Version.Changes);
  if (!Built) {
    Measurement Failed;
    Failed.Problem = toString(Built.takeError());
    return Failed;
  }
  if (!Version.Changes.empty())
    if (llvm::Error E = P.checkChanged(Original, *Built))
      return E;
  llvm::Expected<Measurement> M = P.measure(Original, *Built, TimedRuns);
  if (M)
    Result.Device = M->Device;
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
    std::vector<Attempt> Next = nextAttempts(G, Result.Movable, Predicted);
    if (Next.empty())
      return llvm::Error::success();
    for (Attempt &A : Next) {
      if (Options.level() != Detail::Quiet)
        llvm::errs() << "bankstripe: building and running "
                     << Result.Movable.Kernels[G.Kernels.front()].Facts.Name
                     << ", " << A.Name << '\n';
      Trial T;
      T.add(G, A);
      llvm::Expected<SourceVersion> Version = carryOut(T);
      if (!Version)
        return Version.takeError();
      llvm::Expected<Measurement> M = compareWhole(
          *Version, runsToTry(SecondsOfARun, Options.Program.TimedRuns));
      if (!M)
        return M.takeError();
      if (G.Attempts.empty() && !M->Problem.empty())
        return llvm::createStringError("the original, built and run twice, "
                                       "does not agree with itself: " +
                                       M->Problem);
      A.Problem = M->Problem;
      if (A.Problem.empty())
        A.Speedup = speedupOf(G, Result.Movable, *M);
      if (A.Problem.empty() && !A.Speedup)
        A.Problem = "no launch of it was timed";
      G.record(std::move(A), Version->Decisions);
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
             Result.Groups,
             [&](const TuneGroup &G) {
               return G.best() &&
                      speedupOf(G, Result.Movable, M).value_or(0) < 1;
             });
}

// Each best version was right by itself; this is all of them together, in the
// program. What the program does not gain from is measured in it. Before one
// run condemns anything, both programs are timed.
llvm::Error Tuning::confirm() {
  if (!P.canBuild() ||
      llvm::none_of(Result.Groups, [](const TuneGroup &G) { return G.best(); }))
    return llvm::Error::success();
  if (Options.level() != Detail::Quiet)
    llvm::errs() << "bankstripe: building and running the program with the "
                    "best of each kernel\n";
  llvm::Expected<SourceVersion> Version = carryOut(bestOf(Result.Groups));
  if (!Version)
    return Version.takeError();
  const unsigned TimedRuns =
      runsToConfirm(SecondsOfARun, Options.Program.TimedRuns);
  llvm::Expected<Measurement> M = compareWhole(*Version, TimedRuns);
  if (M && M->Problem.empty() && TimedRuns == 0 && isSlower(*M))
    M = compareWhole(*Version, 1);
  if (!M)
    return M.takeError();
  const bool IsWrong = !M->Problem.empty();
  bool IsSettled = true;
  for (TuneGroup &G : Result.Groups) {
    G.InProgram = speedupOf(G, Result.Movable, *M);
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
    for (TuneGroup &G : Result.Groups)
      if (G.best())
        G.WhyNone = llvm::formatv(
            "all kernels of the program together are at {0:F2}x", Total);
  Result.Together = std::move(*M);
  return IsSettled ? llvm::Error::success() : confirm();
}

// Each decision goes where a later run looks for it.
static llvm::Error writeAll(DecisionsFile All, const ToolOptions &Options) {
  const DecisionsLookup Lookup(Options.Reading.Config);
  std::map<std::string, DecisionsFile> ByFile;
  auto FileFor = [&](std::string &Source) -> DecisionsFile & {
    Source = realPath(Source);
    std::string Path = Lookup.pathFor(Source);
    if (Path.empty())
      Path =
          commonFolder(Options.Reading.Paths) + "/" + DecisionsFileName.str();
    return ByFile[Path];
  };
  for (ArrayDecision &D : All.Arrays)
    FileFor(D.File).Arrays.push_back(std::move(D));
  for (KernelDecision &D : All.Kernels)
    FileFor(D.File).Kernels.push_back(std::move(D));
  for (auto &[Path, Each] : ByFile) {
    const size_t Count = Each.Arrays.size() + Each.Kernels.size();
    std::set<std::string> Sources;
    Each.forEach([&](auto &D) { Sources.insert(displayName(D.File)); });
    const bool IsNew = !fs::exists(Path);
    // Whoever wrote the project may have made it lead anywhere.
    if (Options.Reading.Config.Named.empty() && fs::is_symlink_file(Path))
      return llvm::createStringError("'" + Path +
                                     "' is a link; name the file "
                                     "that it leads to with --config");
    if (llvm::Error E = updateDecisions(Path, std::move(Each)))
      return E;
    if (Options.level() == Detail::Quiet)
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

static llvm::Error print(const TuneResult &Tuned, const ToolOptions &Options) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  if (Options.Report.Format == OutputFormat::Json)
    llvm::outs() << llvm::formatv("{0:2}\n", toJson(Tuned));
  else if (Options.level() != Detail::Quiet)
    printTuning(OS, Tuned);
  llvm::outs() << printable(Text);
  if (Options.Report.Html.empty())
    return llvm::Error::success();
  llvm::json::Value Page = llvm::json::Object{{"version", BANKSTRIPE_VERSION},
                                              {"tune", toJson(Tuned)}};
  return replaceFile(Options.Report.Html, pageWith(llvm::formatv("{0}", Page)),
                     std::nullopt);
}

// What --dry-run says.
static void printIntentions(const std::vector<TuneGroup> &Groups,
                            const Plan &P) {
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
                        ReadResult AsAsked) {
  const double MinSpeedup = AsAsked.Planning.MinSpeedup;
  ReadResult Read = movingAll(std::move(AsAsked));
  // The run tells which blocks there are. Small ones leave most room.
  constexpr unsigned SmallBlock = 32;
  PlanOptions Assuming = Read.Planning;
  if (!Assuming.BlockSize)
    Assuming.BlockSize = SmallBlock;
  const Plan Assumed = makePlan(Read.results(), Assuming);
  const auto Likely =
      tuneGroups(Assumed, [](const KernelPlan &) { return true; });
  if (Likely.empty()) {
    llvm::errs() << "bankstripe: nothing can be moved, so there is nothing to "
                    "tune\n";
    return llvm::Error::success();
  }
  if (Options.MeasuresNothing) {
    printIntentions(Likely, Assumed);
    return llvm::Error::success();
  }
  llvm::Expected<Program> P =
      Program::find(Options.Program, Options.Reading.Frontend,
                    Options.Reading.Work, Executable, Read.Jobs, Read.Files);
  if (!P)
    return P.takeError();
  llvm::Expected<std::string> Built = P->build("original", {});
  if (!Built)
    return Built.takeError();
  Tuning T(Options, std::move(Read), *P, std::move(*Built));
  if (llvm::Error E = T.survey(Likely, Assumed))
    return E;
  if (llvm::Error E = T.search(MinSpeedup))
    return E;
  if (T.foundNothing())
    llvm::errs() << "bankstripe: the program launches nothing whose arrays "
                    "can be moved, so there is nothing to tune\n";
  llvm::Error Unconfirmed = T.confirm();
  if (llvm::Error E =
          joinErrors(std::move(Unconfirmed), print(T.result(), Options)))
    return E;
  return writeAll(decisionsOf(T.result()), Options);
}

llvm::Expected<int> bankstripe::runTune(const ToolOptions &Options,
                                        StringRef Executable) {
  llvm::Expected<ReadResult> Read = readPaths(Options);
  if (!Read)
    return Read.takeError();
  if (Read->SomeFailed)
    return ExitSomeFailed;
  if (llvm::Error E = tune(Options, Executable, std::move(*Read)))
    return std::move(E);
  return ExitDone;
}
