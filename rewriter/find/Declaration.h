//===-- Declaration.h - how arrays and pointers are declared ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What counts as a per-thread array, its type, how it begins, and the text of
// it that edits move around; and the text of pointers that walk over one.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_DECLARATION_H
#define BANKSTRIPE_FIND_DECLARATION_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/Finding.h"

namespace bankstripe {

/// The most extents that a stripe has.
inline constexpr unsigned MostDimensions = 5;

/// Whether \p Variable is a per-thread array, or a class object that holds one.
bool isPrivateArray(const clang::VarDecl *Variable);

/// Reads the type, the initialiser and the text of \p Variable, which
/// \p Statement declares, into \p F, with an obstacle for each thing that
/// cannot be edited. Without instances where a template leaves the type open.
/// \returns whether it begins with constants.
bool readDeclaration(Finding &F, const clang::VarDecl *Variable,
                     const clang::DeclStmt *Statement, const BodyIndex &Body,
                     const SourceText &Text);

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
