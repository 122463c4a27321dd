//===-- Facts.h - planning for units that were read before ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_FACTS_H
#define BANKSTRIPE_TOOL_FACTS_H

#include "tool/Pipeline.h"

namespace bankstripe {

/// As runPipeline, for the units of `--facts`, of which nothing is read anew.
/// Only the given files are in the result.
llvm::Expected<RunResult> runOnFacts(const ToolOptions &Options);

/// Writes to \p Depfile, for make and ninja, that \p Target depends on
/// \p Sources.
llvm::Error writeDepfile(llvm::StringRef Depfile, llvm::StringRef Target,
                         const std::set<std::string> &Sources);

} // namespace bankstripe

#endif
