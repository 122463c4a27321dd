//===-- SkippedDefinitions.h - kernels of other builds ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_SKIPPEDDEFINITIONS_H
#define BANKSTRIPE_FIND_SKIPPEDDEFINITIONS_H

#include "find/SourceText.h"
#include "model/UnitFacts.h"

namespace bankstripe {

/// Notes of kernels and functions of \p Facts that \p Skipped may define
/// another time that nothing can stand beside them: it would be missing where
/// the other definition counts, as for the host.
void noteOtherDefinitions(llvm::ArrayRef<clang::SourceRange> Skipped,
                          const SourceText &Text, UnitFacts &Facts);

} // namespace bankstripe

#endif
