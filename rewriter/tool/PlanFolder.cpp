//===-- PlanFolder.cpp - bankstripe rewrite --plan-dir --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans for a program before its units are compiled by `bankstripe wrap
// --plan=DIR`. The launcher makes the copies, so whether it can is found out
// here: all units have to keep to one plan.
//
//===----------------------------------------------------------------------===//

#include "tool/Facts.h"
#include "wrap/Command.h"
#include "wrap/Shadow.h"
#include "wrap/UnitPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// A run that knows what each unit reads.
struct Planned {
  RunResult Run;
  std::map<std::string, std::vector<SourceFile>> Sources; ///< By unit.
};

} // namespace

static llvm::Expected<Planned> plan(const ToolOptions &Options) {
  auto Read = readPaths(Options);
  if (!Read)
    return Read.takeError();
  if (Read->Run.SomeFailed)
    return llvm::createStringError(
        "no plan is made, as it has to be one for all files");
  Planned Result;
  for (const UnitRecord &Unit : Read->Units) {
    auto [It, New] =
        Result.Sources.emplace(Unit.Job.File, Unit.Unit.Facts.Sources);
    if (!New)
      return llvm::createStringError("'" + Unit.Job.File +
                                     "' is compiled by several commands; name "
                                     "the objects with --objects");
  }
  auto Run = decide(std::move(*Read), Options);
  if (!Run)
    return Run.takeError();
  Result.Run = std::move(*Run);
  return Result;
}

// Why the launcher could not compile a copy of the unit of Job; empty when it
// can. Called in the folder of the command.
static std::string whyNoCopy(const CompileJob &Job,
                             llvm::ArrayRef<ChangedFile> Changes) {
  const CompilerCommand Command =
      readCompilerCommand(Job.OriginalArgs, Job.Directory);
  if (!Command.WhyNot.empty())
    return "'" + Job.File + "' cannot be copied: " + Command.WhyNot;
  const IncludeFolders Folders{Command.QuoteFolders, Command.Folders};
  auto Tree = readIncludeTree(Command.Input, Folders);
  if (!Tree)
    return "cannot read '" + Command.Input + "'";
  auto Made = makeShadow(*Tree, Folders, Changes, shadowFolder(Command.Output));
  return Made ? std::string() : toString(Made.takeError());
}

static std::vector<ChangedFile> changesIn(const Planned &P,
                                          const std::string &Unit) {
  std::vector<ChangedFile> Result;
  const std::vector<SourceFile> &Sources = P.Sources.at(Unit);
  for (const ChangedFile &Change : P.Run.Changes)
    if (llvm::any_of(Sources, [&](const SourceFile &File) {
          return File.Path == Change.Path;
        }))
      Result.push_back(Change);
  return Result;
}

// The first reason why some unit could not be compiled as planned.
static llvm::Expected<std::string> findObstacle(const Planned &P) {
  llvm::SmallString<256> Here;
  if (std::error_code EC = fs::current_path(Here))
    return llvm::errorCodeToError(EC);
  std::string Why;
  for (const CompileJob &Job : P.Run.Jobs) {
    const std::vector<ChangedFile> Changes = changesIn(P, Job.File);
    if (Changes.empty() || !Why.empty())
      continue;
    if (std::error_code EC = fs::set_current_path(Job.Directory))
      return llvm::createStringError("cannot work in the folder '" +
                                     Job.Directory + "': " + EC.message());
    Why = whyNoCopy(Job, Changes);
  }
  if (std::error_code EC = fs::set_current_path(Here))
    return llvm::errorCodeToError(EC);
  return Why;
}

// With the arrays in headers where the headers can be copied.
static llvm::Expected<Planned> planWithHeaders(const ToolOptions &Options) {
  ToolOptions Wide = Options;
  Wide.Scope = {"/"};
  auto Result = plan(Wide);
  if (!Result)
    return Result;
  auto Why = findObstacle(*Result);
  if (!Why)
    return Why.takeError();
  if (Why->empty())
    return Result;
  if (Options.Level != Detail::Quiet)
    llvm::errs() << "bankstripe: " << *Why
                 << "; arrays in headers stay where they are\n";
  Result = plan(Options);
  if (!Result)
    return Result;
  Why = findObstacle(*Result);
  if (!Why)
    return Why.takeError();
  if (!Why->empty())
    return llvm::createStringError(*Why +
                                   "; put NOLINT(bankstripe) to its arrays");
  return Result;
}

static llvm::Error writeAll(const Planned &P, StringRef Folder) {
  for (const auto &[Unit, Sources] : P.Sources) {
    UnitPlan Plan{Sources, {}};
    for (const ChangedFile &Change : changesIn(P, Unit))
      Plan.Changed[Change.Path] = Change.After;
    if (llvm::Error E =
            writeUnitPlan(Plan, unitPlanPath(Folder, Unit), versionText()))
      return E;
  }
  return llvm::Error::success();
}

// Files in which the command of Job goes on.
static std::vector<std::string> responseFiles(const CompileJob &Job) {
  std::vector<std::string> Files;
  const std::vector<std::string> &Args = Job.OriginalArgs;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    const bool Follows =
        I + 1 < Args.size() && (Arg == "--options-file" || Arg == "-optf");
    if (Follows)
      Arg = Args[++I];
    else if (!Arg.consume_front("@") && !Arg.consume_front("--options-file="))
      continue;
    llvm::SmallString<256> Path(Arg);
    path::make_absolute(Job.Directory, Path);
    Files.push_back(std::string(Path));
  }
  return Files;
}

// The sources, how they are compiled, and the decisions that were obeyed for
// them.
static std::set<std::string> dependencies(const Planned &P,
                                          const ToolOptions &Options) {
  const DecisionsLookup Decisions(Options.Config);
  std::set<std::string> Files;
  for (const auto &[Unit, Sources] : P.Sources)
    for (const SourceFile &File : Sources) {
      Files.insert(File.Path);
      if (std::string Path = Decisions.pathFor(File.Path); !Path.empty())
        Files.insert(std::move(Path));
    }
  for (const CompileJob &Job : P.Run.Jobs)
    for (std::string &File : responseFiles(Job))
      Files.insert(std::move(File));
  return Files;
}

llvm::Expected<int> bankstripe::runPlanFolder(const ToolOptions &Options) {
  auto P = planWithHeaders(Options);
  if (!P)
    return P.takeError();
  printText(llvm::errs(), P->Run.Decisions, P->Run.Resources, Options.Level,
            Options.Explain);
  printDecisions(llvm::errs(), P->Run.Decisions, Options.Level);
  const std::string &Folder = Options.OutputDirectory;
  if (llvm::Error E = writeAll(*P, Folder))
    return std::move(E);
  const std::string Done = Folder + "/done";
  if (llvm::Error E =
          writeDepfile(Done + ".d", Done, dependencies(*P, Options)))
    return std::move(E);
  if (llvm::Error E = replaceFile(Done, versionText() + "\n", std::nullopt))
    return std::move(E);
  return ExitDone;
}
