//===-- SharedArrays.h - the user's own shared arrays -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_SHAREDARRAYS_H
#define BANKSTRIPE_FIND_SHAREDARRAYS_H

#include "find/WalkingPointers.h"
#include "model/UnitFacts.h"

namespace bankstripe {

/// The `__shared__` arrays of a fixed size that \p Function, or this instance
/// of it, declares. If they have rows, an obstacle names each use that may
/// depend on where these lie in memory, and text that cannot be edited.
std::vector<SharedArray>
findSharedArrays(const clang::FunctionDecl *Function, BodyIndexCache &Bodies,
                 const SourceText &Text, PointerFollower &Pointers,
                 llvm::function_ref<bool(llvm::StringRef)> MayEdit);

} // namespace bankstripe

#endif
