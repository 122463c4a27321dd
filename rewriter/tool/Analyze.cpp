//===-- Analyze.cpp - bankstripe analyze ----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/Json.h"
#include "tool/Outputs.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;

llvm::Expected<int> bankstripe::runAnalyze(const ToolOptions &Options) {
  llvm::Expected<RunResult> Run = runPipeline(Options);
  if (!Run)
    return reportNoRun(Run.takeError(), Options);
  const int Code = Run->SomeFailed ? ExitSomeFailed : ExitDone;
  if (Options.Format == OutputFormat::Json) {
    llvm::outs() << llvm::formatv("{0:2}\n",
                                  toJson(Run->Decisions, Run->Resources));
  } else if (Options.Format == OutputFormat::Sarif) {
    printSarif(*Run, Options, Code);
  } else {
    printText(llvm::outs(), Run->Decisions, Run->Resources, Options.Level,
              Options.Explain);
    printDecisions(llvm::errs(), Run->Decisions, Options.Level);
  }
  return Code;
}
