//===-- KernelFacts.h - what is known of a kernel ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_KERNELFACTS_H
#define BANKSTRIPE_FIND_KERNELFACTS_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/UnitFacts.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace bankstripe {

/// The facts of \p Function, a kernel with a body. \p MayEdit tells which files
/// may be changed.
Kernel readKernel(const clang::FunctionDecl *Function, BodyIndexCache &Bodies,
                  const SourceText &Text,
                  llvm::function_ref<bool(llvm::StringRef)> MayEdit);

/// The text of \p Definition, or another declaration, from its template header
/// to its end; nothing when a macro gives a part of it or a directive stands in
/// it. With \p WhyNotTwice directives may, and it says why they would do
/// something else the second time (empty if they would not).
std::optional<TextRange> definitionText(const clang::FunctionDecl *Definition,
                                        const SourceText &Text,
                                        std::string *WhyNotTwice = nullptr);

/// What in \p Code, the text \p Whole of a function, would mean something else
/// in a function of another name; empty if nothing does.
std::string whyNotTwice(llvm::StringRef Code, const TextRange &Whole,
                        const SourceText &Text);

/// Whether another declaration of \p Definition may have default arguments.
bool hasDefaultsElsewhere(const clang::FunctionDecl *Definition);

} // namespace bankstripe

#endif
