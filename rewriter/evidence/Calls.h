//===-- Calls.h - who calls whom --------------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_CALLS_H
#define BANKSTRIPE_EVIDENCE_CALLS_H

#include "model/Evidence.h"
#include "llvm/IR/Module.h"

namespace bankstripe {

/// The calls of each function of \p M, which no pass has inlined yet.
std::map<std::string, FunctionCalls> readCalls(const llvm::Module &M);

} // namespace bankstripe

#endif
