//===-- Polling.cpp - loops that wait for other threads -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches often end like this, in each thread:
//
//     for (key = first; key < last && !*found; key += stride)
//       if (matches(key))
//         atomicExch(found, key);
//
// The load is neither volatile nor atomic, so the L1 of an SM may answer with
// what it held before another SM wrote. How long it does so is decided by what
// else needs its lines: local memory drives them out, shared memory does not.
// A miner whose arrays were moved ran 24 times as long as before, since its
// threads never saw that one of them was done
// (measurements/2026-11-25-nineteen-unseen-programs.md). Where nothing in the
// loop could write there but plain stores to it, the optimiser loads it once,
// before the loop, and nothing polls.
//
//===----------------------------------------------------------------------===//

#include "evidence/Polling.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace {

/// Memory that all threads find at one address: an offset from an argument of
/// the kernel or from a variable.
using SharedPlace = std::pair<const Value *, int64_t>;

} // namespace

static std::optional<SharedPlace> placeOf(const Value &Pointer,
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
    if (auto Place = placeOf(Pointer, Layout))
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

// Whether a plain load of one of Places decides about Condition, inside L.
static bool dependsOn(const Value &Condition, const Loop &L,
                      const DenseSet<SharedPlace> &Places,
                      const DataLayout &Layout) {
  constexpr unsigned MostValues = 32;
  SmallVector<const Value *> Pending{&Condition};
  SmallPtrSet<const Value *, MostValues> Seen;
  while (!Pending.empty() && Seen.size() < MostValues) {
    const auto *I = dyn_cast<Instruction>(Pending.pop_back_val());
    if (!I || !L.contains(I) || !Seen.insert(I).second)
      continue;
    if (const auto *Load = dyn_cast<LoadInst>(I)) {
      const auto Place = placeOf(*Load->getPointerOperand(), Layout);
      if (Load->isSimple() && Place && Places.contains(*Place))
        return true;
    } else if (!isa<CallBase>(I)) {
      append_range(Pending, I->operand_values());
    }
  }
  return false;
}

bool bankstripe::pollsMemory(Function &Kernel,
                             FunctionAnalysisManager &Analyses) {
  const DataLayout &Layout = Kernel.getParent()->getDataLayout();
  const DenseSet<SharedPlace> Places = placesWritten(Kernel, Layout);
  if (Places.empty())
    return false;
  for (const Loop *L :
       Analyses.getResult<LoopAnalysis>(Kernel).getLoopsInPreorder()) {
    SmallVector<BasicBlock *> Exits;
    L->getExitingBlocks(Exits);
    for (const BasicBlock *Block : Exits)
      if (const auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
          Branch && Branch->isConditional() &&
          dependsOn(*Branch->getCondition(), *L, Places, Layout))
        return true;
  }
  return false;
}
