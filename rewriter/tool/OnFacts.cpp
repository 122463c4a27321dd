//===-- OnFacts.cpp - planning for units that were read before ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of many processes plans for the whole program and carries out its own
// part. All must come to the same plan, so nothing that can differ between them
// goes into it: no compiler is asked, and of the sources only those are read
// that this process edits. What ptxas does not confirm was found out once, for
// all (`merge-facts --confirm`).
//
//===----------------------------------------------------------------------===//

#include "tool/Pipeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;
namespace path = llvm::sys::path;

namespace {

/// The files that were given; all where none was. Each is looked up once, since
/// many units read the same headers.
class GivenFacts {
public:
  explicit GivenFacts(const std::vector<std::string> &Paths)
      : All(Paths.empty()), Given(Paths) {}

  bool operator()(StringRef File) {
    if (All)
      return true;
    auto [It, New] = Known.try_emplace(File, false);
    if (New)
      It->second = Given(File);
    return It->second;
  }

private:
  bool All;
  GivenFiles Given;
  llvm::StringMap<bool> Known;
};

} // namespace

// The folder that all Files lie in.
static std::string commonFolder(const std::set<std::string> &Files) {
  std::string Common = path::parent_path(*Files.begin()).str();
  for (const std::string &File : Files)
    while (!GivenFiles({Common})(File))
      Common = path::parent_path(Common).str();
  return Common;
}

// A file that nobody read has no facts; that cannot be meant.
static llvm::Error checkKnown(const ProgramFacts &Facts,
                              const ToolOptions &Options) {
  std::set<std::string> Known;
  for (const UnitRecord &Unit : Facts.Units)
    for (const SourceFile &File : Unit.Unit.Facts.Sources)
      Known.insert(File.Path);
  for (const std::string &Path : Options.Paths)
    if (!Known.count(realPath(Path)) &&
        llvm::none_of(Known, GivenFiles({Path})))
      return llvm::createStringError(
          "no unit in '" + Options.FactsFile + "' reads '" + Path +
          "'; run 'bankstripe facts' on it, and merge");
  return llvm::Error::success();
}

static void withdrawAll(Plan &P, const ProgramFacts &Facts,
                        const PlanOptions &Planning) {
  for (const Withdrawal &W : Facts.Withdrawn)
    for (unsigned I = 0; I < P.Arrays.size(); ++I)
      if (P.Arrays[I].Array.Where == W.Array &&
          P.Arrays[I].Decision.changesSource())
        withdraw(P, I, W.Why, W.Detail, Planning);
}

llvm::Expected<PlanOptions>
bankstripe::planningForFacts(RunResult &Run, const ProgramFacts &Facts,
                             const ToolOptions &Options) {
  for (const UnitRecord &Unit : Facts.Units) {
    Run.Jobs.push_back(Unit.Job);
    for (const auto &[Id, Resources] : Unit.Unit.Resources)
      Run.Resources.Before.insert({Id, Resources});
  }
  DecisionsLookup Lookup(Options.Config);
  for (const CompileJob &Job : Run.Jobs)
    if (llvm::Error E = Lookup.readFor(Job.File))
      return E;
  auto Planning = planningFor(Run, Facts.Units, Lookup, Options);
  if (Planning)
    Planning->CodeGrowth = Facts.CodeGrowth;
  return Planning;
}

// What planning needs; it takes much more room than the names of the sources,
// which stay in Facts.
static std::vector<UnitResult> takeResults(ProgramFacts &Facts) {
  std::vector<UnitResult> Results;
  for (auto &[Job, Unit] : Facts.Units) {
    UnitResult &Taken = Results.emplace_back(std::move(Unit));
    Unit = UnitResult();
    Unit.Facts.Sources = std::move(Taken.Facts.Sources);
    Unit.Facts.Contents = Taken.Facts.Contents;
  }
  return Results;
}

llvm::Error
bankstripe::carryOut(RunResult &Run, const ProgramFacts &Facts,
                     llvm::function_ref<bool(StringRef File)> IsGiven,
                     const ToolOptions &Options) {
  const std::set<std::string> Edited = filesOf(Run.Decisions);
  auto Texts = readGivenSources(Facts, IsGiven, [&](StringRef File) {
    return Edited.count(File.str()) != 0;
  });
  if (!Texts)
    return Texts.takeError();
  Run.Decisions.Contents = std::move(*Texts);
  auto Changes = applyPlan(Run.Decisions, Options.EmbedHelper);
  if (!Changes)
    return Changes.takeError();
  Run.Changes = std::move(*Changes);
  return llvm::Error::success();
}

// Where the files of the result stand, and which those are.
static void findFiles(RunResult &Run, GivenFacts &IsGiven,
                      const ToolOptions &Options) {
  Run.Paths = Options.Paths;
  for (const CompileJob &Job : Run.Jobs)
    if (IsGiven(Job.File))
      Run.Files.insert(Job.File);
  for (const std::string &Path : Options.Paths)
    if (llvm::sys::fs::is_regular_file(Path))
      Run.Files.insert(realPath(Path));
  if (!Run.Paths.empty() || Run.Files.empty())
    return;
  std::set<std::string> Files = Run.Files;
  for (const ChangedFile &File : Run.Changes)
    Files.insert(File.Path);
  Run.Paths = {commonFolder(Files)};
}

llvm::Expected<RunResult> bankstripe::runOnFacts(const ToolOptions &Options) {
  auto Facts = readFacts(Options.FactsFile, versionText());
  if (!Facts)
    return Facts.takeError();
  if (llvm::Error E = checkKnown(*Facts, Options))
    return E;
  RunResult Run;
  auto Planning = planningForFacts(Run, *Facts, Options);
  if (!Planning)
    return Planning.takeError();
  Run.Decisions = makePlan(takeResults(*Facts), *Planning);
  withdrawAll(Run.Decisions, *Facts, *Planning);
  std::vector<std::string> Given = Options.Paths;
  llvm::append_range(Given, Options.Scope);
  GivenFacts IsGiven(Given);
  if (llvm::Error E = carryOut(Run, *Facts, IsGiven, Options))
    return E;
  findFiles(Run, IsGiven, Options);
  if (Options.Confirm && !Facts->Confirmed && !Run.Changes.empty() &&
      Options.Level != Detail::Quiet)
    llvm::errs() << "bankstripe: ptxas was not asked to confirm the rewrite; "
                    "'bankstripe merge-facts --confirm' does that for all "
                    "files at once\n";
  restrictTo(Run.Decisions, IsGiven);
  return Run;
}
