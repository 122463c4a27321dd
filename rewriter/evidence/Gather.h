//===-- Gather.h - what the IR says of a unit -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ParsedUnit, facts => device IR => optimised device IR => UnitEvidence
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_GATHER_H
#define BANKSTRIPE_EVIDENCE_GATHER_H

#include "frontend/Frontend.h"
#include "model/Evidence.h"
#include "model/UnitFacts.h"

namespace bankstripe {

/// Emits the device IR of \p Unit and reads its calls (Calls.h). Then optimises
/// the IR at -O3 and tells for each finding of \p Facts whether it survives in
/// local memory and whether its indices are uniform. Never fails: where no IR
/// can be made, every array is Unknown and Problem says why.
UnitEvidence gatherEvidence(ParsedUnit &Unit, const UnitFacts &Facts);

} // namespace bankstripe

#endif
