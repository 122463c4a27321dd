//===-- Waiting.h - loops that wait for others  -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_WAITING_H
#define BANKSTRIPE_EVIDENCE_WAITING_H

#include "model/Evidence.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"

namespace bankstripe {

/// The functions of the user's in \p M, which is not optimised, that may wait:
/// they read memory in a way in which another block's writes are seen, or call
/// functions of system headers that do.
llvm::SmallDenseSet<llvm::Function *> functionsThatMayWait(llvm::Module &M);

/// Which functions of \p M, which is optimised, wait in a loop for what other
/// blocks write, or lead to such a function. \p IsLinked: code of other units
/// may be called; else nobody will ever know what is not in sight.
WaitEvidence findWaits(llvm::Module &M, bool IsLinked);

} // namespace bankstripe

#endif
