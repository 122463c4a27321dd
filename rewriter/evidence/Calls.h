//===-- Calls.h - who calls whom in a unit's IR -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_CALLS_H
#define BANKSTRIPE_EVIDENCE_CALLS_H

#include "evidence/Residency.h"
#include "model/Evidence.h"
#include "model/UnitFacts.h"

namespace bankstripe {

/// Adds to \p Result, which has a row for each finding of \p Facts, what the
/// calls in \p M tell, which is not optimised yet: the kernels that reach each
/// finding, an obstacle where a function can be entered again before it
/// returns, the shared memory that kernels and their callees take, and, if the
/// unit is \p Linked with others, the functions that those have to know of.
void readCalls(const llvm::Module &M, const AllocaTracker &Tracker, bool Linked,
               const UnitFacts &Facts, UnitEvidence &Result);

} // namespace bankstripe

#endif
