//===-- Work.h - what a kernel does beside its arrays -----------*- C++ -*-===//
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

/// By the mangled names of the kernels.
struct ModuleWork {
  std::map<std::string, KernelWork> Work;
  /// The same if loops of unknown length are short.
  std::map<std::string, KernelWork> ShortWork;
};

/// Counts what each kernel of \p M, which is optimised, does per thread, with
/// the functions that it calls. \p Tracker knows the arrays.
ModuleWork countWork(llvm::Module &M, const AllocaTracker &Tracker);

} // namespace bankstripe

#endif
