//===-- Pipeline.cpp - all stages, one after the other --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Pipeline.h"
#include "evidence/Evidence.h"
#include "find/Find.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <set>

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// What one job came to.
struct JobResult {
  std::optional<UnitResult> Unit;
  std::string Diagnostics;
  std::string Error;
  ParseOutcome Outcome;
};

/// `[12/60] kernel.cu` on a terminal, for runs that take a while.
class Progress {
public:
  explicit Progress(unsigned Total, bool Wanted)
      : Total(Total), Enabled(Wanted && Total > 1 &&
                              llvm::sys::Process::StandardErrIsDisplayed()) {}
  ~Progress() {
    if (Enabled)
      llvm::errs() << "\r\x1b[K";
  }
  void done(StringRef File) {
    std::lock_guard<std::mutex> Lock(Mutex);
    ++Done;
    if (Enabled)
      llvm::errs() << "\r\x1b[K[" << Done << '/' << Total << "] "
                   << llvm::sys::path::filename(File);
  }

private:
  std::mutex Mutex;
  unsigned Total;
  unsigned Done = 0;
  bool Enabled;
};

} // namespace

std::string bankstripe::realPath(StringRef Path) {
  llvm::SmallString<256> Result;
  if (!llvm::sys::fs::real_path(Path, Result))
    return std::string(Result);
  Result = Path;
  // Fails only without a current folder; the path then stays relative.
  (void)llvm::sys::fs::make_absolute(Result);
  llvm::sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return std::string(Result);
}

GivenFiles::GivenFiles(const std::vector<std::string> &Paths) {
  for (const std::string &Path : Paths)
    Real.push_back(realPath(Path));
}

bool GivenFiles::operator()(StringRef File) const {
  const std::string Path = realPath(File);
  return llvm::any_of(Real, [&](const std::string &Given) {
    StringRef Rest = Path;
    return Rest.consume_front(Given) &&
           (Rest.empty() || Given.back() == '/' || Rest.starts_with("/"));
  });
}

static JobResult processJob(const CompileJob &Job, const GivenFiles &MayEdit) {
  JobResult Result;
  llvm::raw_string_ostream OS(Result.Diagnostics);
  OS.enable_colors(llvm::errs().has_colors());
  llvm::Expected<ParseOutcome> Outcome =
      parseUnit(Job, OS, [&](ParsedUnit &Parsed) {
        UnitResult Unit;
        Unit.Facts = findAll(Parsed, MayEdit);
        Unit.Evidence = gatherEvidence(Parsed, Unit.Facts, Job.GpuArch);
        Result.Unit = std::move(Unit);
      });
  if (!Outcome) {
    Result.Unit.reset();
    Result.Error = toString(Outcome.takeError());
  } else {
    Result.Outcome = *Outcome;
  }
  return Result;
}

static std::vector<JobResult> processAll(const std::vector<CompileJob> &Jobs,
                                         const ToolOptions &Options) {
  std::vector<JobResult> Results(Jobs.size());
  std::vector<std::string> Paths = Options.Paths;
  llvm::append_range(Paths, Options.Scope);
  const GivenFiles MayEdit(Paths);
  Progress Shown(Jobs.size(), Options.Level != Detail::Quiet);
  if (Options.Jobs == 1 || Jobs.size() == 1) {
    for (size_t I = 0; I < Jobs.size(); ++I) {
      Results[I] = processJob(Jobs[I], MayEdit);
      Shown.done(Jobs[I].File);
    }
    return Results;
  }
  llvm::DefaultThreadPool Pool(llvm::hardware_concurrency(Options.Jobs));
  for (size_t I = 0; I < Jobs.size(); ++I)
    Pool.async([&, I] {
      Results[I] = processJob(Jobs[I], MayEdit);
      Shown.done(Jobs[I].File);
    });
  Pool.wait();
  return Results;
}

// What a person should know about how a file was read.
static void reportReading(const CompileJob &Job, const JobResult &Result,
                          const ToolOptions &Options, bool &SaidBuiltin) {
  if (!Result.Diagnostics.empty() && !Result.Error.empty())
    llvm::errs() << Result.Diagnostics;
  if (!Result.Error.empty())
    llvm::errs() << "bankstripe: " << Result.Error << '\n';
  if (Options.Level == Detail::Quiet)
    return;
  if (Result.Outcome.UsedBuiltinHeader && !SaidBuiltin) {
    llvm::errs() << "bankstripe: no CUDA toolkit was found, the built-in "
                    "declarations are used; give --cuda-path for the full "
                    "headers\n";
    SaidBuiltin = true;
  }
  if (Options.Level != Detail::Verbose)
    return;
  if (Result.Outcome.UsedShim)
    llvm::errs() << "bankstripe: " << Job.File
                 << ": parsed with the nvcc compatibility header\n";
  if (!Job.Dropped.empty()) {
    llvm::errs() << "bankstripe: " << Job.File << ": dropped from the command:";
    for (const std::string &Arg : Job.Dropped)
      llvm::errs() << ' ' << Arg;
    llvm::errs() << '\n';
  }
  if (Result.Unit && !Result.Unit->Evidence.Problem.empty())
    llvm::errs() << "bankstripe: " << Job.File << ": "
                 << Result.Unit->Evidence.Problem << '\n';
}

llvm::Error bankstripe::collectAll(RunResult &Run, const ToolOptions &Options) {
  llvm::Error Problems = llvm::Error::success();
  std::set<std::pair<std::string, std::vector<std::string>>> Known;
  unsigned Taken = 0;
  for (const std::string &Path : Options.Paths) {
    auto Jobs = collectJobs(Path, Options.Frontend);
    if (!Jobs) {
      Problems = joinErrors(std::move(Problems), Jobs.takeError());
      continue;
    }
    ++Taken;
    for (CompileJob &Job : *Jobs)
      if (Known.emplace(Job.File, Job.ClangArgs).second)
        Run.Jobs.push_back(std::move(Job));
  }
  if (Taken == 0)
    return Problems;
  Run.SomeFailed = static_cast<bool>(Problems);
  if (Problems) {
    Run.Problems.push_back({"", toString(std::move(Problems))});
    llvm::errs() << "bankstripe: " << Run.Problems.back().Message << '\n';
  }
  llvm::sort(Run.Jobs, [](const CompileJob &A, const CompileJob &B) {
    return std::tie(A.File, A.ClangArgs) < std::tie(B.File, B.ClangArgs);
  });
  return llvm::Error::success();
}

std::vector<UnitRecord> bankstripe::readUnits(RunResult &Run,
                                              const ToolOptions &Options) {
  std::vector<JobResult> Results = processAll(Run.Jobs, Options);
  std::vector<UnitRecord> Units;
  bool SaidBuiltin = false;
  for (size_t I = 0; I < Results.size(); ++I) {
    reportReading(Run.Jobs[I], Results[I], Options, SaidBuiltin);
    if (!Results[I].Error.empty()) {
      Run.SomeFailed = true;
      Run.Problems.push_back({Run.Jobs[I].File, Results[I].Error});
    }
    if (Results[I].Unit)
      Units.push_back({Run.Jobs[I], std::move(*Results[I].Unit)});
  }
  return Units;
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
  Planning.SharedLimit =
      Options.SharedLimit ? Options.SharedLimit : usualSharedLimit(Planning);
  Planning.DefaultLayout = Options.DefaultLayout;
  Planning.Unroll = Options.Unroll;
  Planning.DefaultCarveout = Options.DefaultCarveout;
  if (llvm::Error E = addDecisions(Planning, Lookup, Units))
    return E;
  return Planning;
}

Plan bankstripe::planUnits(const std::vector<UnitRecord> &Units,
                           const PlanOptions &Planning) {
  std::vector<UnitResult> Results;
  for (const UnitRecord &Unit : Units)
    Results.push_back(Unit.Unit);
  return makePlan(std::move(Results), Planning);
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
  auto Planning = planningFor(Run, Read.Units, Lookup, Options);
  if (!Planning)
    return Planning.takeError();
  Read.Planning = std::move(*Planning);
  return Read;
}

llvm::Expected<RunResult> bankstripe::decide(ReadResult Read,
                                             PlanOptions Planning,
                                             const ToolOptions &Options) {
  RunResult &Run = Read.Run;
  Run.Decisions = planUnits(Read.Units, Planning);
  auto Changes = applyPlan(Run.Decisions, Options.EmbedHelper);
  if (!Changes)
    return Changes.takeError();
  Run.Changes = std::move(*Changes);
  if (Options.Confirm)
    if (llvm::Error E = confirmWithPtxas(Run, Read.Units, Planning, Options))
      return E;
  return std::move(Run);
}

llvm::Expected<RunResult> bankstripe::runPipeline(const ToolOptions &Options) {
  if (!Options.FactsFile.empty())
    return runOnFacts(Options);
  llvm::Expected<ReadResult> Read = readPaths(Options);
  if (!Read)
    return Read.takeError();
  const PlanOptions Planning = Read->Planning;
  return decide(std::move(*Read), Planning, Options);
}
