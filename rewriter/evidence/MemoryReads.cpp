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
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using bankstripe::Read;

// Whether other blocks can write where Pointer leads.
static bool isSeenByBlocks(const Value &Pointer) {
  const Value *Object = getUnderlyingObject(&Pointer, /*MaxLookup=*/0);
  switch (Object->getType()->getPointerAddressSpace()) {
  case NVPTXAS::ADDRESS_SPACE_GENERIC:
  case NVPTXAS::ADDRESS_SPACE_GLOBAL:
    return !isa<AllocaInst>(Object);
  default:
    return false;
  }
}

// The call if I is an atomic operation that Clang has an intrinsic for, as
// those of the whole system: it reads and writes at its first operand.
static const IntrinsicInst *atomicCall(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && !Call->getType()->isVoidTy() && Call->mayReadFromMemory() &&
                 Call->mayWriteToMemory() && Call->arg_size() > 1 &&
                 Call->getArgOperand(0)->getType()->isPointerTy()
             ? Call
             : nullptr;
}

static bool isAtomicCall(const CallBase &Call, StringRef Operation) {
  return atomicCall(Call) &&
         Call.getCalledFunction()->getName().contains(Operation);
}

static const Value *lastOperand(const CallBase &Call) {
  return std::prev(Call.arg_end())->get();
}

const Value *bankstripe::pointerOf(const Instruction &I) {
  if (const auto *Call = atomicCall(I))
    return Call->getArgOperand(0);
  const auto Location = MemoryLocation::getOrNone(&I);
  return Location ? Location->Ptr : nullptr;
}

const Value *bankstripe::valueStoredBy(const Instruction &I) {
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getValueOperand();
  if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
    return Atomic->getValOperand();
  if (const auto *Call = atomicCall(I))
    return lastOperand(*Call);
  const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
  return Exchange ? Exchange->getNewValOperand() : nullptr;
}

// The assembly of Call if it is one instruction, else nothing.
static StringRef onlyInstruction(const CallBase &Call) {
  const auto *Code = dyn_cast<InlineAsm>(Call.getCalledOperand());
  const StringRef Text =
      Code ? StringRef(Code->getAsmString()).trim("; \n\t") : "";
  return Text.contains(';') ? "" : Text;
}

// Whether Call does nothing but add its last operand by an atomic operation.
static bool addsAtomically(const CallBase &Call) {
  const StringRef Text = onlyInstruction(Call);
  return isAtomicCall(Call, ".add.") ||
         (Text.starts_with("atom.") && Text.contains(".add.") &&
          Call.arg_size() > 1);
}

bool bankstripe::exchangesByCall(const CallBase &Call) {
  const StringRef Text = onlyInstruction(Call);
  return isAtomicCall(Call, ".cas.") ||
         (Text.starts_with("atom.") && Text.contains(".cas.") &&
          Call.arg_size() == 3);
}

bool bankstripe::writesNothing(const CallBase &Call) {
  const StringRef Text = onlyInstruction(Call);
  return Text.starts_with("fence.") || Text.starts_with("membar.") ||
         Text.starts_with("ld.");
}

int bankstripe::directionOf(const Instruction &I) {
  const auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
  const auto *Call = dyn_cast<CallBase>(&I);
  const Value *Added = Atomic                          ? Atomic->getValOperand()
                       : Call && addsAtomically(*Call) ? lastOperand(*Call)
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

// Whether V may be an address of memory that other blocks write: a pointer, or
// a number of 64 bits. Addresses of shared memory may have 32.
static bool mayBeSeenAt(const Value &V) {
  if (const auto *Number = dyn_cast<PtrToIntOperator>(&V))
    return isSeenByBlocks(*Number->getPointerOperand());
  return V.getType()->isPointerTy()
             ? isSeenByBlocks(V)
             : V.getType()->isIntegerTy(64) && !isa<ConstantInt>(V);
}

// Whether it loads, from an address that it is given.
static bool loads(const CallBase &Call, StringRef Text) {
  return (Text.contains("ld.") || Text.contains("ld_") ||
          Text.contains("atom.")) &&
         any_of(Call.args(),
                [](const Use &Argument) { return mayBeSeenAt(*Argument); });
}

// Whether Call is assembly that loads what others may write.
static bool loadsInAssembly(const CallBase &Call) {
  const auto *Code = dyn_cast<InlineAsm>(Call.getCalledOperand());
  if (!Code || Call.getType()->isVoidTy() || Call.arg_empty())
    return false;
  const StringRef Text = Code->getAsmString();
  if (Text.contains(".nc")) // The writes of others may never be seen.
    return false;
  return loads(Call, Text);
}

Read bankstripe::kindOf(const Instruction &I) {
  auto If = [](bool Condition) { return Condition ? Read::Anew : Read::No; };
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    if (!isSeenByBlocks(*Load->getPointerOperand()))
      return Read::No;
    return Load->isSimple() ? Read::Plain : Read::Anew;
  }
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I) || atomicCall(I))
    return If(isSeenByBlocks(*pointerOf(I)));
  const auto *Call = dyn_cast<CallBase>(&I);
  return If(Call && loadsInAssembly(*Call));
}

void bankstripe::keepLoadsInAssembly(Module &M) {
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !loadsInAssembly(*Call))
        continue;
      const auto &Code = *cast<InlineAsm>(Call->getCalledOperand());
      Call->setCalledOperand(InlineAsm::get(
          Code.getFunctionType(), Code.getAsmString(),
          Code.getConstraintString(), /*hasSideEffects=*/true,
          Code.isAlignStack(), Code.getDialect(), Code.canThrow()));
      Call->removeFnAttr(Attribute::Memory);
    }
}

bool bankstripe::pollsInAssembly(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const auto *Code =
      Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
  if (!Code)
    return false;
  const StringRef Text = Code->getAsmString();
  return (Text.contains("bra ") || Text.contains("bra.")) && loads(*Call, Text);
}

bool bankstripe::mayMakeLoopWait(const Instruction &I) {
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I)) {
    const StringRef Name = Intrinsic->getCalledFunction()->getName();
    return Name.contains("membar") || Name.contains("fence") ||
           Name.contains("nanosleep");
  }
  const auto *Call = dyn_cast<CallBase>(&I);
  return (Call && Call->isInlineAsm() && !Call->getType()->isVoidTy() &&
          Call->mayReadFromMemory()) ||
         pollsInAssembly(I) || isa<FenceInst>(I) || kindOf(I) == Read::Anew;
}
