//===-- Polling.h - loops that end by what other threads write --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_POLLING_H
#define BANKSTRIPE_EVIDENCE_POLLING_H

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace bankstripe {

/// Whether a loop of \p Kernel, which is optimised, ends by what a plain load
/// sees of a place that the kernel writes, and that all of its threads share.
bool pollsMemory(llvm::Function &Kernel,
                 llvm::FunctionAnalysisManager &Analyses);

} // namespace bankstripe

#endif
