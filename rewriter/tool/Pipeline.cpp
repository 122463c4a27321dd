//===-- Pipeline.cpp - all stages, one after the other --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Pipeline.h"
#include "tool/Facts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

llvm::Error bankstripe::collectAll(RunResult &Run, const ToolOptions &Options) {
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
  if (Problems) {
    Run.Problems.push_back({"", toString(std::move(Problems))});
    llvm::errs() << "bankstripe: " << Run.Problems.back().Message << '\n';
  }
  llvm::sort(Run.Jobs, [](const CompileJob &A, const CompileJob &B) {
    return std::tie(A.File, A.ClangArgs) < std::tie(B.File, B.ClangArgs);
  });
  return llvm::Error::success();
}

llvm::Expected<PlanOptions>
bankstripe::planningFor(const RunResult &Run,
                        const std::vector<UnitRecord> &Units,
                        DecisionsLookup &Lookup, const ToolOptions &Options) {
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
  Planning.Unroll = Options.Unroll;
  Planning.DefaultCarveout = Options.DefaultCarveout;
  if (llvm::Error E = addDecisions(Planning, Lookup, Units))
    return E;
  return Planning;
}

WorkLimits bankstripe::workLimits(const ToolOptions &Options) {
  return {Options.Jobs, uint64_t(Options.MaxMegabytes) << 20,
          Options.TimeLimit};
}

Plan bankstripe::planUnits(const std::vector<UnitRecord> &Units,
                           const PlanOptions &Planning, const Measured &Known) {
  std::vector<UnitResult> Results;
  for (const UnitRecord &Unit : Units)
    Results.push_back(Unit.Unit);
  return makePlan(std::move(Results), Planning, Known);
}

llvm::Expected<ReadResult> bankstripe::readPaths(const ToolOptions &Options) {
  ReadResult Read;
  RunResult &Run = Read.Run;
  Run.Paths = Options.Paths;
  if (llvm::Error E = collectAll(Run, Options))
    return E;
  for (const CompileJob &Job : Run.Jobs)
    Run.Files.insert(Job.File);
  // A decisions file that cannot be obeyed is said before time is spent.
  DecisionsLookup Lookup(Options.Config);
  for (const CompileJob &Job : Run.Jobs)
    if (llvm::Error E = Lookup.readFor(Job.File))
      return E;
  Read.Units = readUnits(Run, Options);
  auto Planning = planningFor(Run, Read.Units, Lookup, Options);
  if (!Planning)
    return Planning.takeError();
  Read.Planning = std::move(*Planning);
  return Read;
}

llvm::Expected<RunResult> bankstripe::decide(ReadResult Read,
                                             PlanOptions Planning,
                                             const ToolOptions &Options) {
  RunResult &Run = Read.Run;
  Run.Decisions = planUnits(Read.Units, Planning);
  auto Changes = applyPlan(Run.Decisions, Options.EmbedHelper);
  if (!Changes)
    return Changes.takeError();
  Run.Changes = std::move(*Changes);
  if (Options.Confirm)
    if (auto Known = confirmWithPtxas(Run, Read.Units, Planning, Options);
        !Known)
      return Known.takeError();
  return std::move(Run);
}

llvm::Expected<RunResult> bankstripe::runPipeline(const ToolOptions &Options) {
  if (!Options.FactsFile.empty())
    return runOnFacts(Options);
  llvm::Expected<ReadResult> Read = readPaths(Options);
  if (!Read)
    return Read.takeError();
  const PlanOptions Planning = Read->Planning;
  return decide(std::move(*Read), Planning, Options);
}
