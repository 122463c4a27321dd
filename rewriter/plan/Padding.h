//===-- Padding.h - bank conflicts of shared arrays -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_PADDING_H
#define BANKSTRIPE_PLAN_PADDING_H

#include "plan/Merge.h"

namespace bankstripe {

/// Gives each shared array of \p Run its verdict, and says in \p Outcomes what
/// came of decisions about them. \p Into has the kernels, which get the bytes
/// that are added.
void planPadding(const MergedRun &Run, const PlanOptions &Options,
                 std::vector<DecisionOutcome> &Outcomes, Plan &Into);

} // namespace bankstripe

#endif
