//===-- Banks.h - which banks lanes ask for at once -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_BANKS_H
#define BANKSTRIPE_EVIDENCE_BANKS_H

#include "model/Evidence.h"
#include "model/UnitFacts.h"
#include "llvm/IR/Module.h"

namespace bankstripe {

/// The accesses in \p M, which is not optimised and stays as it is, to each
/// shared array of \p Facts; nothing for one that has no IR.
std::vector<std::optional<std::vector<SharedAccess>>>
readBanks(llvm::Module &M, const UnitFacts &Facts);

} // namespace bankstripe

#endif
