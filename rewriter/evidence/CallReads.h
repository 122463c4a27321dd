//===-- CallReads.h - what calls hand on of what they read ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop may poll by a function that is not inlined. What that reads anew, as
// MemoryReads.h has it, may be its result, or be put into an object that it is
// given, into a variable, or to wherever a pointer in memory leads. A function
// that only counts its calls by an atomic addition hands on nothing.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_CALLREADS_H
#define BANKSTRIPE_EVIDENCE_CALLREADS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace bankstripe {

/// Where a function puts what it, or a callee, has read anew.
struct HandedOn {
  bool ByResult = false;
  bool ByArguments = false; ///< Where its arguments lead.
  bool Elsewhere = false;   ///< Where pointers in memory lead.
  llvm::SmallPtrSet<const llvm::GlobalVariable *, 2> Variables;

  bool any() const {
    return ByResult || ByArguments || Elsewhere || !Variables.empty();
  }
  /// Adds what \p Other has; whether that is more.
  bool merge(const HandedOn &Other);
};

/// Whether \p I calls a function that is not in sight and may do anything.
bool callsUnseen(const llvm::Instruction &I);

/// What the functions of one module hand on.
class CallReads {
public:
  /// \p CountsUnseen: what is not in sight reads anew, and hands it on.
  CallReads(const llvm::Module &M, bool CountsUnseen);

  /// Of the function that \p I calls; nothing if it is no such call.
  HandedOn handedOnBy(const llvm::Instruction &I) const;
  HandedOn handedOnBy(const llvm::Function &F) const {
    return Functions.lookup(&F);
  }
  /// Whether \p I is a call that may put what it reads anew into the object of
  /// \p Pointer.
  bool mayFill(const llvm::Instruction &I, const llvm::Value &Pointer) const;

private:
  const bool CountsUnseen;
  llvm::DenseMap<const llvm::Function *, HandedOn> Functions;
};

} // namespace bankstripe

#endif
