//===-- Decide.h - decisions, and what came of them -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_DECIDE_H
#define BANKSTRIPE_PLAN_DECIDE_H

#include "plan/Kernels.h"

namespace bankstripe {

/// What was decided about one array, be it by default.
struct Wish {
  Layout Wanted = Layout::Auto;
  const ArrayDecision *Decision = nullptr; ///< Nothing: a default.
};

/// Whether \p D speaks of \p K, with all instances of its template.
bool speaksOf(const KernelDecision &D, const Kernel &K);

/// The default for the arrays of \p File.
Layout defaultFor(const std::string &File, const PlanOptions &Options);

/// Finds the arrays of \p Run that \p Options speaks of.
/// \returns a wish per array, which has its First if it can be split as wished;
/// \p Outcomes gets a row per decision, with the array, or why there is none.
std::vector<Wish> findWishes(MergedRun &Run, const PlanOptions &Options,
                             std::vector<DecisionOutcome> &Outcomes);

/// Why \p A becomes what \p W asks for, of which \p Id is the reason.
Why decided(Reason Id, const ReachedArray &A, const Wish &W);

/// What \p A is whatever the others are (nothing when it may move), once \p W
/// was asked whether it has to stay.
std::optional<Why> heedKeep(std::optional<Why> Fixed, const ReachedArray &A,
                            const Wish &W);

/// Says of \p Outcomes what came of them in \p Arrays.
void settleOutcomes(std::vector<DecisionOutcome> &Outcomes,
                    const std::vector<PlannedArray> &Arrays);

} // namespace bankstripe

#endif
