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
#include "evidence/BackwardSearch.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using bankstripe::searchBack;
using bankstripe::Step;

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

bool bankstripe::pollsMemory(Function &Kernel,
                             FunctionAnalysisManager &Analyses) {
  constexpr unsigned MostValues = 32;
  const DataLayout &Layout = Kernel.getParent()->getDataLayout();
  const DenseSet<SharedPlace> Places = placesWritten(Kernel, Layout);
  if (Places.empty())
    return false;
  auto EndsByPlainLoad = [&](const Loop &L, const BasicBlock &Exiting) {
    const auto *Branch = dyn_cast<BranchInst>(Exiting.getTerminator());
    unsigned Count = 0;
    return Branch && Branch->isConditional() &&
           searchBack(Branch->getCondition(), L, [&](const Instruction &I) {
             const auto *Load = dyn_cast<LoadInst>(&I);
             if (!Load)
               return isa<CallBase>(I) || ++Count >= MostValues ? Step::Stop
                                                                : Step::On;
             const auto Place =
                 sharedPlaceOf(*Load->getPointerOperand(), Layout);
             return Load->isSimple() && Place && Places.contains(*Place)
                        ? Step::Found
                        : Step::Stop;
           });
  };
  return any_of(Analyses.getResult<LoopAnalysis>(Kernel).getLoopsInPreorder(),
                [&](const Loop *L) {
                  SmallVector<BasicBlock *> Exits;
                  L->getExitingBlocks(Exits);
                  return any_of(Exits, [&](const BasicBlock *Block) {
                    return EndsByPlainLoad(*L, *Block);
                  });
                });
}
