//===-- CollectedFunctions.h - what a unit has functions of -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_COLLECTEDFUNCTIONS_H
#define BANKSTRIPE_FIND_COLLECTEDFUNCTIONS_H

#include "clang/AST/ASTContext.h"
#include <vector>

namespace bankstripe {

/// What stands outside system headers.
struct CollectedFunctions {
  /// Those with bodies; instances first, as a template itself has nothing to
  /// add to them.
  std::vector<const clang::FunctionDecl *> Functions;
  /// Of variables, and of members in their classes.
  std::vector<const clang::Expr *> Initializers;
  /// Operators are among what they declare or name.
  std::vector<const clang::NamedDecl *> Visible;
};

CollectedFunctions collectFunctions(clang::ASTContext &Context);

} // namespace bankstripe

#endif
