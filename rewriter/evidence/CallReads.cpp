//===-- CallReads.cpp - what calls hand on of what they read --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is read until none has more to hand on. Within a function that
// reads anew, whatever it loads counts as that, and if it decides a branch, all
// that the function returns and stores: that asks for too much and not for too
// little.
//
//===----------------------------------------------------------------------===//

#include "evidence/CallReads.h"
#include "evidence/DeviceModule.h"
#include "evidence/MemoryReads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using bankstripe::HandedOn;
using bankstripe::Read;

bool HandedOn::merge(const HandedOn &Other) {
  const auto Before =
      std::tuple(ByResult, ByArguments, Elsewhere, Variables.size());
  ByResult |= Other.ByResult;
  ByArguments |= Other.ByArguments;
  Elsewhere |= Other.Elsewhere;
  Variables.insert_range(Other.Variables);
  return Before !=
         std::tuple(ByResult, ByArguments, Elsewhere, Variables.size());
}

// Whether a function without a body is one of those of the toolkit. Any library
// may be in a folder of system headers.
static bool returnsSoon(const Function &F) {
  const StringRef Name = F.getName();
  return bankstripe::isOfSystem(F) &&
         (any_of(ArrayRef<StringRef>{"__nv_", "__nvvm_", "cuda", "_Znw", "_Zna",
                                     "_Zdl", "_Zda"},
                 [&](StringRef Begin) { return Name.starts_with(Begin); }) ||
          is_contained({"vprintf", "malloc", "free", "__assertfail"}, Name));
}

bool bankstripe::callsUnseen(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || Call->isInlineAsm() || isa<IntrinsicInst>(I))
    return false;
  const Function *Callee = Call->getCalledFunction();
  return !Callee || (Callee->isDeclaration() && !returnsSoon(*Callee));
}

static const Value &objectOf(const Value &Pointer) {
  return *getUnderlyingObject(&Pointer, /*MaxLookup=*/0);
}

HandedOn bankstripe::CallReads::by(const Instruction &I) const {
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || Call->isInlineAsm() || isa<IntrinsicInst>(I))
    return {};
  if (!callsUnseen(I))
    return Functions.lookup(Call->getCalledFunction());
  HandedOn Result;
  Result.ByResult = CountsUnseen && Call->mayReadFromMemory();
  Result.ByArguments = Result.Elsewhere =
      CountsUnseen && Call->mayWriteToMemory();
  return Result;
}

bool bankstripe::CallReads::mayFill(const Instruction &I,
                                    const Value &Pointer) const {
  const HandedOn On = by(I);
  const Value &Object = objectOf(Pointer);
  if (On.ByArguments &&
      any_of(cast<CallBase>(I).args(),
             [&](const Value *Given) { return &objectOf(*Given) == &Object; }))
    return true;
  if (isIdentifiedFunctionLocal(&Object))
    return On.Elsewhere &&
           PointerMayBeCaptured(&Object, /*ReturnCaptures=*/false);
  const auto *Variable = dyn_cast<GlobalVariable>(&Object);
  return On.Elsewhere ||
         (Variable ? On.Variables.contains(Variable) : !On.Variables.empty());
}

// Whether V, of a function that reads anew, may be computed from that.
bool bankstripe::CallReads::isHandedOn(const Value &V) const {
  SmallVector<const Value *> Pending{&V};
  SmallPtrSet<const Value *, 32> Seen;
  while (!Pending.empty()) {
    const auto *I = dyn_cast<Instruction>(Pending.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    const auto *Call = dyn_cast<CallBase>(I);
    const bool ReadsInAssembly =
        Call && Call->isInlineAsm() && mayMakeLoopWait(*I);
    if (isa<LoadInst>(I) || kindOf(*I) != Read::No || by(*I).ByResult ||
        ReadsInAssembly)
      return true;
    append_range(Pending, I->operand_values());
  }
  return false;
}

HandedOn bankstripe::CallReads::readFunction(const Function &F) const {
  HandedOn Result;
  if (none_of(instructions(F), [&](const Instruction &I) {
        return mayMakeLoopWait(I) || by(I).any();
      }))
    return Result;
  const bool Decides = any_of(F, [&](const BasicBlock &Block) {
    const Instruction *End = Block.getTerminator();
    return End->getNumSuccessors() > 1 && isHandedOn(*End->getOperand(0));
  });
  auto PutInto = [&](const Value &Pointer) {
    const Value &Object = objectOf(Pointer);
    if (const auto *Variable = dyn_cast<GlobalVariable>(&Object))
      Result.Variables.insert(Variable);
    else if (isa<Argument>(Object))
      Result.ByArguments = true;
    else if (!isa<AllocaInst>(Object))
      Result.Elsewhere = true;
  };
  for (const Instruction &I : instructions(F)) {
    if (const auto *Return = dyn_cast<ReturnInst>(&I)) {
      const Value *V = Return->getReturnValue();
      Result.ByResult |= V && (Decides || isHandedOn(*V));
    } else if (const auto *Store = dyn_cast<StoreInst>(&I)) {
      if (Decides || isHandedOn(*Store->getValueOperand()))
        PutInto(*Store->getPointerOperand());
    } else if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I)) {
      if (Decides || isHandedOn(*Atomic->getValOperand()))
        PutInto(*Atomic->getPointerOperand());
    } else if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I)) {
      if (Decides || isHandedOn(*Exchange->getNewValOperand()))
        PutInto(*Exchange->getPointerOperand());
    } else if (const auto *Copy = dyn_cast<MemTransferInst>(&I)) {
      PutInto(*Copy->getRawDest());
    } else if (const HandedOn On = by(I); On.any()) {
      Result.Elsewhere |= On.Elsewhere;
      Result.Variables.insert_range(On.Variables);
      if (On.ByArguments)
        for (const Value *Given : cast<CallBase>(I).args())
          if (Given->getType()->isPointerTy())
            PutInto(*Given);
    }
  }
  return Result;
}

bankstripe::CallReads::CallReads(const Module &M, bool CountsUnseen)
    : CountsUnseen(CountsUnseen) {
  for (bool More = true; More;) {
    More = false;
    for (const Function &F : M)
      if (!F.isDeclaration())
        if (const HandedOn On = readFunction(F); On.any())
          More |= Functions[&F].merge(On);
  }
}
