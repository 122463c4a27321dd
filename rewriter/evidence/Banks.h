//===-- Banks.h - what lanes ask of shared arrays ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_BANKS_H
#define BANKSTRIPE_EVIDENCE_BANKS_H

#include "model/SharedArray.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include <map>

namespace bankstripe {

/// The accesses in \p M, which is not optimised and stays as it is, to each of
/// \p Arrays, by Id.
std::map<std::string, std::vector<SharedAccess>>
readBanks(const llvm::Module &M, llvm::ArrayRef<SharedArray> Arrays);

} // namespace bankstripe

#endif
