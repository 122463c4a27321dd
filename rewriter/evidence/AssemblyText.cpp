//===-- AssemblyText.cpp - what inline assembly does ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "evidence/AssemblyText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

// Whether it loads, from an address of 64 bits. Those of shared memory have 32.
static bool loads(const CallBase &Call, StringRef Text) {
  return (Text.contains("ld.") || Text.contains("ld_") ||
          Text.contains("atom.")) &&
         any_of(Call.args(), [](const Use &Argument) {
           return Argument->getType()->isPointerTy() ||
                  Argument->getType()->isIntegerTy(64);
         });
}

bool bankstripe::loadsInAssembly(const CallBase &Call) {
  const auto *Code = dyn_cast<InlineAsm>(Call.getCalledOperand());
  if (!Code || Call.getType()->isVoidTy() || Call.arg_empty())
    return false;
  const StringRef Text = Code->getAsmString();
  if (Text.contains(".nc")) // The writes of others may never be seen.
    return false;
  return loads(Call, Text);
}

bool bankstripe::addsInAssembly(const CallBase &Call) {
  const auto *Code = dyn_cast<InlineAsm>(Call.getCalledOperand());
  const StringRef Text = Code ? Code->getAsmString() : "";
  return Text.starts_with("atom.") && Text.contains(".add.") &&
         !Text.trim("; \n\t").contains(';') && Call.arg_size() > 1;
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
