//===-- Facts.cpp - planning for units that were read before --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands facts and merge-facts, and --facts. Each of many processes plans
// for the whole program and carries out its own part. All must come to the same
// plan, so nothing that can differ between them goes into it: no compiler is
// asked, and of the sources only those are read that this process edits. What
// ptxas does not confirm was found out once, for all (`merge-facts --confirm`).
//
//===----------------------------------------------------------------------===//

#include "tool/Facts.h"
#include "tool/Nvcc.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

// In one step, so that nobody reads half of it.
static llvm::Error write(const ProgramFacts &Facts, StringRef Path) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeFacts(OS, Facts, versionText());
  return replaceFile(Path, Text, std::nullopt);
}

// As make and ninja want it: what stands for something else there gets a
// backslash, and a dollar sign a second one.
static std::string forMake(StringRef Path) {
  std::string Result;
  for (char C : Path) {
    if (C == ' ' || C == '#' || C == '\\')
      Result += '\\';
    if (C == '$')
      Result += '$';
    Result += C;
  }
  return Result;
}

llvm::Error bankstripe::writeDepfile(StringRef Depfile, StringRef Target,
                                     const std::set<std::string> &Sources) {
  std::string Text = forMake(Target) + ":";
  for (const std::string &Path : Sources)
    Text += " \\\n  " + forMake(Path);
  return replaceFile(Depfile, Text + "\n", std::nullopt);
}

static std::set<std::string> sourcesOf(const ProgramFacts &Facts) {
  std::set<std::string> Sources;
  for (const UnitRecord &Unit : Facts.Units)
    for (const SourceFile &File : Unit.Unit.Facts.Sources)
      Sources.insert(File.Path);
  return Sources;
}

// A file that nobody read has no facts; that cannot be meant.
static llvm::Error checkKnown(const ProgramFacts &Facts,
                              const ToolOptions &Options) {
  const std::set<std::string> Known = sourcesOf(Facts);
  for (const std::string &Path : Options.Paths)
    if (!Known.count(realPath(Path)) &&
        llvm::none_of(Known, GivenFiles({Path})))
      return llvm::createStringError(
          "no unit in '" + Options.FactsFile + "' reads '" + Path +
          "'; run 'bankstripe facts' on it, and merge");
  return llvm::Error::success();
}

static llvm::Expected<PlanOptions>
planningForFacts(RunResult &Run, const ProgramFacts &Facts,
                 const ToolOptions &Options) {
  for (const UnitRecord &Unit : Facts.Units) {
    if (!Unit.Job.IsOtherArch)
      Run.Jobs.push_back(Unit.Job);
    for (const auto &[Id, Resources] : Unit.Unit.Resources)
      Run.Resources.Before.insert({Id, Resources});
  }
  DecisionsLookup Lookup(Options.Config);
  for (const CompileJob &Job : Run.Jobs)
    if (llvm::Error E = Lookup.readFor(Job.File))
      return E;
  return planningFor(Run, Facts.Units, Lookup, Options);
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

// Carries out the plan of Run in the files that IsGiven names.
static llvm::Error carryOutIn(RunResult &Run, const ProgramFacts &Facts,
                              llvm::function_ref<bool(StringRef File)> IsGiven,
                              const ToolOptions &Options) {
  const std::set<std::string> Edited = filesOf(Run.Decisions);
  auto Texts = readGivenSources(Facts, IsGiven, [&](StringRef File) {
    return Edited.count(File.str()) != 0;
  });
  if (!Texts)
    return Texts.takeError();
  Run.Decisions.Contents = std::move(*Texts);
  return bankstripe::carryOut(Run, Options);
}

// Where the files of the result stand, and which those are.
static void findFiles(RunResult &Run,
                      llvm::function_ref<bool(StringRef)> IsGiven,
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
  Run.Decisions = makePlan(takeResults(*Facts), *Planning, Facts->Known);
  std::vector<std::string> Given = Options.Paths;
  llvm::append_range(Given, Options.Scope);
  const GivenFiles AreGiven(Given);
  auto IsGiven = [&](StringRef File) {
    return Given.empty() || AreGiven(File);
  };
  if (llvm::Error E = carryOutIn(Run, *Facts, IsGiven, Options))
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

// Registers and stack frames of the originals are facts as well. Only units
// with an array that could move are asked about.
static void askAboutOriginals(RunResult &Run, ProgramFacts &Facts,
                              const ToolOptions &Options) {
  auto Kit = findToolkit(Options.Frontend.CudaPath);
  if (!Kit || Kit->Nvcc.empty()) {
    llvm::consumeError(Kit.takeError()); // The front end has said so.
    return;
  }
  auto HoldsArray = [](const UnitResult &Unit) {
    return llvm::any_of(Unit.Evidence.Arrays, [](const ArrayEvidence &E) {
      return E.Where == Residency::LocalMemory;
    });
  };
  auto Failed = [&](const CompileJob &Job, llvm::Error E) {
    const std::string Problem = toString(std::move(E));
    if (Options.Level != Detail::Quiet)
      llvm::errs() << "bankstripe: " << Job.File
                   << ": nvcc does not compile it, so its registers are not "
                      "known"
                   << (Options.Level == Detail::Verbose ? ": " + Problem
                                                        : std::string())
                   << '\n';
  };
  askOriginals(Run, Facts.Units, Kit->Nvcc, HoldsArray, Failed, Options);
}

llvm::Expected<int> bankstripe::runFacts(const ToolOptions &Options) {
  RunResult Run;
  if (llvm::Error E = collectAll(Run, Options))
    return std::move(E);
  ProgramFacts Facts;
  Facts.Units = readUnits(Run, Options);
  if (Facts.Units.empty())
    return ExitSomeFailed; // Each was reported.
  if (Options.Confirm)
    askAboutOriginals(Run, Facts, Options);
  if (llvm::Error E = write(Facts, Options.Output))
    return std::move(E);
  if (!Options.Depfile.empty())
    if (llvm::Error E =
            writeDepfile(Options.Depfile, Options.Output, sourcesOf(Facts)))
      return std::move(E);
  return Run.SomeFailed ? ExitSomeFailed : ExitDone;
}

// Plans for all, asks ptxas about that plan, and writes down what came of it.
static llvm::Error confirm(ProgramFacts &Facts, const ToolOptions &Options) {
  auto Kit = findToolkit(Options.Frontend.CudaPath);
  if (!Kit)
    return Kit.takeError();
  if (Kit->Nvcc.empty())
    return llvm::createStringError("--confirm needs nvcc; install the CUDA "
                                   "toolkit or give --cuda-path");
  RunResult Run;
  auto Planning = planningForFacts(Run, Facts, Options);
  if (!Planning)
    return Planning.takeError();
  Run.Decisions = planUnits(Facts.Units, *Planning);
  auto All = [](StringRef) { return true; };
  if (llvm::Error E = carryOutIn(Run, Facts, All, Options))
    return E;
  auto Known = confirmWithPtxas(Run, Facts.Units, *Planning, Options);
  if (!Known)
    return Known.takeError();
  Facts.Known = std::move(*Known);
  Facts.Confirmed = true;
  return llvm::Error::success();
}

llvm::Expected<int> bankstripe::runMergeFacts(const ToolOptions &Options) {
  FactsMerger Merger;
  for (const std::string &Path : Options.Paths) {
    auto Part = readFacts(Path, versionText());
    if (!Part)
      return Part.takeError();
    if (llvm::Error E = Merger.add(std::move(*Part), Path))
      return std::move(E);
  }
  ProgramFacts Facts = Merger.take();
  if (Options.Confirm)
    if (llvm::Error E = confirm(Facts, Options))
      return std::move(E);
  if (llvm::Error E = write(Facts, Options.Output))
    return std::move(E);
  return ExitDone;
}
