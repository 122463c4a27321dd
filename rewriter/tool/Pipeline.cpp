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

// The user put a file at our disposal by naming it or a folder above it, be it
// through links.
static bool isGiven(StringRef File, const std::vector<std::string> &Paths) {
  const std::string Real = realPath(File);
  return llvm::any_of(Paths, [&](const std::string &Path) {
    const std::string Given = realPath(Path);
    StringRef Rest = Real;
    return Rest.consume_front(Given) &&
           (Rest.empty() || Given.back() == '/' || Rest.starts_with("/"));
  });
}

static JobResult processJob(const CompileJob &Job, const ToolOptions &Options) {
  JobResult Result;
  llvm::raw_string_ostream OS(Result.Diagnostics);
  OS.enable_colors(llvm::errs().has_colors());
  llvm::Expected<ParseOutcome> Outcome =
      parseUnit(Job, OS, [&](ParsedUnit &Parsed) {
        UnitResult Unit;
        Unit.Facts = findAll(Parsed, [&](StringRef File) {
          return isGiven(File, Options.Paths);
        });
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
  Progress Shown(Jobs.size(), Options.Level != Detail::Quiet);
  if (Options.Jobs == 1 || Jobs.size() == 1) {
    for (size_t I = 0; I < Jobs.size(); ++I) {
      Results[I] = processJob(Jobs[I], Options);
      Shown.done(Jobs[I].File);
    }
    return Results;
  }
  llvm::DefaultThreadPool Pool(llvm::hardware_concurrency(Options.Jobs));
  for (size_t I = 0; I < Jobs.size(); ++I)
    Pool.async([&, I] {
      Results[I] = processJob(Jobs[I], Options);
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

// The jobs of all paths. One that cannot be taken is reported, and the others
// are still processed; an error when none can be.
static llvm::Error collectAll(RunResult &Run, const ToolOptions &Options) {
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
  if (Problems)
    llvm::errs() << "bankstripe: " << toString(std::move(Problems)) << '\n';
  llvm::sort(Run.Jobs, [](const CompileJob &A, const CompileJob &B) {
    return std::tie(A.File, A.ClangArgs) < std::tie(B.File, B.ClangArgs);
  });
  return llvm::Error::success();
}

llvm::Expected<RunResult> bankstripe::runPipeline(const ToolOptions &Options) {
  RunResult Run;
  if (llvm::Error E = collectAll(Run, Options))
    return E;
  // A decisions file that cannot be obeyed is said before time is spent.
  DecisionsLookup Lookup(Options.Config);
  for (const CompileJob &Job : Run.Jobs)
    if (llvm::Error E = Lookup.readFor(Job.File))
      return E;

  std::vector<JobResult> Results = processAll(Run.Jobs, Options);
  std::vector<UnitResult> Units;
  std::vector<unsigned> JobOfUnit;
  bool SaidBuiltin = false;
  for (size_t I = 0; I < Results.size(); ++I) {
    reportReading(Run.Jobs[I], Results[I], Options, SaidBuiltin);
    Run.SomeFailed |= !Results[I].Error.empty();
    if (!Results[I].Unit)
      continue;
    Units.push_back(std::move(*Results[I].Unit));
    JobOfUnit.push_back(I);
  }

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
  Planning.DefaultCarveout = Options.DefaultCarveout;
  if (llvm::Error E = addDecisions(Planning, Lookup, Units))
    return E;
  Run.Decisions = makePlan(Units, Planning);
  auto Changes = applyPlan(Run.Decisions, Options.EmbedHelper);
  if (!Changes)
    return Changes.takeError();
  Run.Changes = std::move(*Changes);
  if (Options.Confirm)
    confirmWithPtxas(Run, std::move(Units), JobOfUnit, Planning, Options);
  return Run;
}
