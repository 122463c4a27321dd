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
#include <optional>

namespace bankstripe {

/// Why an initialiser cannot become a statement.
struct InitializerProblem {
  Reason Why = Reason::Initializer;
  std::string Detail;
};

/// Reads what the initialiser of \p Variable does into \p F, of which the type
/// is known.
std::optional<InitializerProblem>
readInitializer(Finding &F, const clang::VarDecl *Variable,
                clang::ASTContext &Context);

/// Whether objects of \p Record can be declared without a value, for which no
/// code runs.
bool canBeDefaultConstructed(const clang::CXXRecordDecl *Record);

} // namespace bankstripe

#endif
