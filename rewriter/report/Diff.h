//===-- Diff.h - unified diffs ----------------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPORT_DIFF_H
#define BANKSTRIPE_REPORT_DIFF_H

#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace bankstripe {

/// Prints a unified diff with three lines of context, `a/` and `b/` before
/// \p Name, as `git apply` and `patch -p1` take it. Nothing when both are
/// equal.
void printDiff(llvm::raw_ostream &OS, llvm::StringRef Name,
               llvm::StringRef Before, llvm::StringRef After);

/// For each line of \p After, the number (from 1) of the line of \p Before that
/// it is or stands for: one that was added, the one before it.
std::vector<unsigned> originalLines(llvm::StringRef Before,
                                    llvm::StringRef After);

} // namespace bankstripe

#endif
