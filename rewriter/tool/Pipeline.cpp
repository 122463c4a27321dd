//===-- Pipeline.cpp - all stages, one after the other --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How units are read:
//
//   jobs => known from before?  (Answers.cpp)
//        => else read by a process of its own, which sends plain values back
//
// Nothing else of a unit comes into this process, neither its syntax tree nor
// its crash. What comes is the same whoever read it, and is put in the order of
// the jobs.
//
//===----------------------------------------------------------------------===//

#include "tool/Pipeline.h"
#include "evidence/Gather.h"
#include "facts/Archive.h"
#include "find/Find.h"
#include "tool/Answers.h"
#include "tool/Copies.h"
#include "tool/Nvcc.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

// Finds the jobs of all paths. One that cannot be taken is reported; an error
// when none can be.
static llvm::Error collectAll(RunResult &Run, const ToolOptions &Options) {
  llvm::Error Problems = llvm::Error::success();
  std::set<std::pair<std::string, std::vector<std::string>>> Known;
  unsigned Taken = 0;
  std::optional<Copies> Earlier;
  if (Options.Mode == RewriteMode::OutputDirectory)
    Earlier.emplace(Options.OutputDirectory, Options.Paths);
  for (const std::string &Path : Options.Paths) {
    auto Jobs = collectJobs(Path, Options.Frontend);
    if (!Jobs) {
      Problems = joinErrors(std::move(Problems), Jobs.takeError());
      continue;
    }
    ++Taken;
    for (CompileJob &Job : *Jobs)
      if (!(Earlier && Earlier->isCopy(Job.File)) &&
          Known.emplace(Job.File, Job.ClangArgs).second)
        Run.Jobs.push_back(std::move(Job));
  }
  if (Taken == 0)
    return Problems;
  Run.SomeFailed = static_cast<bool>(Problems);
  if (Problems) {
    Run.Problems.push_back({"", toString(std::move(Problems))});
    llvm::errs() << "bankstripe: " << printable(Run.Problems.back().Message)
                 << '\n';
  }
  llvm::sort(Run.Jobs, [](const CompileJob &A, const CompileJob &B) {
    return std::tie(A.File, A.ClangArgs) < std::tie(B.File, B.ClangArgs);
  });
  return llvm::Error::success();
}

static bool mayChange(const CompileJob &Job, const UnitResult &Unit,
                      const ToolOptions &Options) {
  return !Options.MayChange || Options.MayChange({Job, Unit});
}

static UnitReading readUnit(const CompileJob &Job, const GivenFiles &Given,
                            bool Colours, const ToolOptions &Options) {
  UnitReading Result;
  DiskRecorder Recorder;
  auto MayEdit = [&](StringRef File) {
    const bool May = Given(File);
    Recorder.Trace.note(DiskQuestion::MayEdit, File, May ? "yes" : "no");
    return May;
  };
  llvm::raw_string_ostream OS(Result.Diagnostics);
  OS.enable_colors(Colours);
  llvm::Expected<ParseOutcome> Outcome = parseUnit(
      Job, OS,
      [&](ParsedUnit &Parsed) {
        UnitResult Unit;
        const bool IsAlone = bool(Options.MayChange);
        Unit.Facts = findAll(Parsed, MayEdit, IsAlone);
        if (!IsAlone || !Unit.Facts.Findings.empty() ||
            !Unit.Facts.SharedArrays.empty())
          Unit.Evidence = gatherEvidence(
              Parsed, Unit.Facts, Job.GpuArch, [&](const UnitEvidence &Calls) {
                return mayChange(Job, {Unit.Facts, Calls, {}}, Options);
              });
        Result.Unit = std::move(Unit);
        Result.AsksForArch = Parsed.asksForSide();
      },
      &Recorder);
  if (!Outcome) {
    Result.Unit.reset();
    Result.Error = toString(Outcome.takeError());
  } else {
    Result.Outcome = *Outcome;
  }
  if (Recorder.Trace.isComplete())
    Result.Trace = Recorder.Trace.replies();
  return Result;
}

// What a process sent back, or why it could not.
static UnitReading receive(const CompileJob &Job, WorkResult Sent,
                           Detail Level) {
  if (Sent.Problem.empty()) {
    if (auto Reading = fromBytes<UnitReading>(Sent.Answer))
      return std::move(*Reading);
    Sent.Problem = "sent what cannot be read";
  }
  UnitReading Failed;
  Failed.Error = "'" + Job.File + "' is left out: the process that read it " +
                 Sent.Problem;
  if (Level == Detail::Verbose) // Where it was, as LLVM tells it.
    Failed.Diagnostics = std::move(Sent.Printed);
  return Failed;
}

// What is known from before, if nothing is missing from it.
static std::optional<UnitReading> recall(const CompileJob &Job,
                                         const RunResult &Run, DiskState &State,
                                         const ToolOptions &Options) {
  if (!Run.Known)
    return std::nullopt;
  return Run.Known->recall(Job, State, [&](const UnitReading &Reading) {
    return !Reading.Unit || Reading.Unit->Evidence.isComplete() ||
           !mayChange(Job, *Reading.Unit, Options);
  });
}

// The paths that may be edited.
static std::vector<std::string> given(const ToolOptions &Options) {
  std::vector<std::string> Paths = Options.Paths;
  llvm::append_range(Paths, Options.Scope);
  return Paths;
}

static std::vector<UnitReading> readAll(RunResult &Run,
                                        const std::vector<CompileJob> &Jobs,
                                        const ToolOptions &Options) {
  std::vector<UnitReading> Results(Jobs.size());
  const GivenFiles Given(given(Options));
  auto MayEdit = [&](StringRef File) { return Given(File); };
  DiskState State(MayEdit);
  Progress Shown(Jobs.size(), Options.Level != Detail::Quiet);
  // Asked here, since a process that reads has another standard error.
  const bool Colours = showsColours(llvm::errs());
  if (!Run.Known)
    Run.Known = Answers::open(Options);
  Workers Pool({Options.Jobs, Options.TimeLimit},
               [&](size_t I, WorkResult Sent) {
                 Results[I] = receive(Jobs[I], std::move(Sent), Options.Level);
                 if (Run.Known)
                   Run.Known->remember(Jobs[I], Results[I], State);
                 // It is needed no more, and there may be many.
                 Results[I].Trace.clear();
                 Shown.done(displayName(Jobs[I].File));
               });
  for (size_t I = 0; I < Jobs.size(); ++I) {
    if (auto Known = recall(Jobs[I], Run, State, Options)) {
      Results[I] = std::move(*Known);
      Results[I].Trace.clear();
      Shown.skip();
      continue;
    }
    Pool.start(
        I, [&] { return toBytes(readUnit(Jobs[I], Given, Colours, Options)); });
  }
  Pool.finish();
  return Results;
}

// What makes Clang find the header whose absence \p Diagnostics report.
static StringRef cureOf(StringRef Diagnostics) {
  const auto [Before, Behind] = Diagnostics.split("' file not found");
  if (Behind.empty())
    return "";
  const StringRef Header = Before.rsplit('\'').second;
  const bool IsOfC = llvm::is_contained(
      {"assert.h", "math.h", "stdio.h", "stdlib.h", "string.h", "time.h"},
      Header);
  return !IsOfC && (Header.contains('.') || Header.contains('/'))
             ? "; give the build's commands with -p BUILD_DIR, or the header's "
               "folder with -- -I"
             : "; a C++ library is missing, which Debian and Ubuntu have in "
               "the package g++";
}

static void say(const llvm::Twine &Message) {
  llvm::errs() << "bankstripe: " << printable(Message.str()) << '\n';
}

// What a person should know about how a file was read.
static void reportReading(const CompileJob &Job, const UnitReading &Result,
                          const ToolOptions &Options,
                          std::set<StringRef> &Said) {
  if (!Result.Diagnostics.empty() && !Result.Error.empty())
    llvm::errs() << printable(Result.Diagnostics, showsColours(llvm::errs()));
  if (!Result.Error.empty())
    say(Result.Error);
  if (Options.Level == Detail::Quiet)
    return;
  if (Result.Outcome.UsedBuiltinHeader && Said.insert("builtin").second)
    say("no CUDA toolkit was found, the built-in declarations are used; give "
        "--cuda-path for the full headers");
  if (!Job.FoundDatabase.empty() && Said.insert(Job.FoundDatabase).second)
    say("the commands are those of " + displayName(Job.FoundDatabase) +
        "; -p names another");
  if (!Job.Refused.empty() && Said.insert(Job.Refused).second)
    say("left out of the project's commands, for it may run a program or write "
        "a file: " +
        Job.Refused + "; --trust-commands takes it");
  if (Options.Level != Detail::Verbose)
    return;
  if (Result.Outcome.UsedShim)
    say(Job.File + ": parsed with the nvcc compatibility header");
  if (!Job.Dropped.empty())
    say(Job.File +
        ": dropped from the command: " + llvm::join(Job.Dropped, " "));
  if (Result.Unit && !Result.Unit->Evidence.Problem.empty())
    say(Job.File + ": " + Result.Unit->Evidence.Problem);
}

// For another architecture, code that asks for it calls other functions, and
// has other arrays: there it is a unit of its own. Where that cannot be read,
// nobody knows which kernels reach the arrays of the file.
static std::vector<UnitRecord>
readOtherArchitectures(RunResult &Run, std::vector<UnitReading> &Results,
                       const ToolOptions &Options) {
  std::vector<CompileJob> Jobs;
  std::vector<size_t> Of; // Index in Results.
  for (auto [I, Job] : llvm::enumerate(Run.Jobs))
    if (Results[I].Unit && Results[I].AsksForArch)
      for (CompileJob &Other : otherArchitectures(Job)) {
        Jobs.push_back(std::move(Other));
        Of.push_back(I);
      }
  std::vector<UnitRecord> Units;
  if (Jobs.empty())
    return Units;
  for (auto [I, Read] : llvm::enumerate(readAll(Run, Jobs, Options))) {
    if (Read.Unit) {
      Units.push_back({std::move(Jobs[I]), std::move(*Read.Unit)});
      continue;
    }
    UnitEvidence &Evidence = Results[Of[I]].Unit->Evidence;
    Evidence.Problem = "for " + Jobs[I].GpuArch + ": " + Read.Error;
    for (ArrayEvidence &E : Evidence.Arrays)
      E.Where = Residency::Unknown;
  }
  return Units;
}

static std::vector<UnitRecord> readUnits(RunResult &Run,
                                         const ToolOptions &Options) {
  std::vector<UnitReading> Results = readAll(Run, Run.Jobs, Options);
  std::vector<UnitRecord> Others =
      readOtherArchitectures(Run, Results, Options);
  std::vector<UnitRecord> Units;
  std::set<StringRef> Said;
  for (size_t I = 0; I < Results.size(); ++I) {
    if (!Results[I].Error.empty())
      Results[I].Error += cureOf(Results[I].Diagnostics);
    reportReading(Run.Jobs[I], Results[I], Options, Said);
    if (!Results[I].Error.empty()) {
      Run.SomeFailed = true;
      Run.Problems.push_back({Run.Jobs[I].File, Results[I].Error});
    }
    if (Results[I].Unit)
      Units.push_back({Run.Jobs[I], std::move(*Results[I].Unit)});
  }
  llvm::move(Others, std::back_inserter(Units));
  return Units;
}

// The files whose arrays and kernels may change. Other people's headers have
// decisions of their own, which are none of ours.
static std::set<std::string>
filesToDecide(const std::vector<UnitRecord> &Units) {
  std::set<std::string> Files;
  for (const UnitRecord &Unit : Units) {
    for (const Finding &F : Unit.Unit.Facts.Findings)
      if (llvm::none_of(F.Obstacles, [](const Obstacle &O) {
            return O.Why == Reason::OutsidePaths;
          }))
        Files.insert(F.Where.File);
    for (const Kernel &K : Unit.Unit.Facts.Kernels)
      if (K.MayEdit)
        Files.insert(K.Where.File);
  }
  return Files;
}

// What was decided for the arrays and kernels of Units, with the decisions
// files of their headers.
static llvm::Error addDecisions(PlanOptions &Planning, DecisionsLookup &Lookup,
                                const std::vector<UnitRecord> &Units) {
  for (const std::string &File : filesToDecide(Units)) {
    if (llvm::Error E = Lookup.readFor(File))
      return E;
    Planning.Defaults[File] = Lookup.defaultsFor(File);
  }
  // Findings name a header as the compiler came to it.
  std::map<std::string, std::string> Names; // By real path.
  for (const UnitRecord &Unit : Units)
    for (const auto &[File, Text] : Unit.Unit.Facts.Contents)
      Names.try_emplace(realPath(File), File);
  auto Rename = [&](auto &Decisions) {
    for (auto &D : Decisions)
      if (auto It = Names.find(D.File); It != Names.end())
        D.File = It->second;
  };
  Rename(Planning.Decisions = Lookup.decisions());
  Rename(Planning.KernelDecisions = Lookup.kernelDecisions());
  return llvm::Error::success();
}

// What builds and runs a program knows all of it, and a folder holds one as far
// as anybody knows; single files do not.
static bool areWholeProgram(const ToolOptions &Options) {
  return Options.Run == Command::Verify || Options.Run == Command::Tune ||
         llvm::any_of(Options.Paths, [](const std::string &Path) {
           return llvm::sys::fs::is_directory(Path);
         });
}

llvm::Expected<PlanOptions>
bankstripe::planningFor(const RunResult &Run,
                        const std::vector<UnitRecord> &Units,
                        DecisionsLookup &Lookup, const ToolOptions &Options) {
  PlanOptions Planning;
  Planning.BlockSize = Options.BlockSize;
  for (const CompileJob &Job : Run.Jobs)
    Planning.AllGpuArchs.insert(Job.AllGpuArchs.begin(), Job.AllGpuArchs.end());
  Planning.MinSpeedup = Options.MinSpeedup;
  if (!Run.Jobs.empty())
    Planning.GpuArch = Run.Jobs.front().GpuArch;
  auto Model = costModelFor(
      Options.Gpu.empty() ? Planning.GpuArch : Options.Gpu, usualGpuFolder());
  if (!Model)
    return Model.takeError();
  Planning.Model = std::move(*Model);
  Planning.SharedLimit =
      Options.SharedLimit ? Options.SharedLimit : usualSharedLimit(Planning);
  Planning.DefaultLayout = Options.DefaultLayout;
  Planning.Others = Options.Others.value_or(
      areWholeProgram(Options) ? Outside::Nobody : Outside::Files);
  std::set<std::string> Read;
  for (const UnitRecord &Unit : Units)
    Read.insert(Unit.Job.File);
  Planning.FilesRead = Read.size();
  Planning.DefaultCarveout = Options.DefaultCarveout;
  if (llvm::Error E = addDecisions(Planning, Lookup, Units))
    return E;
  return Planning;
}

std::set<std::string>
bankstripe::sourcesOf(const std::vector<UnitRecord> &Units) {
  std::set<std::string> Sources;
  for (const UnitRecord &Unit : Units)
    for (const SourceFile &File : Unit.Unit.Facts.Sources)
      Sources.insert(File.Path);
  return Sources;
}

Plan bankstripe::planUnits(const std::vector<UnitRecord> &Units,
                           const PlanOptions &Planning, const Measured &Known) {
  std::vector<UnitResult> Results;
  for (const UnitRecord &Unit : Units)
    Results.push_back(Unit.Unit);
  return makePlan(std::move(Results), Planning, Known);
}

llvm::Error bankstripe::carryOut(RunResult &Run, const ToolOptions &Options) {
  auto Changes = applyPlan(Run.Decisions, Options.EmbedHelper);
  if (!Changes)
    return Changes.takeError();
  Run.Changes = std::move(*Changes);
  return llvm::Error::success();
}

llvm::Expected<ReadResult> bankstripe::readPaths(const ToolOptions &Options) {
  ReadResult Read;
  RunResult &Run = Read.Run;
  Run.Paths = Options.Paths;
  if (llvm::Error E = collectAll(Run, Options))
    return E;
  for (const CompileJob &Job : Run.Jobs)
    Run.Files.insert(Job.File);
  // A decisions file that cannot be obeyed is said before time is spent.
  DecisionsLookup Lookup(Options.Config);
  for (const CompileJob &Job : Run.Jobs)
    if (llvm::Error E = Lookup.readFor(Job.File))
      return E;
  Read.Units = readUnits(Run, Options);
  Run.Files.merge(sourcesOf(Read.Units));
  auto Planning = planningFor(Run, Read.Units, Lookup, Options);
  if (!Planning)
    return Planning.takeError();
  Read.Planning = std::move(*Planning);
  return Read;
}

bool bankstripe::isKnown(const ToolOptions &Options) {
  RunResult Run;
  if (llvm::Error E = collectAll(Run, Options)) {
    llvm::consumeError(std::move(E)); // readPaths says so.
    return false;
  }
  const GivenFiles Given(given(Options));
  auto MayEdit = [&](StringRef File) { return Given(File); };
  DiskState State(MayEdit);
  Run.Known = Answers::open(Options);
  return llvm::all_of(Run.Jobs, [&](const CompileJob &Job) {
    return recall(Job, Run, State, Options).has_value();
  });
}

llvm::Expected<RunResult> bankstripe::decide(ReadResult Read,
                                             const ToolOptions &Options) {
  RunResult &Run = Read.Run;
  Run.Decisions = planUnits(Read.Units, Read.Planning);
  if (llvm::Error E = carryOut(Run, Options))
    return E;
  if (Options.Confirm)
    if (llvm::Error E =
            confirmWithPtxas(Run, Read.Units, Read.Planning, Options))
      return E;
  return std::move(Run);
}

llvm::Expected<RunResult> bankstripe::runPipeline(const ToolOptions &Options) {
  llvm::Expected<ReadResult> Read = readPaths(Options);
  if (!Read)
    return Read.takeError();
  return decide(std::move(*Read), Options);
}
