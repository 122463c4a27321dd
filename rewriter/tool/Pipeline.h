//===-- Pipeline.h - all stages, one after the other ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_PIPELINE_H
#define BANKSTRIPE_TOOL_PIPELINE_H

#include "plan/Plan.h"
#include "tool/Options.h"

namespace bankstripe {

/// A run from the paths to the changed contents; nothing is written yet.
struct RunResult {
  std::vector<CompileJob> Jobs;
  Plan Decisions;
  std::vector<ChangedFile> Changes;
  ConfirmedResources Resources;
  bool SomeFailed = false; ///< Some file could not be processed.
};

/// Runs all stages on the paths of \p Options. Files that cannot be processed
/// are reported on stderr and left out. \returns an error when nothing could
/// even begin, such as a path that does not exist.
llvm::Expected<RunResult> runPipeline(const ToolOptions &Options);

/// Tells \p Planning what was decided for the arrays and kernels of \p Units,
/// with the decisions files of their headers (Decisions.cpp). Errors: one of
/// those cannot be obeyed.
llvm::Error addDecisions(PlanOptions &Planning, DecisionsLookup &Lookup,
                         const std::vector<UnitResult> &Units);

/// Asks nvcc about the original and the rewritten files, fills in
/// RunResult::Resources, plans anew with the registers and withdraws what
/// ptxas does not confirm (Confirm.cpp). Does nothing without nvcc.
llvm::Error confirmWithPtxas(RunResult &Run, std::vector<UnitResult> Units,
                             const std::vector<unsigned> &JobOfUnit,
                             const PlanOptions &PlanOptions,
                             const ToolOptions &Options);

/// Writes the changed files of \p Run below \p Root, at their absolute paths,
/// with the helper beside each and links to what stood beside them; \p Job's
/// own file is there in any case. \returns the arguments that make a compiler
/// look there first for what \p Job includes.
llvm::Expected<std::vector<std::string>>
writeMirror(const RunResult &Run, const CompileJob &Job, llvm::StringRef Root);

/// \p Path without links; where there is no such file, the absolute path.
std::string realPath(llvm::StringRef Path);

/// A folder that is removed when this goes out of scope.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder &&Other) noexcept
      : Path(std::move(Other.Path)) {
    Other.Path.clear();
  }
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();
  const std::string &path() const { return Path; }
  void keep() { Path.clear(); }

private:
  explicit TemporaryFolder(std::string Path) : Path(std::move(Path)) {}
  std::string Path;
};

} // namespace bankstripe

#endif
