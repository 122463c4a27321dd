//===-- BackwardSearch.h - what decides a value in a loop -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_BACKWARDSEARCH_H
#define BANKSTRIPE_EVIDENCE_BACKWARDSEARCH_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

namespace bankstripe {

/// What a search does behind an instruction.
enum class Step { On, Stop, Found };

/// Whether the search for what \p From is computed from, inside \p L, finds
/// something; \p StepAt says so of an instruction.
inline bool
searchBack(llvm::ArrayRef<const llvm::Value *> From, const llvm::Loop &L,
           llvm::function_ref<Step(const llvm::Instruction &)> StepAt) {
  llvm::SmallVector<const llvm::Value *> Pending(From);
  llvm::SmallPtrSet<const llvm::Value *, 32> Seen;
  while (!Pending.empty()) {
    const auto *I = llvm::dyn_cast<llvm::Instruction>(Pending.pop_back_val());
    if (!I || !L.contains(I) || !Seen.insert(I).second)
      continue;
    const Step Next = StepAt(*I);
    if (Next == Step::Found)
      return true;
    if (Next == Step::On)
      llvm::append_range(Pending, I->operand_values());
  }
  return false;
}

} // namespace bankstripe

#endif
