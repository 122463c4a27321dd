//===-- Constants.h - constants, and how sure they are ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_CONSTANTS_H
#define BANKSTRIPE_FIND_CONSTANTS_H

#include "clang/AST/Expr.h"
#include <cstdint>
#include <optional>
#include <string>

namespace bankstripe {

/// The value of the integer expression \p E, if it is a constant.
std::optional<int64_t> constantOf(const clang::Expr *E,
                                  const clang::ASTContext &Context);

/// Whether what is written at \p Spelled and used at \p Used may be something
/// else in another build.
bool mayDiffer(clang::SourceLocation Spelled, clang::SourceLocation Used,
               const clang::SourceManager &SM);

/// Why the constant \p E may have another value in another build of the text,
/// or for nvcc; empty if it has the same for all. What is not understood may.
std::string whyNotFixed(const clang::Expr *E, const clang::ASTContext &Context);

} // namespace bankstripe

#endif
