//===-- Outputs.cpp - what analyze and rewrite print alike ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Outputs.h"
#include "tool/Version.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;

static std::string exitText(int Code) {
  switch (Code) {
  case ExitDone:
    return "done";
  case ExitChanges:
    return "--check found changes";
  case ExitSomeFailed:
    return "some file could not be processed";
  }
  return "bad usage";
}

// A fix has to be complete. It is not where another process edits its share of
// the files, and it is no fix any more where the files have been replaced.
static bool offersFixes(const ToolOptions &Options) {
  const bool OwnShareOnly =
      !Options.FactsFile.empty() && !Options.Paths.empty();
  return !OwnShareOnly && Options.Mode != RewriteMode::InPlace;
}

void bankstripe::printSarif(const RunResult &Run, const ToolOptions &Options,
                            int Code) {
  SarifRun About;
  About.Version = versionNumber();
  About.FullName = versionText();
  About.DocumentsUrl = BANKSTRIPE_DOCUMENTS_URL;
  About.Root = realPath(".");
  About.ExitCode = Code;
  About.ExitText = exitText(Code);
  About.Succeeded = Code != ExitSomeFailed;
  About.Problems = Run.Problems;
  About.Level = Options.Level;
  llvm::Expected<std::vector<JointChange>> Fixes = std::vector<JointChange>();
  if (offersFixes(Options))
    Fixes = applyJointly(Run.Decisions, Options.EmbedHelper);
  if (!Fixes)
    About.Problems.push_back({"", toString(Fixes.takeError())});
  const llvm::json::Value Log = toSarif(
      Run.Decisions,
      Fixes ? llvm::ArrayRef(*Fixes) : llvm::ArrayRef<JointChange>(), About);
  llvm::outs() << llvm::formatv("{0:2}\n", Log);
}

int bankstripe::reportNoRun(llvm::Error E, const ToolOptions &Options) {
  RunResult Nothing;
  Nothing.Problems.push_back({"", toString(std::move(E))});
  llvm::errs() << "bankstripe: " << Nothing.Problems.back().Message << '\n';
  if (Options.Format == OutputFormat::Sarif)
    printSarif(Nothing, Options, ExitSomeFailed);
  return ExitSomeFailed;
}
