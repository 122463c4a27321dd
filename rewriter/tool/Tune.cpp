//===-- Tune.cpp - bankstripe tune ----------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the program in many versions, measures each beside the original, and
// writes what was best into the decisions file, which `rewrite` obeys. The
// sources are parsed once; what to try is known in tune/.
//
//===----------------------------------------------------------------------===//

#include "tune/Tune.h"
#include "tool/Copies.h"
#include "tool/Program.h"
#include "wrap/Includes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// One `bankstripe tune`.
class Tuning {
public:
  Tuning(const ToolOptions &Options, const ReadResult &Read,
         const Plan &Movable, Program &P)
      : Options(Options), Read(Read), Movable(Movable), P(P) {}

  llvm::Error run(TuneSearch &Search);
  llvm::Error confirm(const TuneSearch &Search);

  std::string Device;
  unsigned Trials = 0;

private:
  llvm::Expected<RunResult> carryOut(const Trial &T);
  llvm::Expected<Measurement> measure(StringRef Program);
  llvm::Expected<Measurement> tryOut(const Trial &T, Plan &Tried);

  const ToolOptions &Options;
  const ReadResult &Read; ///< Whatever can move does.
  const Plan &Movable;
  Program &P;
  std::string Original; ///< The executable.
};

} // namespace

// The decisions of people stay, those of the trial join them.
llvm::Expected<RunResult> Tuning::carryOut(const Trial &T) {
  PlanOptions Wanted = Read.Planning;
  for (auto [I, L] : T.Arrays)
    if (L == Layout::Keep ||
        Movable.Arrays[I].Verdict.Kind != VerdictKind::Constant)
      Wanted.Decisions.push_back(decisionAbout(Movable, I, L));
  // What ptxas took back once would move again.
  for (unsigned I = 0; I < Movable.Arrays.size(); ++I)
    if (const Reason Why = Movable.Arrays[I].Verdict.Why;
        Why == Reason::StackFrameKept || Why == Reason::CompileFailed)
      Wanted.Decisions.push_back(decisionAbout(Movable, I, Layout::Keep));
  for (const auto &[Row, Wish] : T.Carved)
    Wanted.KernelDecisions.push_back(
        decisionAbout(Movable.Kernels[Row].Facts, Wish));
  for (const auto &[Row, Threads] : T.Blocks)
    Wanted.KernelDecisions
        .emplace_back(decisionAbout(Movable.Kernels[Row].Facts))
        .BlockSize = Threads;
  RunResult Run;
  Run.Decisions = planUnits(Read.Units, Wanted);
  if (llvm::Error E = bankstripe::carryOut(Run, Options))
    return E;
  return Run;
}

llvm::Expected<Measurement> Tuning::measure(StringRef Changed) {
  const std::string Json = P.folder() + "/result.json";
  llvm::Expected<int> Status =
      P.compare(Original, Changed, Options.Runs, Json, /*Quiet=*/true);
  if (!Status)
    return Status.takeError();
  const auto Text = readText(Json);
  if (!Text)
    return llvm::createStringError("bankstripe-verify left no result (exit "
                                   "status " +
                                   llvm::Twine(*Status) + ")");
  llvm::Expected<Measurement> M = parseMeasurement(*Text);
  if (std::error_code EC = fs::remove(Json); EC && M)
    return llvm::createStringError("cannot remove '" + Json +
                                   "': " + EC.message());
  return M;
}

// What cannot be built counts as a trial that failed.
llvm::Expected<Measurement> Tuning::tryOut(const Trial &T, Plan &Tried) {
  llvm::Expected<RunResult> Run = carryOut(T);
  if (!Run)
    return Run.takeError();
  Tried = std::move(Run->Decisions);
  ++Trials;
  if (Options.Level != Detail::Quiet)
    llvm::errs() << "bankstripe: measuring " << Trials << ": " << T.Name
                 << '\n';
  llvm::Expected<std::string> Built = P.build("changed", Run->Changes);
  if (!Built) {
    Measurement Failed;
    Failed.Problem = toString(Built.takeError());
    return Failed;
  }
  if (!Run->Changes.empty())
    if (llvm::Error E = P.checkChanged(Original, *Built))
      return E;
  llvm::Expected<Measurement> M = measure(*Built);
  if (!M || M->Problem.empty())
    return M;
  llvm::Expected<bool> Agrees = P.agreesUnfused(Run->Changes);
  if (!Agrees)
    return Agrees.takeError();
  if (*Agrees && Options.AcceptFusing)
    M->Problem.clear();
  else if (*Agrees)
    M->Problem = "rounds differently: nvcc fuses other multiplications and "
                 "additions (see --accept-fusing)";
  return M;
}

llvm::Error Tuning::run(TuneSearch &Search) {
  llvm::Expected<std::string> Built = P.build("original", {});
  if (!Built)
    return Built.takeError();
  Original = std::move(*Built);
  while (std::optional<Trial> T = Search.next()) {
    Plan Tried;
    llvm::Expected<Measurement> M = tryOut(*T, Tried);
    if (!M)
      return M.takeError();
    if (Trials == 1 && !M->Problem.empty())
      return llvm::createStringError("the original, built and run twice, does "
                                     "not agree with itself: " +
                                     M->Problem);
    if (!M->Device.empty())
      Device = M->Device;
    Search.record(Tried, *M);
  }
  return llvm::Error::success();
}

// Each best version was right beside others; this is all of them together.
llvm::Error Tuning::confirm(const TuneSearch &Search) {
  if (llvm::none_of(Search.groups(),
                    [](const TuneGroup &G) { return G.best() != nullptr; }))
    return llvm::Error::success();
  Plan Tried;
  llvm::Expected<Measurement> M = tryOut(Search.best(), Tried);
  if (!M)
    return M.takeError();
  if (!M->Problem.empty())
    return llvm::createStringError("the best of all kernels together does not "
                                   "work, so nothing is written: " +
                                   M->Problem);
  return llvm::Error::success();
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
    if (llvm::Error E = writeDecisions(Path, std::move(Each)))
      return E;
    if (Options.Level != Detail::Quiet)
      llvm::errs() << "bankstripe: wrote " << Count << " decision"
                   << (Count == 1 ? "" : "s") << " to " << displayName(Path)
                   << '\n';
  }
  return llvm::Error::success();
}

// Moves whatever can move; measurements of an earlier day do not count.
static ReadResult movingAll(ReadResult Read) {
  PlanOptions &Planning = Read.Planning;
  Planning.MinSpeedup = 0;
  llvm::erase_if(Planning.Decisions,
                 [](const ArrayDecision &D) { return D.ByTune; });
  llvm::erase_if(Planning.KernelDecisions,
                 [](const KernelDecision &D) { return D.ByTune; });
  return Read;
}

static void print(const TuneOutcome &Outcome, const ToolOptions &Options) {
  if (Options.Format == OutputFormat::Json)
    llvm::outs() << llvm::formatv("{0:2}\n", toJson(Outcome));
  else if (Options.Level != Detail::Quiet)
    printTuning(llvm::outs(), Outcome);
}

static llvm::Error tune(const ToolOptions &Options, StringRef Executable,
                        ReadResult Given) {
  const auto Begin = std::chrono::steady_clock::now();
  const double MinSpeedup = Given.Planning.MinSpeedup;
  const ReadResult Read = movingAll(std::move(Given));
  llvm::Expected<RunResult> Movable = decide(Read, Options);
  if (!Movable)
    return Movable.takeError();
  PlanOptions Usual = Read.Planning;
  Usual.MinSpeedup = MinSpeedup;
  TuneSearch Search(Movable->Decisions, planUnits(Read.Units, Usual));
  if (Search.groups().empty()) {
    llvm::errs() << "bankstripe: nothing can be moved, so there is nothing to "
                    "tune\n";
    return llvm::Error::success();
  }
  llvm::Expected<Program> P = Program::find(Options, Executable, Read.Run);
  if (!P)
    return P.takeError();
  Tuning T(Options, Read, Movable->Decisions, *P);
  if (llvm::Error E = T.run(Search))
    return E;
  const std::chrono::duration<double> Taken =
      std::chrono::steady_clock::now() - Begin;
  const TuneOutcome Outcome{Movable->Decisions, Search.groups(), T.Device,
                            T.Trials, Taken.count()};
  print(Outcome, Options);
  if (llvm::Error E = T.confirm(Search))
    return E;
  return writeAll(decisionsOf(Outcome), Options);
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
