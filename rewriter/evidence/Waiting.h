//===-- Waiting.h - loops that wait for others  -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_WAITING_H
#define BANKSTRIPE_EVIDENCE_WAITING_H

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"
#include <set>
#include <string>

namespace bankstripe {

/// The functions of the user's in \p M, which is not optimised, that may wait:
/// they read memory in a way in which another block's writes are seen, or call
/// functions of system headers that do.
llvm::SmallDenseSet<llvm::Function *> functionsThatMayWait(llvm::Module &M);

/// The mangled names of the functions of \p M, which is optimised, that wait in
/// a loop for what other blocks write, or lead to such a function.
std::set<std::string> functionsThatWait(llvm::Module &M);

} // namespace bankstripe

#endif
