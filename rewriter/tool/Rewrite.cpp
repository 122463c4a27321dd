//===-- Rewrite.cpp - bankstripe analyze and rewrite ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench/Copies.h"
#include "model/HelperParts.h"
#include "model/SourceFile.h"
#include "report/Terminal.h"
#include "tool/Pipeline.h"
#include "tool/StandardInput.h"
#include "tool/Version.h"
#include "wrap/Includes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;
namespace path = llvm::sys::path;

// Where the helper is that \p File includes, beside it as far as nobody says
// otherwise; empty if it includes none.
static std::string helperPlace(const ChangedFile &File) {
  for (const IncludeDirective &D : findIncludes(File.After))
    if (D.Quoted && path::filename(D.Name) == HelperFileName) {
      llvm::SmallString<256> Place(path::parent_path(File.Path));
      path::append(Place, llvm::sys::fs::exists(Place + "/" + D.Name)
                              ? StringRef(D.Name)
                              : StringRef(HelperFileName));
      return std::string(Place);
    }
  return "";
}

// Helpers lie there before the files that include them. One that is there keeps
// the parts that it has, since other files may use them.
static llvm::Error writeInPlace(const RunResult &Run) {
  std::map<std::string, std::vector<StringRef>> Users; // By the helper's place.
  for (const ChangedFile &File : Run.Changes)
    if (std::string Place = helperPlace(File); !Place.empty())
      Users[Place].push_back(File.After);
  llvm::Error Problems = llvm::Error::success();
  std::set<std::string> Unwritten;
  auto Write = [&](const std::string &Place, StringRef Text,
                   const std::string &OfFilesWith) {
    if (llvm::Error E = writeOwnFile(Place, Text)) {
      Problems = joinErrors(std::move(Problems), std::move(E));
      Unwritten.insert(OfFilesWith);
    }
  };
  for (auto &[Place, Texts] : Users) {
    const std::string Earlier = readText(Place).value_or("");
    if (Earlier == helperText())
      continue;
    Texts.push_back(Earlier);
    Write(Place, helperFor(Texts), Place);
  }
  for (const ChangedFile &File : Run.Changes)
    if (StringRef(File.After).contains(("\"" + ChoiceFileName + "\"").str()))
      Write((path::parent_path(File.Path) + "/" + ChoiceFileName).str(),
            choiceText(), helperPlace(File));
  for (const ChangedFile &File : Run.Changes)
    if (!Unwritten.count(helperPlace(File)))
      Problems = joinErrors(std::move(Problems),
                            replaceFile(File.Path, File.After, File.Before));
  return Problems;
}

static llvm::Error write(const RunResult &Run, const ToolOptions &Options) {
  if (Options.Mode == RewriteMode::InPlace)
    return writeInPlace(Run);
  if (Options.Mode == RewriteMode::OutputDirectory)
    return Copies(Options.Reading.OutputDirectory, Options.Reading.Paths)
        .write(Run.Read.Files, Run.Changes);
  return llvm::Error::success();
}

// Says each of E, and keeps it for a log.
static void addProblems(RunResult &Run, llvm::Error E) {
  handleAllErrors(std::move(E), [&](const llvm::ErrorInfoBase &Info) {
    Run.Read.Problems.push_back({"", Info.message()});
    Run.Read.SomeFailed = true;
    llvm::errs() << "bankstripe: " << printable(Info.message()) << '\n';
  });
}

static void printSarif(const RunResult &Run, const ToolOptions &Options,
                       int Code) {
  SarifRun About;
  About.Version = BANKSTRIPE_VERSION;
  About.DocumentsUrl = BANKSTRIPE_DOCUMENTS_URL;
  About.Root = realPath(".");
  About.ExitCode = Code;
  About.Succeeded = Code == ExitDone || Code == ExitChanges;
  About.Problems = Run.Read.Problems;
  About.Level = Options.level();
  llvm::outs() << llvm::formatv("{0:2}\n", toSarif(Run.Decisions, About));
  printDecisions(llvm::errs(), Run.Decisions, Options.level());
}

static void report(const RunResult &Run, const ToolOptions &Options) {
  if (Options.Report.Format == OutputFormat::Json) {
    llvm::outs() << llvm::formatv(
        "{0:2}\n", toJson(Run.Decisions, Run.Resources, Run.Changes));
    return;
  }
  const bool Rewrites = Options.Run == Command::Rewrite;
  printText(Rewrites ? llvm::errs() : llvm::outs(), Run.Decisions,
            Run.Resources, Options.level(), Options.Report.Explain);
  printDecisions(llvm::errs(), Run.Decisions, Options.level());
  const bool ShowsDiff =
      Options.Mode == RewriteMode::DryRun ||
      (Options.Mode == RewriteMode::Check && Options.level() != Detail::Quiet);
  if (Rewrites && ShowsDiff && !Options.ReadsStandardInput)
    for (const ChangedFile &File : Run.Changes)
      printDiff(llvm::outs(), displayName(File.Path), File);
}

// The last line, where it is not overlooked, also if both streams are one.
static void countFailures(const RunResult &Run) {
  llvm::outs().flush();
  std::set<StringRef> All, Failed;
  for (const CompileJob &Job : Run.Read.Jobs)
    All.insert(Job.File);
  for (const Problem &P : Run.Read.Problems)
    if (!P.File.empty())
      Failed.insert(P.File);
  if (!Failed.empty())
    llvm::errs() << "bankstripe: " << Failed.size() << " of " << All.size()
                 << " files could not be processed\n";
}

// The rewritten source, or as it was where nothing moves.
static void printSource(const RunResult &Run, const StandardInput &Input) {
  llvm::outs() << (Run.Changes.empty() ? Input.text()
                                       : Run.Changes.front().After);
}

llvm::Expected<int> bankstripe::runRewrite(ToolOptions Options) {
  std::optional<StandardInput> Input;
  if (Options.ReadsStandardInput) {
    auto Opened = StandardInput::open(Options);
    if (!Opened)
      return Opened.takeError();
    Input.emplace(std::move(*Opened));
  }
  llvm::Expected<RunResult> Ended = runPipeline(Options);
  RunResult Run;
  int Code = ExitDone;
  if (Ended) {
    Run = std::move(*Ended);
    if (Options.Report.Format != OutputFormat::Sarif)
      report(Run, Options);
    addProblems(Run, write(Run, Options));
    if (Input && !Run.Read.SomeFailed)
      printSource(Run, *Input);
  } else {
    Code = Ended.errorIsA<BadDecisions>() ? ExitUsage : ExitSomeFailed;
    addProblems(Run, Ended.takeError());
  }
  if (Options.level() != Detail::Quiet)
    countFailures(Run);
  if (Code == ExitDone && Run.Read.SomeFailed)
    Code = ExitSomeFailed;
  else if (Options.Mode == RewriteMode::Check && !Run.Changes.empty())
    Code = ExitChanges;
  // Last, since it says how the run ended.
  if (Options.Report.Format == OutputFormat::Sarif)
    printSarif(Run, Options, Code);
  return Code;
}
