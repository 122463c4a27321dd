//===-- AssignmentSearch.h - the assignment that pays most ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_ASSIGNMENTSEARCH_H
#define BANKSTRIPE_PLAN_ASSIGNMENTSEARCH_H

#include "plan/Evaluate.h"

namespace bankstripe {

/// What is expected of one kernel.
struct KernelOutlook {
  std::optional<Prediction> Predicted; ///< Of what was decided.
  bool NeedsCarveout = false;          ///< As Evaluator::needsCarveout.
  bool HoldsOthers = false;            ///< As in KernelPlan.
};

/// What was found.
struct SearchResult {
  Assignment Best;
  /// Why an array that could move does not, by array.
  std::vector<std::optional<Why>> Left;
  std::vector<KernelOutlook> Outlook; ///< By kernel.
};

/// \p E evaluates for \p P.
SearchResult search(const Problem &P, const Evaluator &E);

} // namespace bankstripe

#endif
