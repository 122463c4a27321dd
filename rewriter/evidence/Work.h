//===-- Work.h - what kernels do, with their arrays and beside --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_WORK_H
#define BANKSTRIPE_EVIDENCE_WORK_H

#include "evidence/Residency.h"
#include "model/Evidence.h"
#include "llvm/IR/Module.h"

namespace bankstripe {

/// Adds to \p Result what \p M, which is optimised, shows of the arrays that
/// \p Tracker knows, and what each of its kernels does per thread, with the
/// functions that it calls.
void readOptimized(llvm::Module &M, const AllocaTracker &Tracker,
                   UnitEvidence &Result);

} // namespace bankstripe

#endif
