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
using bankstripe::CallReads;
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
  // The last are `new` and `delete`.
  constexpr StringLiteral Beginnings[] = {"__nv_", "__nvvm_", "cuda", "_Znw",
                                          "_Zna",  "_Zdl",    "_Zda"};
  const StringRef Name = F.getName();
  return bankstripe::isOfSystem(F) &&
         (any_of(Beginnings,
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

HandedOn CallReads::handedOnBy(const Instruction &I) const {
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

bool CallReads::mayFill(const Instruction &I, const Value &Pointer) const {
  const HandedOn On = handedOnBy(I);
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

namespace {

using ValueSet = SmallPtrSet<const Value *, 32>;

/// Reads one function that reads anew.
class FunctionReader {
public:
  FunctionReader(const CallReads &Calls, const Function &F)
      : Calls(Calls), F(F) {}
  HandedOn read();

private:
  bool isHandedOn(const Value &V);
  void putInto(const Value &Pointer);
  void readInstruction(const Instruction &I);

  const CallReads &Calls;
  const Function &F;
  bool Decides = false; ///< What it reads decides a branch.
  ValueSet Unrelated;   ///< Those that are not computed from it.
  HandedOn Result;
};

} // namespace

// Whether V may be computed from what the function reads anew.
bool FunctionReader::isHandedOn(const Value &V) {
  SmallVector<const Value *> Pending{&V};
  ValueSet Seen;
  while (!Pending.empty()) {
    const auto *I = dyn_cast<Instruction>(Pending.pop_back_val());
    if (!I || Unrelated.contains(I) || !Seen.insert(I).second)
      continue;
    const auto *Call = dyn_cast<CallBase>(I);
    const bool ReadsInAssembly =
        Call && Call->isInlineAsm() && bankstripe::mayMakeLoopWait(*I);
    if (isa<LoadInst>(I) || bankstripe::kindOf(*I) != Read::No ||
        Calls.handedOnBy(*I).ByResult || ReadsInAssembly)
      return true;
    append_range(Pending, I->operand_values());
  }
  Unrelated.insert_range(Seen);
  return false;
}

void FunctionReader::putInto(const Value &Pointer) {
  const Value &Object = objectOf(Pointer);
  if (const auto *Variable = dyn_cast<GlobalVariable>(&Object))
    Result.Variables.insert(Variable);
  else if (isa<Argument>(Object))
    Result.ByArguments = true;
  else if (!isa<AllocaInst>(Object))
    Result.Elsewhere = true;
}

void FunctionReader::readInstruction(const Instruction &I) {
  if (const auto *Return = dyn_cast<ReturnInst>(&I)) {
    const Value *V = Return->getReturnValue();
    Result.ByResult |= V && (Decides || isHandedOn(*V));
  } else if (const Value *Stored = bankstripe::valueStoredBy(I)) {
    if (Decides || isHandedOn(*Stored))
      putInto(*bankstripe::pointerOf(I));
  } else if (const auto *Copy = dyn_cast<MemTransferInst>(&I)) {
    putInto(*Copy->getRawDest());
  } else if (const HandedOn On = Calls.handedOnBy(I); On.any()) {
    Result.Elsewhere |= On.Elsewhere;
    Result.Variables.insert_range(On.Variables);
    if (On.ByArguments)
      for (const Value *Given : cast<CallBase>(I).args())
        if (Given->getType()->isPointerTy())
          putInto(*Given);
  }
}

HandedOn FunctionReader::read() {
  if (none_of(instructions(F), [&](const Instruction &I) {
        return bankstripe::mayMakeLoopWait(I) || Calls.handedOnBy(I).any();
      }))
    return Result;
  Decides = any_of(F, [&](const BasicBlock &Block) {
    const Instruction *End = Block.getTerminator();
    return End->getNumSuccessors() > 1 && isHandedOn(*End->getOperand(0));
  });
  for (const Instruction &I : instructions(F))
    readInstruction(I);
  return Result;
}

CallReads::CallReads(const Module &M, bool CountsUnseen)
    : CountsUnseen(CountsUnseen) {
  for (bool More = true; More;) {
    More = false;
    for (const Function &F : M) // Nobody calls a kernel.
      if (!F.isDeclaration() && F.getCallingConv() != CallingConv::PTX_Kernel)
        if (const HandedOn On = FunctionReader(*this, F).read(); On.any())
          More |= Functions[&F].merge(On);
  }
}
