//===-- InstructionCost.cpp - what the GPU makes of an instruction --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the GPU does in many instructions (divisions, roots, transcendental
// functions) counts as many, by the length of the code that ptxas makes of it
// for sm_90, roughly. That SASS does in one instruction what the IR does in
// two (LOP3, IADD3, IMAD, LEA) is left out: beside 22 kernels of real programs
// under ncu the share of local memory came out further off with it, since it
// is counted too high itself, by words where nvcc loads four at once.
//
//===----------------------------------------------------------------------===//

#include "evidence/InstructionCost.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace bankstripe {

double costOf(const Instruction &I) {
  const bool Double = I.getType()->getScalarType()->isDoubleTy();
  switch (I.getOpcode()) {
  case Instruction::PHI:
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast:
  case Instruction::Freeze:
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
  case Instruction::Alloca:
  case Instruction::Unreachable:
    return 0;
  case Instruction::GetElementPtr:
    return cast<GetElementPtrInst>(I).hasAllConstantIndices() ? 0 : 2;
  case Instruction::FDiv:
  case Instruction::FRem:
    return Double ? 30 : 10;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return isa<Constant>(I.getOperand(1)) ? 5 : 25;
  default:
    return 1;
  }
}

double costOfCall(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return 20;
  if (!Callee->isIntrinsic())
    return 20;
  if (isa<DbgInfoIntrinsic>(Call) || Call.isLifetimeStartOrEnd() ||
      Call.isDroppable())
    return 0;
  const StringRef Name = Callee->getName();
  const bool Double = Call.getType()->getScalarType()->isDoubleTy();
  for (StringRef Long : {"sqrt", "sin", "cos", "exp", "lg2", "ex2", "log",
                         "pow", "div", "rcp", "rsqrt"})
    if (Name.contains(Long))
      return Double ? 20 : 4;
  return 1;
}

} // namespace bankstripe
