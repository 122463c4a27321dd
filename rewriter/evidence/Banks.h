//===-- Banks.h - which banks lanes ask for at once -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_BANKS_H
#define BANKSTRIPE_EVIDENCE_BANKS_H

#include "model/Finding.h"
#include "llvm/IR/Module.h"

namespace bankstripe {

/// Gives each shared array of \p Facts its accesses in \p M, which is not
/// optimised and stays as it is.
void readBanks(llvm::Module &M, UnitFacts &Facts);

} // namespace bankstripe

#endif
