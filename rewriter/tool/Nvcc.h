//===-- Nvcc.h - asking nvcc about several files at a time ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_NVCC_H
#define BANKSTRIPE_TOOL_NVCC_H

#include "tool/Pipeline.h"

namespace bankstripe {

/// A file that nvcc is asked about.
struct NvccQuestion {
  const UnitRecord *Unit = nullptr;
  std::string File;                   ///< That of the unit, or a copy.
  std::vector<std::string> ExtraArgs; ///< Folders to look in first.
};

/// Asks nvcc \p Questions, several at a time, as far as the answers are not
/// known from before. Those about copies are about \p Copies, which
/// are written where that is needed. \returns the answers in the order of the
/// questions. Errors: the copies cannot be written.
llvm::Expected<std::vector<llvm::Expected<ResourceTable>>>
askNvcc(RunResult &Run, const std::vector<NvccQuestion> &Questions,
        llvm::StringRef Nvcc, Mirror *Copies, const ToolOptions &Options);

/// Asks nvcc about those of \p Units that \p IsConcerned names, as they are,
/// unless that was done, and fills in what ptxas says. \p Failed is
/// called for each that nvcc does not compile.
void askOriginals(
    RunResult &Run, std::vector<UnitRecord> &Units, llvm::StringRef Nvcc,
    llvm::function_ref<bool(const UnitResult &)> IsConcerned,
    llvm::function_ref<void(const CompileJob &, llvm::Error)> Failed,
    const ToolOptions &Options);

} // namespace bankstripe

#endif
