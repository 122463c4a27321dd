//===-- Rewrite.cpp - bankstripe analyze and rewrite ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "copies/Copies.h"
#include "model/SourceFile.h"
#include "report/Terminal.h"
#include "tool/InPlace.h"
#include "tool/Version.h"
#include "workers/Folders.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// Standard input, in a file meanwhile, because nvcc is asked about it.
class StandardInput {
public:
  /// Reads it, and points \p Options to it: what it includes lies in the
  /// current folder, and its kernels are loaded by name unless the user says
  /// otherwise. Errors: it cannot be read, or is no text.
  static llvm::Expected<StandardInput> open(ToolOptions &Options);

  const std::string &text() const { return Text; }

private:
  StandardInput(TemporaryFolder Folder, std::string Text)
      : Folder(std::move(Folder)), Text(std::move(Text)) {}

  TemporaryFolder Folder;
  std::string Text;
};

} // namespace

llvm::Expected<StandardInput> StandardInput::open(ToolOptions &Options) {
  auto Input = llvm::MemoryBuffer::getSTDIN();
  if (!Input)
    return llvm::createStringError("cannot read standard input: " +
                                   Input.getError().message());
  auto Folder = TemporaryFolder::create();
  if (!Folder)
    return Folder.takeError();
  const std::string File = realPath(Folder->path()) + "/stdin.cu";
  std::string Text = (*Input)->getBuffer().str();
  if (llvm::Error E = writeOwnFile(File, Text))
    return std::move(E);
  showAsStandardInput(File);
  FrontendOptions &Frontend = Options.Reading.Frontend;
  Options.Reading.Paths = {File};
  Frontend.LooksForDatabase = false;
  Frontend.ExtraArgs.push_back("-I" + realPath("."));
  Options.Planning.EmbedHelper = true;
  if (!Options.Planning.Others)
    Options.Planning.Others = Outside::Loaders;
  return StandardInput(std::move(*Folder), std::move(Text));
}

// What cannot be read may launch kernels, and without it the others would be
// written in another form.
static llvm::Error write(const RunResult &Run, const ToolOptions &Options) {
  const bool Writes = Options.Mode == RewriteMode::InPlace ||
                      Options.Mode == RewriteMode::OutputDirectory;
  if (Writes && Run.Read.SomeFailed && !Options.KeepGoing)
    return llvm::createStringError("nothing was written, for some file could "
                                   "not be processed; --keep-going writes the "
                                   "others");
  if (Options.Mode == RewriteMode::InPlace)
    return writeInPlace(Run, Options);
  if (Options.Mode == RewriteMode::OutputDirectory) {
    const std::string &Folder = Options.Reading.OutputDirectory;
    // Who cannot make it says so when the first file is written.
    (void)llvm::sys::fs::create_directories(Folder);
    const FolderLocks Locks({realPath(Folder)});
    return Copies(Folder, Options.Reading.Paths)
        .write(Run.Read.Files, Run.Changes, Run.Read.Jobs);
  }
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
            Run.Resources, Options.level());
  if (Rewrites && Options.level() != Detail::Quiet &&
      llvm::errs().is_displayed())
    llvm::errs() << "bankstripe: the report is that of bankstripe analyze; "
                    "--quiet leaves it out\n";
  printDecisions(llvm::errs(), Run.Decisions, Options.level());
  const bool ShowsDiff =
      Options.Mode == RewriteMode::DryRun ||
      (Options.Mode == RewriteMode::Check && Options.level() != Detail::Quiet);
  if (!Rewrites || !ShowsDiff || Options.ReadsStandardInput)
    return;
  for (const ChangedFile &File : Run.Changes)
    printDiff(llvm::outs(), displayName(File.Path), File);
  if (Options.level() != Detail::Quiet && !llvm::outs().is_displayed() &&
      llvm::any_of(Run.Changes, [](const ChangedFile &File) {
        return StringRef(displayName(File.Path)).starts_with("/");
      }))
    llvm::errs() << "bankstripe: the diff names files outside of this folder "
                    "as from /; patch -p1 -d / applies it\n";
  if (Options.Mode == RewriteMode::DryRun && Options.level() != Detail::Quiet &&
      !llvm::outs().is_displayed() && !helpersFor(Run.Changes).empty())
    llvm::errs() << "bankstripe: the diff lacks " << HelperFileName
                 << "; --embed-helper puts it into the files\n";
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

// What launches run then is not what the source says, or they fail.
static bool hasWrongLaunch(const Plan &P) {
  return llvm::any_of(P.Arrays,
                      [](const PlannedArray &A) {
                        return A.Verdict.Why == Reason::VersionOutdated;
                      }) ||
         llvm::any_of(P.Kernels,
                      [](const KernelPlan &K) { return !K.Failing.empty(); });
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
  else if (Options.Mode == RewriteMode::Check &&
           (!Run.Changes.empty() || hasWrongLaunch(Run.Decisions)))
    Code = ExitChanges;
  // Last, since it says how the run ended.
  if (Options.Report.Format == OutputFormat::Sarif)
    printSarif(Run, Options, Code);
  return Code;
}
