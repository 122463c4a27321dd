//===-- FunctionTexts.h - what copies of functions need ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_FUNCTIONTEXTS_H
#define BANKSTRIPE_FIND_FUNCTIONTEXTS_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/UnitFacts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace bankstripe {

/// Those of \p Functions for the device that hold per-thread arrays, as the
/// patterns in \p Holders do, or lead to them by calls. \p MayEdit tells which
/// files may be changed.
std::vector<FunctionText>
readFunctionTexts(llvm::ArrayRef<const clang::FunctionDecl *> Functions,
                  const llvm::DenseSet<const clang::FunctionDecl *> &Holders,
                  BodyIndexCache &Bodies, const SourceText &Text,
                  llvm::function_ref<bool(llvm::StringRef)> MayEdit);

} // namespace bankstripe

#endif
