//===-- Decide.h - decisions, and what came of them -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_DECIDE_H
#define BANKSTRIPE_PLAN_DECIDE_H

#include "plan/Merge.h"

namespace bankstripe {

/// Whether \p D speaks of \p K, with all instances of its template.
bool speaksOf(const KernelDecision &D, const Kernel &K);

/// Finds the arrays of \p Run that \p Options speaks of.
/// \returns a wish per array; \p Outcomes gets a row per decision, with the
/// array, or why there is none.
std::vector<Wish> findWishes(const MergedRun &Run, const PlanOptions &Options,
                             std::vector<DecisionOutcome> &Outcomes);

/// How many elements of \p A are to move if it can be split as \p W asks; else
/// 0.
unsigned firstAsked(const ReachedArray &A, const Wish &W);

/// Why \p A becomes what \p W asks for, of which \p Id is the reason.
Why decided(Reason Id, const ReachedArray &A, const Wish &W);

/// What \p A is whatever the others are (nothing when it may move), once \p W
/// was asked whether it has to stay.
std::optional<Why> heedKeep(std::optional<Why> Fixed, const ReachedArray &A,
                            const Wish &W);

/// Says of the outcomes of \p P what came of them in its arrays.
void settleOutcomes(Plan &P);

} // namespace bankstripe

#endif
