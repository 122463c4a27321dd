//===-- Initializer.h - how a per-thread array begins -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_INITIALIZER_H
#define BANKSTRIPE_FIND_INITIALIZER_H

#include "model/Finding.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace bankstripe {

/// Reads what the initialiser of \p Variable does into \p F, of which the type
/// is known, with an obstacle where it cannot become a statement. \returns
/// whether it is a list of constants.
bool readInitializer(Finding &F, const clang::VarDecl *Variable,
                     clang::ASTContext &Context);

/// Whether \p Holds is true of the type of a member of \p Record, which may be
/// null, or of a class in it.
bool anyField(const clang::CXXRecordDecl *Record,
              llvm::function_ref<bool(clang::QualType)> Holds);

/// Whether objects of \p Record can be declared without a value, for which no
/// code runs.
bool canBeDefaultConstructed(const clang::CXXRecordDecl *Record);

/// Whether `Class(object)` calls a constructor that copies alone; \p Record is
/// trivially copyable.
bool canBeCopied(const clang::CXXRecordDecl *Record);

/// Whether a copy is to be made with braces: in templates, nvcc takes
/// `::new (p) S(value)` for a list of the values of an aggregate, as there is
/// from C++20 on, and does not compile it (seen with CUDA 13.0).
bool needsBracesToCopy(const clang::CXXRecordDecl *Record,
                       const clang::ASTContext &Context);

} // namespace bankstripe

#endif
