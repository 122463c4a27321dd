//===-- Pipeline.h - all stages, one after the other ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_PIPELINE_H
#define BANKSTRIPE_TOOL_PIPELINE_H

#include "cache/Answers.h"
#include "tool/Options.h"
#include <memory>
#include <set>

namespace bankstripe {

/// What was read from the paths, before anything is decided.
struct ReadResult {
  std::vector<CompileJob> Jobs;
  std::vector<UnitRecord> Units;
  /// What --output-dir copies, whether it changes or not: the sources, and
  /// whatever they include that is no system header.
  std::set<std::string> Files;
  /// What was said of files that could not be processed.
  std::vector<Problem> Problems;
  bool SomeFailed = false; ///< Some file could not be processed.
  /// As the command line and decisions files say.
  PlanOptions Planning;
  /// What earlier runs found out; nothing without a cache.
  std::shared_ptr<Answers> Known;

  /// What makePlan asks for.
  std::vector<UnitResult> results() const;
};

/// A run from the paths to the changed contents; nothing is written yet.
struct RunResult : PlannedChanges {
  ReadResult Read;
  ConfirmedResources Resources;
};

/// What the launcher says of a run besides its options: it has one source, and
/// shows only what changes.
struct LauncherHooks {
  /// The one source was compiled as it is, so nvcc need not be asked about it.
  std::optional<NvccCompile> Compiled;
  /// Compiles it so, as the user's command does. \returns nothing where it
  /// cannot. None: it was, or nobody compiles.
  std::function<std::optional<NvccCompile>()> CompileOriginal;
  /// Compiles it as changed, to where the user's command writes: if that stays,
  /// it is compiled once. \returns nothing where it cannot. Errors: the
  /// compiler's. None: nobody compiles.
  std::function<llvm::Expected<std::optional<NvccCompile>>(
      llvm::ArrayRef<ChangedFile>)>
      CompileChanged;
};

/// Runs all stages on the paths of \p Options. Files that cannot be processed
/// are reported on stderr and left out. \returns an error when nothing could
/// even begin, such as a path that does not exist.
llvm::Expected<RunResult> runPipeline(const ToolOptions &Options);

/// The first half of runPipeline, up to the evidence; for the launcher with its
/// \p Hooks.
llvm::Expected<ReadResult> readPaths(const ToolOptions &Options,
                                     const LauncherHooks *Hooks = nullptr);

/// Whether readPaths would find in the cache all that it has to read.
bool isKnown(const ToolOptions &Options, const LauncherHooks &Hooks);

/// The other half.
llvm::Expected<RunResult> decide(ReadResult Read, const ToolOptions &Options,
                                 const LauncherHooks *Hooks = nullptr);

} // namespace bankstripe

#endif
