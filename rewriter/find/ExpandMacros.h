//===-- ExpandMacros.h - what macros stand for ------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_EXPANDMACROS_H
#define BANKSTRIPE_FIND_EXPANDMACROS_H

#include "find/SourceText.h"
#include <set>

namespace bankstripe {

/// What \p Uses of macros stand for, those in the main file, in order; without
/// those for which no text can be written that all builds read alike. \p PP has
/// read the unit. Its macros may be others afterwards.
std::vector<ExpandedMacro> expandMacros(const std::set<TextRange> &Uses,
                                        const SourceText &Text,
                                        clang::Preprocessor &PP);

} // namespace bankstripe

#endif
