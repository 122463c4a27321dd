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
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
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

bool bankstripe::isRepeatable(const AtomicRMWInst &Atomic) {
  switch (Atomic.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::Xor:
    return PatternMatch::match(Atomic.getValOperand(), PatternMatch::m_Zero());
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub:
    return PatternMatch::match(Atomic.getValOperand(),
                               PatternMatch::m_AnyZeroFP());
  case AtomicRMWInst::Nand:
  case AtomicRMWInst::UIncWrap:
  case AtomicRMWInst::UDecWrap:
    return false;
  default:
    return true;
  }
}

Read bankstripe::kindOf(const Instruction &I) {
  auto If = [](bool Condition) { return Condition ? Read::Anew : Read::No; };
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    if (!isSeenByBlocks(*Load->getPointerOperand()))
      return Read::No;
    return Load->isSimple() ? Read::Plain : Read::Anew;
  }
  if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
    return If(isSeenByBlocks(*Atomic->getPointerOperand()) &&
              isRepeatable(*Atomic));
  if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return If(isSeenByBlocks(*Exchange->getPointerOperand()));
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
         bankstripe::pollsInAssembly(I) || isa<FenceInst, AtomicRMWInst>(I) ||
         kindOf(I) == Read::Anew;
}
