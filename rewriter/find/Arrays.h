//===-- Arrays.h - private arrays of one function ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_ARRAYS_H
#define BANKSTRIPE_FIND_ARRAYS_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "find/Uses.h"
#include "model/Finding.h"

namespace bankstripe {

/// Whether \p Variable is a private array or an object of a class that holds
/// one: automatic storage, in device code.
bool isPrivateArray(const clang::VarDecl *Variable);

/// The most extents that a stripe has.
inline constexpr unsigned MostDimensions = 5;

/// Reads what the type of \p Variable says into \p F (Types.cpp).
void readType(Finding &F, const clang::VarDecl *Variable,
              clang::ASTContext &Context, const SourceText &Text);

/// Reads how \p Variable begins into \p F; the obstacle, if its initialiser
/// is one (Initializers.cpp).
std::optional<Reason> readInitializer(Finding &F,
                                      const clang::VarDecl *Variable,
                                      clang::ASTContext &Context);

/// The alignment that casts may claim for the memory of \p Variable, in bytes;
/// 0 when none does (Views.cpp).
unsigned viewAlignment(const clang::VarDecl *Variable,
                       const clang::FunctionDecl *Function,
                       const BodyIndex &Body, BodyIndexCache &Bodies);

/// Builds the finding of \p Variable, declared by \p Statement in \p Function
/// (kernels that reach it are filled in by the caller).
Finding findArray(const clang::VarDecl *Variable,
                  const clang::DeclStmt *Statement,
                  const clang::FunctionDecl *Function, BodyIndexCache &Bodies,
                  clang::ASTContext &Context, const SourceText &Text,
                  UseClassifier &Classifier);

/// Reads the text of the declaration into \p F, with an obstacle when it has
/// a shape that cannot be edited.
void readDeclaration(Finding &F, const clang::VarDecl *Variable,
                     const clang::DeclStmt *Statement, const BodyIndex &Body,
                     const SourceText &Text);

/// The block that a variable lives in that \p Statement declares in
/// \p Function; invalid where its lifetime is not just that (Declaration.cpp).
TextRange scopeOf(const clang::DeclStmt *Statement,
                  const clang::FunctionDecl *Function, const BodyIndex &Body,
                  const SourceText &Text);

/// Whether a NOLINT(bankstripe) comment stands on the line of \p Loc, or a
/// NOLINTNEXTLINE(bankstripe) on the line before it.
bool hasNolint(clang::SourceLocation Loc, const SourceText &Text);

} // namespace bankstripe

#endif
