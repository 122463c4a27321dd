//===-- BitUse.h - what an element can be used for as a bit -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_BITUSE_H
#define BANKSTRIPE_FIND_BITUSE_H

#include "find/BodyIndex.h"
#include "find/Operators.h"

namespace bankstripe {

/// Whether arrays of type \p Type are bools that fit into a word or two.
bool areBits(clang::QualType Type, const clang::ASTContext &Context);

/// Whether what \p Element, an lvalue of type bool in \p Function, is used for
/// means the same where it is an object that stands for a bit.
bool isBitUse(const clang::Expr *Element, const clang::FunctionDecl *Function,
              const BodyIndex &Body, const UserOperators &Operators);

/// Whether \p Reference names an array as `memset(a, 0, sizeof a)` does, in
/// either place.
bool isClearing(const clang::DeclRefExpr *Reference, const BodyIndex &Body);

} // namespace bankstripe

#endif
