//===-- Waiting.h - loops that may wait for others --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_WAITING_H
#define BANKSTRIPE_EVIDENCE_WAITING_H

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace bankstripe {

/// Makes assembly of \p M that loads volatile, so that loops keep it: `__ldcg`
/// and its like are volatile in nvcc's headers, and not in Clang's.
void keepLoadsInAssembly(llvm::Module &M);

/// The functions of the user's in \p M, which is not optimised, that may wait
/// as far as can be seen there: nobody has to optimise the others.
llvm::SmallDenseSet<llvm::Function *> functionsThatMayWait(llvm::Module &M);

/// The mangled names of functions of \p M, which is optimised, that may wait in
/// a loop for what other blocks write, or lead to such a function.
std::set<std::string> findWaits(llvm::Module &M);

/// Whether a loop of \p Kernel, which is optimised, ends by what a plain load
/// sees of a place that the kernel writes, and that all of its threads share.
bool pollsMemory(llvm::Function &Kernel,
                 llvm::FunctionAnalysisManager &Analyses);

} // namespace bankstripe

#endif
