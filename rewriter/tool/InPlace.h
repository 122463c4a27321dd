//===-- InPlace.h - bankstripe rewrite --in-place ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_INPLACE_H
#define BANKSTRIPE_TOOL_INPLACE_H

#include "tool/Pipeline.h"

namespace bankstripe {

/// The helpers that have to be written so that the changed files compile, by
/// their places.
std::map<std::string, std::string>
helpersFor(llvm::ArrayRef<ChangedFile> Changes);

/// Replaces the changed files and writes their helpers, while no other run
/// writes into their folders, and unless it is to be quiet names each file on
/// standard error. What is replaced is kept (tool/Undo.h). Errors: a file has
/// uncommitted changes or cannot be written, what it holds cannot be kept, or
/// another file has the name of a helper; then nothing is changed.
llvm::Error writeInPlace(const RunResult &Run, const ToolOptions &Options);

} // namespace bankstripe

#endif
