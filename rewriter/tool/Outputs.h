//===-- Outputs.h - what analyze and rewrite print alike --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_OUTPUTS_H
#define BANKSTRIPE_TOOL_OUTPUTS_H

#include "tool/Pipeline.h"

namespace bankstripe {

/// Prints \p Run as a SARIF log. \p Code is what the program is about to exit
/// with.
void printSarif(const RunResult &Run, const ToolOptions &Options, int Code);

/// Says that there was no run because of \p E, in a log as well where one was
/// asked for. \returns the exit code.
int reportNoRun(llvm::Error E, const ToolOptions &Options);

} // namespace bankstripe

#endif
