//===-- LaunchSites.h - the text of launches and kernels --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which launches can ask for more shared memory, and which kernels can get a
// function beside them that says how much.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_LAUNCHSITES_H
#define BANKSTRIPE_FIND_LAUNCHSITES_H

#include "find/SourceText.h"
#include "model/LaunchText.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace bankstripe {

/// The parts of a launch, or of a question about one.
struct LaunchParts {
  const clang::Expr *Whole = nullptr;
  const clang::DeclRefExpr *Kernel = nullptr;
  /// The pointer to its configuration, or null and what follows.
  const clang::Expr *Configuration = nullptr;
  /// Null when it does not tell how many blocks run at once.
  const clang::Expr *Grid = nullptr;
  const clang::Expr *Block = nullptr;
  /// Its dynamic shared memory; null when that is left out, and would then
  /// follow Before.
  const clang::Expr *Shared = nullptr;
  const clang::Expr *Before = nullptr;
};

LaunchText readLaunchText(const LaunchParts &Parts, const SourceText &Text);

/// Reads the text of the declarations of \p Function, a kernel. \p MayEdit
/// tells which files may be changed.
KernelText readKernelText(const clang::FunctionDecl *Function,
                          clang::ASTContext &Context, const SourceText &Text,
                          llvm::function_ref<bool(llvm::StringRef)> MayEdit);

/// The text of \p Definition from its template header to its end; nothing when
/// a macro gives a part of it or a directive stands in it.
std::optional<TextRange> definitionText(const clang::FunctionDecl *Definition,
                                        const SourceText &Text);

} // namespace bankstripe

#endif
