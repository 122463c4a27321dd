//===-- Versions.h - functions that have a version already ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_VERSIONS_H
#define BANKSTRIPE_FIND_VERSIONS_H

#include "find/SourceText.h"

namespace bankstripe {

/// Whether \p Variable is `__shared__`.
bool isShared(const clang::VarDecl &Variable);

/// Whether all calls of a function share \p Variable, which is local to it, and
/// may change it.
bool isChangedByAllCalls(const clang::VarDecl &Variable);

/// The version of \p Function, with arrays in shared memory, beside it; null if
/// there is none.
const clang::FunctionDecl *versionOf(const clang::FunctionDecl *Function,
                                     const SourceText &Text);

/// Whether the comment before \p Version says that it was made from another
/// text of \p Function than there is.
bool isOutdated(const clang::FunctionDecl *Version,
                const clang::FunctionDecl *Function, const SourceText &Text);

/// Whether \p Function is linked as device code in which there may be other
/// definitions of it.
bool isWeak(const clang::FunctionDecl *Function);

/// The same where one file defines it, and others may call it.
bool isStrong(const clang::FunctionDecl *Function);

} // namespace bankstripe

#endif
