//===-- MemoryReads.cpp - what reads memory that others write -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// evidence/Waiting.cpp says what follows of it for loops.
//
//===----------------------------------------------------------------------===//

#include "evidence/MemoryReads.h"
#include "evidence/AssemblyText.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using bankstripe::Read;

bool bankstripe::isSeenByBlocks(const Value &Pointer) {
  const Value *Object = getUnderlyingObject(&Pointer, /*MaxLookup=*/0);
  switch (Object->getType()->getPointerAddressSpace()) {
  case NVPTXAS::ADDRESS_SPACE_GENERIC:
  case NVPTXAS::ADDRESS_SPACE_GLOBAL:
    return !isa<AllocaInst>(Object);
  default:
    return false;
  }
}

const Value *bankstripe::pointerOf(const Instruction &I) {
  const auto Location = MemoryLocation::getOrNone(&I);
  return Location ? Location->Ptr : nullptr;
}

int bankstripe::directionOf(const Instruction &I) {
  const auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
  const auto *Call = dyn_cast<CallBase>(&I);
  const Value *Added = Atomic ? Atomic->getValOperand()
                       : Call && bankstripe::addsInAssembly(*Call)
                           ? std::prev(Call->arg_end())->get()
                           : nullptr;
  const bool Subtracts = Atomic && Atomic->getOperation() == AtomicRMWInst::Sub;
  if (!Added || !Added->getType()->isIntegerTy() ||
      (Atomic && !Subtracts && Atomic->getOperation() != AtomicRMWInst::Add))
    return 0;
  const SimplifyQuery Query(I.getDataLayout());
  const KnownBits Bits = computeKnownBits(Added, Query);
  if (!isKnownNonZero(Added, Query) ||
      !(Bits.isNegative() || Bits.isNonNegative()))
    return 0;
  return Bits.isNegative() == Subtracts ? 1 : -1;
}

Read bankstripe::kindOf(const Instruction &I) {
  auto If = [](bool Condition) { return Condition ? Read::Anew : Read::No; };
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    if (!isSeenByBlocks(*Load->getPointerOperand()))
      return Read::No;
    return Load->isSimple() ? Read::Plain : Read::Anew;
  }
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return If(isSeenByBlocks(*pointerOf(I)));
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || !bankstripe::loadsInAssembly(*Call))
    return Read::No;
  // `__ldcg` and its like are loads with a hint.
  return cast<InlineAsm>(Call->getCalledOperand())->hasSideEffects()
             ? Read::Anew
             : Read::Plain;
}

bool bankstripe::mayMakeLoopWait(const Instruction &I) {
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I)) {
    const StringRef Name = Intrinsic->getCalledFunction()->getName();
    return Name.contains("membar") || Name.contains("fence") ||
           Name.contains("nanosleep");
  }
  const auto *Call = dyn_cast<CallBase>(&I);
  return (Call && Call->isInlineAsm() && !Call->getType()->isVoidTy()) ||
         bankstripe::pollsInAssembly(I) || isa<FenceInst>(I) ||
         kindOf(I) == Read::Anew;
}
