//===-- Verify.cpp - bankstripe verify ------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two commands, or a replay, are handed to the program beside this one. Else
// one program is rewritten and built both ways. Where the two differ, both are
// built once more without fused operations: if they agree then, the rewrite is
// right.
//
//===----------------------------------------------------------------------===//

#include "report/Report.h"
#include "tool/Pipeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

static llvm::Expected<int> verify(Program &P, const RunResult &Run,
                                  const ToolOptions &Options) {
  llvm::Expected<std::string> Original = P.build("original", {});
  if (!Original)
    return Original.takeError();
  llvm::Expected<std::string> Rewritten = P.build("rewritten", Run.Changes);
  if (!Rewritten)
    return Rewritten.takeError();
  if (llvm::Error E = P.checkChanged(*Original, *Rewritten))
    return std::move(E);
  std::vector<std::string> Further;
  if (!Options.Report.Html.empty()) {
    // bankstripe-verify knows nothing of changes and reasons.
    const std::string Plan = P.folder() + "/plan.json";
    const auto Json = toJson(Run.Decisions, Run.Resources, Run.Changes);
    if (llvm::Error E = replaceFile(Plan, llvm::formatv("{0:2}\n", Json).str(),
                                    std::nullopt))
      return std::move(E);
    Further = {"--html=" + Options.Report.Html, "--plan=" + Plan};
  }
  if (Options.Report.Format == OutputFormat::Json)
    Further.emplace_back("--json=-");
  llvm::Expected<int> Status =
      P.compare(*Original, *Rewritten, Options.Program.TimedRuns,
                /*Quiet=*/false, Further);
  if (!Status || *Status != ExitChanges)
    return Status;
  // This only says what it finds: a difference remains one.
  llvm::Expected<bool> Agrees = P.agreesUnfused(Run.Changes);
  if (!Agrees)
    return Agrees.takeError();
  if (*Agrees)
    llvm::errs() << "bankstripe: with -fmad=false both programs compute the "
                    "same; they differ only in which multiplications and "
                    "additions nvcc fuses\n";
  return Status;
}

llvm::Expected<int> bankstripe::runVerify(const ToolOptions &Options,
                                          StringRef Executable) {
  llvm::Expected<RunResult> Run = runPipeline(Options);
  if (!Run)
    return Run.takeError();
  if (Run->Read.SomeFailed)
    return ExitSomeFailed;
  printText(llvm::errs(), Run->Decisions, Run->Resources, Options.level());
  printDecisions(llvm::errs(), Run->Decisions, Options.level());
  if (Run->Changes.empty()) {
    if (Options.level() != Detail::Quiet)
      llvm::errs() << "bankstripe: nothing would be rewritten, so there is "
                      "nothing to verify\n";
    return ExitDone;
  }
  llvm::Expected<Program> P = Program::find(
      Options.Program, Options.Reading.Frontend, Options.Reading.Work,
      Executable, Run->Read.Jobs, Run->Read.Files);
  if (!P)
    return P.takeError();
  return verify(*P, *Run, Options);
}

bool bankstripe::comparesCommands(llvm::ArrayRef<const char *> Words) {
  const auto *Dashes = llvm::find(Words, StringRef("--"));
  return Dashes != Words.end() &&
         llvm::is_contained(llvm::ArrayRef(Dashes + 1, Words.end()),
                            StringRef("--vs"));
}

llvm::Expected<int> bankstripe::runBeside(StringRef Name,
                                          llvm::ArrayRef<const char *> Words,
                                          StringRef Executable) {
  std::vector<std::string> Command{besideExecutable(Name, Executable)};
  if (!llvm::sys::fs::can_execute(Command.front()))
    return llvm::createStringError("cannot find '" + Command.front() +
                                   "'; install the package bankstripe-verify, "
                                   "which no wheel has");
  Command.insert(Command.end(), Words.begin(), Words.end());
  return become(Command);
}
