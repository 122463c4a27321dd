//===-- Declaration.h - a per-thread array's declaration --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What counts as a per-thread array, its type, how it begins, and the text of
// it that edits move around.
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
void readDeclaration(Finding &F, const clang::VarDecl *Variable,
                     const clang::DeclStmt *Statement, const BodyIndex &Body,
                     clang::ASTContext &Context, const SourceText &Text);

} // namespace bankstripe

#endif
