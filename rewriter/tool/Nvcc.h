//===-- Nvcc.h - nvcc has the last word -------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_NVCC_H
#define BANKSTRIPE_TOOL_NVCC_H

#include "cache/Answers.h"
#include "tool/Pipeline.h"

namespace bankstripe {

/// The files that nvcc can be asked about.
struct NvccInputs {
  std::vector<UnitRecord> &Units; ///< They keep what it says of the originals.
  const std::set<std::string> &Files; ///< Their sources.
  Answers *Known = nullptr;           ///< What earlier runs asked, if kept.
  /// Of the launcher, which compiles what comes of it, and falls back to the
  /// original. Only what may change is then of interest. Null for others.
  const LauncherHooks *Launcher = nullptr;
};

/// Plans again with what is known by now, and makes the changes.
using Replan =
    llvm::function_ref<llvm::Expected<PlannedChanges>(const Measured &)>;

/// Asks nvcc about the original and the rewritten files until the plan of
/// \p Made is settled. \returns what it says. Does nothing without nvcc in
/// \p CudaPath. Errors: as of \p Again, or there is no temporary folder.
llvm::Expected<ConfirmedResources> confirmWithPtxas(PlannedChanges &Made,
                                                    NvccInputs Inputs,
                                                    const WorkOptions &Work,
                                                    llvm::StringRef CudaPath,
                                                    Replan Again);

} // namespace bankstripe

#endif
