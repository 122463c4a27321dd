//===-- AssemblyText.h - what inline assembly does --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_ASSEMBLYTEXT_H
#define BANKSTRIPE_EVIDENCE_ASSEMBLYTEXT_H

#include "llvm/IR/InstrTypes.h"

namespace bankstripe {

/// Whether \p Call is assembly that loads from an address of 64 bits what
/// others may write.
bool loadsInAssembly(const llvm::CallBase &Call);

/// Whether \p Call is assembly that does nothing but add its last operand by an
/// atomic operation.
bool addsInAssembly(const llvm::CallBase &Call);

/// Whether \p I is assembly that loads in a loop of its own from an address of
/// 64 bits.
bool pollsInAssembly(const llvm::Instruction &I);

} // namespace bankstripe

#endif
