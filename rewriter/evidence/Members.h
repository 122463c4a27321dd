//===-- Members.h - counters beside an array --------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the scalar members of private objects that stay in memory.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_MEMBERS_H
#define BANKSTRIPE_EVIDENCE_MEMBERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
class LoadInst;
class PostDominatorTree;
} // namespace llvm

namespace bankstripe {

/// A scalar member of a private object, outside of its arrays.
struct Member {
  llvm::SmallVector<const llvm::LoadInst *> Loads; ///< At least one.
  /// All that may change it: stores of it, calls of memset.
  llvm::SmallVector<const llvm::Instruction *> Writers;
};

/// The members of the objects in \p F of which all that may change them is
/// known.
llvm::SmallVector<Member> membersOf(llvm::Function &F);

/// Whether lanes that part where \p LanesPart may come to a load of \p Of, some
/// through \p Writer and some past it.
bool lanesDisagreeAbout(
    const llvm::Instruction &Writer, const Member &Of,
    llvm::function_ref<bool(const llvm::BasicBlock &)> LanesPart,
    llvm::PostDominatorTree &After);

} // namespace bankstripe

#endif
