//===-- Declaration.h - how arrays are declared -----------------*- C++ -*-===//
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

/// Vector types are aligned to at most this, in bytes.
inline constexpr unsigned WidestVector = 16;

/// The alignment that attributes of \p Variable ask for, in bytes; 0 without.
unsigned declaredAlignment(const clang::VarDecl *Variable);

/// Whether the members of \p Variable are indexed as one array, where it is
/// named or in a method that is called for it.
bool isIndexedObject(const clang::VarDecl *Variable, const BodyIndex &Body,
                     BodyIndexCache &Bodies);

/// Whether \p Variable is a per-thread array, or a class object that holds one
/// or is indexed as one. Parameters: find/Parameters.h.
bool isPrivateArray(const clang::VarDecl *Variable, const BodyIndex &Body,
                    BodyIndexCache &Bodies);

/// Reads the type, the initialiser and the text of \p Variable, which
/// \p Statement declares, into \p F, with an obstacle for each thing that
/// cannot be edited. Without instances where a template leaves the type open.
/// \returns whether it begins with constants.
bool readDeclaration(Finding &F, const clang::VarDecl *Variable,
                     const clang::DeclStmt *Statement, const BodyIndex &Body,
                     const SourceText &Text);

/// Where the specifiers of \p Statement begin, behind the attributes in front.
clang::SourceLocation behindAttributes(const clang::DeclStmt *Statement,
                                       const SourceText &Text);

} // namespace bankstripe

#endif
