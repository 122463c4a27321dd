//===-- Pipeline.h - all stages, one after the other ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_PIPELINE_H
#define BANKSTRIPE_TOOL_PIPELINE_H

#include "facts/Facts.h"
#include "report/Report.h"
#include "report/Terminal.h"
#include "tool/Options.h"
#include "workers/Workers.h"
#include <memory>
#include <set>

namespace bankstripe {

class Answers;

/// A run from the paths to the changed contents; nothing is written yet.
struct RunResult {
  std::vector<std::string> Paths; ///< What was given.
  std::vector<CompileJob> Jobs;
  Plan Decisions;
  std::vector<ChangedFile> Changes;
  ConfirmedResources Resources;
  /// What was said of files that could not be processed.
  std::vector<Problem> Problems;
  /// What --output-dir copies, whether it changes or not: the sources, and
  /// whatever they include that is no system header.
  std::set<std::string> Files;
  bool SomeFailed = false; ///< Some file could not be processed.
  /// What earlier runs found out; nothing without a cache.
  std::shared_ptr<Answers> Known;
};

/// Runs all stages on the paths of \p Options. Files that cannot be processed
/// are reported on stderr and left out. \returns an error when nothing could
/// even begin, such as a path that does not exist.
llvm::Expected<RunResult> runPipeline(const ToolOptions &Options);

/// What was read from the paths, before anything is decided.
struct ReadResult {
  RunResult Run; ///< Without decisions and changes.
  std::vector<UnitRecord> Units;
  PlanOptions Planning; ///< As the command line and decisions files say.
};

/// The first half of runPipeline, up to the evidence.
llvm::Expected<ReadResult> readPaths(const ToolOptions &Options);

/// Whether readPaths would find in the cache all that it has to read.
bool isKnown(const ToolOptions &Options);

/// The other half.
llvm::Expected<RunResult> decide(ReadResult Read, const ToolOptions &Options);

/// The files of \p Units, but for system headers.
std::set<std::string> sourcesOf(const std::vector<UnitRecord> &Units);

/// What \p Options ask of a plan for \p Units, of which \p Run has the jobs.
/// Errors: a decisions file cannot be obeyed.
llvm::Expected<PlanOptions> planningFor(const RunResult &Run,
                                        const std::vector<UnitRecord> &Units,
                                        DecisionsLookup &Lookup,
                                        const ToolOptions &Options);

/// Plans for \p Units, as \p Planning says, with what is \p Known of them.
Plan planUnits(const std::vector<UnitRecord> &Units,
               const PlanOptions &Planning, const Measured &Known = {});

/// Makes the changes of \p Run that its decisions ask for. Errors: as of
/// applyPlan.
llvm::Error carryOut(RunResult &Run, const ToolOptions &Options);

} // namespace bankstripe

#endif
