//===-- PointerDeclaration.h - pointers to be declared anew -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_POINTERDECLARATION_H
#define BANKSTRIPE_FIND_POINTERDECLARATION_H

#include "find/SourceText.h"
#include "model/Finding.h"

namespace bankstripe {

/// The text of the pointers that \p Statement declares, if all of it can be
/// declared anew.
std::optional<PointerDeclaration>
readPointerDeclaration(const clang::DeclStmt *Statement,
                       const clang::VarDecl *Source, const SourceText &Text);

/// The text of \p Parameter of a pattern's or function's definition, if it can
/// be declared anew.
std::optional<CalleeParameter>
readPointerParameter(const clang::ParmVarDecl *Parameter,
                     const SourceText &Text);

} // namespace bankstripe

#endif
