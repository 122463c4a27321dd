//===-- Nvcc.h - nvcc has the last word -------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_NVCC_H
#define BANKSTRIPE_TOOL_NVCC_H

#include "evidence/Ptxas.h"
#include "tool/Pipeline.h"

namespace bankstripe {

/// A file that nvcc is asked about.
struct NvccQuestion {
  const UnitRecord *Unit = nullptr;
  std::string File;                   ///< That of the unit, or a copy.
  std::vector<std::string> ExtraArgs; ///< Folders to look in first.
  Sides Compiled = Sides::Device;
};

/// Of what was said of \p Kernels, which are as in \p P, that of a kernel's
/// version, if that stands beside it, else of it.
ResourceTable forVersions(const ResourceTable &Reply,
                          const std::vector<Kernel> &Kernels, const Plan &P);

/// Asks nvcc about the original and the rewritten files until the plan of
/// \p Run is settled, and fills in RunResult::Resources. \p Units
/// keep what it says of the originals. Does nothing without nvcc. Errors: as of
/// applyPlan, or there is no temporary folder.
llvm::Error confirmWithPtxas(RunResult &Run, std::vector<UnitRecord> &Units,
                             const PlanOptions &Planning,
                             const ToolOptions &Options);

} // namespace bankstripe

#endif
