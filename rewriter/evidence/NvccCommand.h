//===-- NvccCommand.h - a command line for ptxas' report --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_NVCCCOMMAND_H
#define BANKSTRIPE_EVIDENCE_NVCCCOMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace bankstripe {

struct CompileJob;

/// The command that compiles \p File as \p Job says, for its architecture
/// alone, to a cubin at \p Output, and lets ptxas report. To be run in Job's
/// directory.
std::vector<std::string> nvccCommand(const CompileJob &Job,
                                     llvm::StringRef Nvcc, llvm::StringRef File,
                                     llvm::ArrayRef<std::string> ExtraArgs,
                                     llvm::StringRef Output);

} // namespace bankstripe

#endif
