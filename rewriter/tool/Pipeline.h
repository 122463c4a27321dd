//===-- Pipeline.h - all stages, one after the other ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_PIPELINE_H
#define BANKSTRIPE_TOOL_PIPELINE_H

#include "facts/Facts.h"
#include "report/Sarif.h"
#include "tool/Options.h"
#include "tool/Paths.h"
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
  /// What is written below a folder even where nothing changes.
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

/// The other half, with \p Planning in place of the one that was read.
llvm::Expected<RunResult> decide(ReadResult Read, PlanOptions Planning,
                                 const ToolOptions &Options);

/// Finds the jobs of all paths of \p Options. One that cannot be taken is
/// reported, and noted in \p Run; an error when none can be.
llvm::Error collectAll(RunResult &Run, const ToolOptions &Options);

/// Reads the files of \p Run, those that are not known from before; those that
/// cannot be are reported, and noted in \p Run (Reading.cpp).
std::vector<UnitRecord> readUnits(RunResult &Run, const ToolOptions &Options);

/// What \p Options allow the processes that we start.
WorkLimits workLimits(const ToolOptions &Options);

/// What \p Options ask of a plan for \p Units, of which \p Run has the jobs.
/// Errors: a decisions file cannot be obeyed.
llvm::Expected<PlanOptions> planningFor(const RunResult &Run,
                                        const std::vector<UnitRecord> &Units,
                                        DecisionsLookup &Lookup,
                                        const ToolOptions &Options);

/// Plans for \p Units, as \p Planning says, with what is \p Known of them.
Plan planUnits(const std::vector<UnitRecord> &Units,
               const PlanOptions &Planning, const Measured &Known = {});

/// Tells \p Planning what was decided for the arrays and kernels of \p Units,
/// with the decisions files of their headers (Decisions.cpp). Errors: one of
/// those cannot be obeyed.
llvm::Error addDecisions(PlanOptions &Planning, DecisionsLookup &Lookup,
                         const std::vector<UnitRecord> &Units);

/// Asks nvcc about the original and the rewritten files until the plan of
/// \p Run is settled, and fills in RunResult::Resources (Confirm.cpp). \p Units
/// keep what it says of the originals. Does nothing without nvcc.
/// \returns what it said of the rewritten ones. Errors: as of applyPlan, or
/// there is no temporary folder.
llvm::Expected<Measured> confirmWithPtxas(RunResult &Run,
                                          std::vector<UnitRecord> &Units,
                                          const PlanOptions &Planning,
                                          const ToolOptions &Options);

/// Copies of changed files below a folder, at their absolute paths, with the
/// helper beside each and links to what stood beside them.
class Mirror {
public:
  /// \p Changes have to outlive this.
  Mirror(llvm::ArrayRef<ChangedFile> Changes, llvm::StringRef Root);
  /// Makes room for the own file of \p Job, which is there in any case.
  /// \returns the arguments that make a compiler look there first for what
  /// \p Job includes.
  std::vector<std::string> add(const CompileJob &Job);
  /// Writes what was not written yet.
  llvm::Error write();
  const std::string &root() const { return Root; }
  llvm::ArrayRef<ChangedFile> changes() const { return Changes; }

private:
  bool holds(llvm::StringRef Folder) const;

  llvm::ArrayRef<ChangedFile> Changes;
  std::string Root;
  std::set<std::string> Folders, Above; ///< Of originals.
  std::set<std::string> Linked;
  bool Written = false;
};

} // namespace bankstripe

#endif
