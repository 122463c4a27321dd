//===-- MemoryReads.h - what reads memory that others write -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_MEMORYREADS_H
#define BANKSTRIPE_EVIDENCE_MEMORYREADS_H

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace bankstripe {

/// What memory a way out of a loop may depend on.
enum class Read {
  No,
  Plain, ///< Of which the compiler may keep the value.
  Anew,
};

/// Makes assembly of \p M that loads volatile, so that loops keep it: `__ldcg`
/// and its like are volatile in nvcc's headers, and not in Clang's.
void keepLoadsInAssembly(llvm::Module &M);

/// How \p I reads what other blocks can write, if it is no call of a function.
Read kindOf(const llvm::Instruction &I);

/// Whether \p I reads anew, or keeps a plain load where it is. What is added
/// there may be 0 once a function is inlined.
bool mayMakeLoopWait(const llvm::Instruction &I);

/// Whether \p I is assembly that loads in a loop of its own what others may
/// write.
bool pollsInAssembly(const llvm::Instruction &I);

/// Where \p I reads or writes, if it is a load, a store or an atomic operation.
const llvm::Value *pointerOf(const llvm::Instruction &I);

/// What \p I writes, if it is a store or an atomic operation.
const llvm::Value *valueStoredBy(const llvm::Instruction &I);

/// Whether \p Call is an intrinsic or assembly, as of libcu++, that is nothing
/// but a compare and exchange, of its second operand at its first.
bool exchangesByCall(const llvm::CallBase &Call);

/// Whether it is assembly that is nothing but a fence or a load.
bool writesNothing(const llvm::CallBase &Call);

/// 1 or -1 where \p I is an atomic operation that adds or subtracts what is
/// never 0, else 0.
int directionOf(const llvm::Instruction &I);

} // namespace bankstripe

#endif
