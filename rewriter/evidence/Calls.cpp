//===-- Calls.cpp - who calls whom ----------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays of two functions are never alive at once if neither can call the
// other. The tree does not show all calls (destructors, default arguments,
// copies of members); the IR does, before anything is inlined. A function that
// only passes through as a value is no call of it, but makes an indirect one
// possible elsewhere, which is why that counts as a call of anything.
//
//===----------------------------------------------------------------------===//

#include "evidence/Calls.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace bankstripe {

// Functions that the compiler knows, and assembly that calls none.
static bool callsNothing(const CallBase &Call) {
  if (const auto *Assembly = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return !StringRef(Assembly->getAsmString()).contains("call");
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->isIntrinsic();
}

static FunctionCalls callsOf(const Function &F) {
  FunctionCalls Result;
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || callsNothing(*Call))
      continue;
    if (const auto *Callee = dyn_cast<Function>(
            Call->getCalledOperand()->stripPointerCastsAndAliases()))
      Result.Names.insert(Callee->getName().str());
    else
      Result.Unknown = true;
  }
  return Result;
}

std::map<std::string, FunctionCalls> readCalls(const Module &M) {
  std::map<std::string, FunctionCalls> Result;
  for (const Function &F : M)
    if (!F.isDeclaration())
      Result[F.getName().str()] = callsOf(F);
  return Result;
}

} // namespace bankstripe
