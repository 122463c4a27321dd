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

/// Whether \p Function has a version, with arrays in shared memory, beside it.
bool hasVersion(const clang::FunctionDecl *Function, const SourceText &Text);

/// Whether \p Function is linked as device code in which there may be other
/// definitions of it.
bool isWeak(const clang::FunctionDecl *Function);

} // namespace bankstripe

#endif
