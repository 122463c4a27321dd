//===-- AddressFlow.h - where the addresses of arrays get to ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that asks whether an address is one of local or of shared memory, or
// that takes it for one of local memory, answers otherwise once the array has
// moved. What it is asked about is mostly other memory: libcu++'s barriers,
// for example, ask where the barrier lies.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_ADDRESSFLOW_H
#define BANKSTRIPE_EVIDENCE_ADDRESSFLOW_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Instructions.h"

namespace bankstripe {

/// Whether \p I asks in which memory an address lies, or makes it one of local
/// memory.
bool namesLocalMemory(const llvm::Instruction &I);

/// Whether an instruction like that may get an address in one of \p Allocas,
/// before anything is optimised. Where an address gets out of sight (into
/// memory that is no local variable, into a number, to assembly, or to a
/// function whose body is elsewhere), or is not known, the answer is true.
bool isAskedWhereItLies(llvm::ArrayRef<const llvm::AllocaInst *> Allocas);

} // namespace bankstripe

#endif
