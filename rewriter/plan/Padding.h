//===-- Padding.h - bank conflicts of shared arrays -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_PADDING_H
#define BANKSTRIPE_PLAN_PADDING_H

#include "plan/Plan.h"
#include <array>

namespace bankstripe {

/// Of a block, in x, y and z.
using BlockShape = std::array<unsigned, 3>;

/// How many words of one bank the lanes of a warp ask for at once at \p A, at
/// most, if each row of \p Array is \p Padding elements longer; 1 without
/// conflicts, nothing where that is not known.
std::optional<unsigned> conflictDegree(const SharedAccess &A,
                                       const SharedArray &Array,
                                       const BlockShape &Shape,
                                       unsigned Padding);

/// Whether \p A may reach out of a row: what is found there depends on where
/// rows lie.
bool mayLeaveRow(const SharedAccess &A, const SharedArray &Array,
                 const BlockShape &Shape);

/// Gives each shared array of \p Units its verdict, and says in \p Outcomes
/// what came of decisions about them. \p Into has its kernels and the memory
/// that they take already.
void planPadding(const std::vector<UnitResult> &Units,
                 const PlanOptions &Options,
                 std::vector<DecisionOutcome> &Outcomes, Plan &Into);

} // namespace bankstripe

#endif
