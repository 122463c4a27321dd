//===-- ChoosingLaunches.h - launches that can choose -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_CHOOSINGLAUNCHES_H
#define BANKSTRIPE_FIND_CHOOSINGLAUNCHES_H

#include "find/SourceText.h"
#include "model/UnitFacts.h"
#include "clang/AST/ExprCXX.h"

namespace bankstripe {

/// Whether \p E gives the same twice and changes nothing.
bool mayBeComputedTwice(const clang::Expr *E, const SourceText &Text);

/// What the launch \p Call of \p Kernel needs to choose between that and a
/// version of it. Its callee is invalid if the launch cannot.
///
/// \param Grid of the launch.
/// \param Stream of the launch; null where it is left out.
ChoiceText readChoice(const clang::CUDAKernelCallExpr *Call,
                      const clang::DeclRefExpr *Kernel, const clang::Expr *Grid,
                      const clang::Expr *Stream, const SourceText &Text);

} // namespace bankstripe

#endif
