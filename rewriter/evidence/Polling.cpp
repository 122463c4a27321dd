//===-- Polling.cpp - loops that end by what other threads write ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop polls if it ends by what a plain load finds that the kernel writes:
// the L1 may answer with what it held before (docs/internals/model.md).
//
//===----------------------------------------------------------------------===//

#include "evidence/Polling.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace {

/// Memory that all threads find at one address: an offset from an argument of
/// the kernel or from a variable.
using SharedPlace = std::pair<const Value *, int64_t>;

} // namespace

static std::optional<SharedPlace> sharedPlaceOf(const Value &Pointer,
                                                const DataLayout &Layout) {
  int64_t Offset = 0;
  const Value *Base =
      GetPointerBaseWithConstantOffset(&Pointer, Offset, Layout);
  const bool IsVariable =
      isa<GlobalVariable>(Base) && Base->getType()->getPointerAddressSpace() ==
                                       NVPTXAS::ADDRESS_SPACE_GLOBAL;
  // Where the argument is a structure, a pointer in it.
  const auto *L = dyn_cast<LoadInst>(Base);
  const auto *A = dyn_cast<Argument>(
      L ? getUnderlyingObject(L->getPointerOperand()) : Base);
  const bool IsPointerOfLaunch = A && A->hasByValAttr() == bool(L);
  if (!IsVariable && !IsPointerOfLaunch)
    return std::nullopt;
  return SharedPlace{Base, Offset};
}

// What F writes, or has written by what it calls.
static DenseSet<SharedPlace> placesWritten(Function &F,
                                           const DataLayout &Layout) {
  DenseSet<SharedPlace> Result;
  auto Add = [&](const Value &Pointer) {
    if (auto Place = sharedPlaceOf(Pointer, Layout))
      Result.insert(*Place);
  };
  for (Instruction &I : instructions(F)) {
    if (!I.mayWriteToMemory())
      continue;
    if (auto *Call = dyn_cast<CallBase>(&I)) {
      for (const Use &Argument : Call->args())
        if (Argument->getType()->isPointerTy())
          Add(*Argument);
    } else if (auto Written = MemoryLocation::getOrNone(&I)) {
      Add(*Written->Ptr);
    }
  }
  return Result;
}

// Whether Condition is computed, in L, from a plain load of one of Places.
static bool comesFrom(const DenseSet<SharedPlace> &Places,
                      const Value *Condition, const Loop &L,
                      const DataLayout &Layout) {
  constexpr unsigned MostValues = 32;
  SmallVector<const Value *> Pending{Condition};
  SmallPtrSet<const Value *, MostValues> Seen;
  while (!Pending.empty() && Seen.size() < MostValues) {
    const auto *I = dyn_cast<Instruction>(Pending.pop_back_val());
    if (!I || !L.contains(I) || isa<CallBase>(I) || !Seen.insert(I).second)
      continue;
    if (const auto *Load = dyn_cast<LoadInst>(I)) {
      const auto Place = sharedPlaceOf(*Load->getPointerOperand(), Layout);
      if (Load->isSimple() && Place && Places.contains(*Place))
        return true;
      continue;
    }
    append_range(Pending, I->operand_values());
  }
  return false;
}

bool bankstripe::pollsMemory(Function &Kernel,
                             FunctionAnalysisManager &Analyses) {
  const DataLayout &Layout = Kernel.getParent()->getDataLayout();
  const DenseSet<SharedPlace> Places = placesWritten(Kernel, Layout);
  const auto Polls = [&](const Loop *L) {
    SmallVector<BasicBlock *> Exits;
    L->getExitingBlocks(Exits);
    return any_of(Exits, [&](const BasicBlock *Block) {
      const auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
      return Branch && Branch->isConditional() &&
             comesFrom(Places, Branch->getCondition(), *L, Layout);
    });
  };
  return !Places.empty() &&
         any_of(Analyses.getResult<LoopAnalysis>(Kernel).getLoopsInPreorder(),
                Polls);
}
