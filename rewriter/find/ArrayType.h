//===-- ArrayType.h - what per-thread arrays are made of --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_ARRAYTYPE_H
#define BANKSTRIPE_FIND_ARRAYTYPE_H

#include "find/SourceText.h"
#include "model/Finding.h"

namespace bankstripe {

/// Whether \p Type is an array, or a class that holds one somewhere, be it in a
/// base.
bool isOrHoldsArray(clang::QualType Type);

/// Reads the type of \p Variable into \p F, with an obstacle for each thing in
/// it that cannot move. Without instances where a template leaves it open.
void readArrayType(Finding &F, const clang::VarDecl *Variable,
                   const SourceText &Text);

} // namespace bankstripe

#endif
