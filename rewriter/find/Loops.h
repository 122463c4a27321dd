//===-- Loops.h - loops that a pragma could unroll --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which `for` loops count from a constant to a constant, and stand where
// `#pragma unroll` can be put before them.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_LOOPS_H
#define BANKSTRIPE_FIND_LOOPS_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/Finding.h"

namespace bankstripe {

/// How often \p Loop runs when nothing leaves it early; nothing when that is
/// not seen at once, or is more than anybody would unroll.
std::optional<unsigned> tripsOf(const clang::ForStmt *Loop,
                                const BodyIndex &Body,
                                const clang::ASTContext &Context);

/// Adds the loops of \p Body, the index of a function or of an instantiation,
/// to \p Loops: those that stand in a file as they are written, and
/// about which their author has not said anything.
void readLoops(const BodyIndex &Body, const clang::ASTContext &Context,
               const SourceText &Text, std::map<Place, CountedLoop> &Loops);

} // namespace bankstripe

#endif
