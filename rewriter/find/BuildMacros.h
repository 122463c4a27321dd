//===-- BuildMacros.h - macros that differ by build  ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_BUILDMACROS_H
#define BANKSTRIPE_FIND_BUILDMACROS_H

#include "clang/AST/Expr.h"

namespace bankstripe {

/// The macro of the user's that gives the constant \p E a part of its value,
/// directly or by constants that it names, if another build may define it
/// otherwise: a command does, or a condition that is over where it is used.
/// Empty when there is none.
std::string buildMacroIn(const clang::Expr *E,
                         const clang::ASTContext &Context);

/// Whether the arguments by which \p Name names an instance of a template, of a
/// function or of the class around it, hold such a macro.
bool isInstanceByBuildMacro(const clang::DeclRefExpr *Name,
                            const clang::ASTContext &Context);

} // namespace bankstripe

#endif
