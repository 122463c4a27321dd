//===-- GridBound.h - grids that an answer bounds ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_GRIDBOUND_H
#define BANKSTRIPE_FIND_GRIDBOUND_H

#include "find/BodyIndex.h"

namespace bankstripe {

/// Whether \p Grid, a number of blocks, a `dim3` or the address of a
/// configuration, in the host function of \p Body, shrinks with \p Answer, a
/// variable of that function that an occupancy query fills in: half the answer
/// never means more than half the grid. A single block does so anyway.
bool isBoundedBy(const clang::Expr *Grid, const clang::VarDecl *Answer,
                 const BodyIndex &Body);

} // namespace bankstripe

#endif
