//===-- Facts.cpp - bankstripe facts and merge-facts ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Nvcc.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

static int fail(llvm::Error E) {
  llvm::errs() << "bankstripe: " << toString(std::move(E)) << '\n';
  return ExitSomeFailed;
}

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

int bankstripe::runFacts(const ToolOptions &Options) {
  RunResult Run;
  if (llvm::Error E = collectAll(Run, Options))
    return fail(std::move(E));
  ProgramFacts Facts;
  Facts.Units = readUnits(Run, Options);
  if (Facts.Units.empty())
    return ExitSomeFailed; // Each was reported.
  if (Options.Confirm)
    askAboutOriginals(Run, Facts, Options);
  if (llvm::Error E = write(Facts, Options.Output))
    return fail(std::move(E));
  if (!Options.Depfile.empty())
    if (llvm::Error E =
            writeDepfile(Options.Depfile, Options.Output, sourcesOf(Facts)))
      return fail(std::move(E));
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
  if (llvm::Error E = carryOut(Run, Facts, All, Options))
    return E;
  if (llvm::Error E = confirmWithPtxas(Run, Facts.Units, *Planning, Options))
    return E;
  for (const PlannedArray &A : Run.Decisions.Arrays)
    if (A.Decision.Why == Reason::StackFrameKept ||
        A.Decision.Why == Reason::CompileFailed)
      Facts.Withdrawn.push_back(
          {A.Array.Where, A.Decision.Why, A.Decision.Detail});
  Facts.CodeGrowth = std::move(Planning->CodeGrowth);
  Facts.Confirmed = true;
  return llvm::Error::success();
}

int bankstripe::runMergeFacts(const ToolOptions &Options) {
  FactsMerger Merger;
  for (const std::string &Path : Options.Paths) {
    auto Part = readFacts(Path, versionText());
    if (!Part)
      return fail(Part.takeError());
    if (llvm::Error E = Merger.add(std::move(*Part), Path))
      return fail(std::move(E));
  }
  ProgramFacts Facts = Merger.take();
  if (Options.Confirm)
    if (llvm::Error E = confirm(Facts, Options))
      return fail(std::move(E));
  if (llvm::Error E = write(Facts, Options.Output))
    return fail(std::move(E));
  return ExitDone;
}
