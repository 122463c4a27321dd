//===-- RowPadding.h - bank conflicts of shared arrays ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_ROWPADDING_H
#define BANKSTRIPE_PLAN_ROWPADDING_H

#include "plan/Merge.h"

namespace bankstripe {

/// Gives each shared array of \p Run its verdict in \p Into, whose kernels get
/// the bytes that are added, and whose outcomes say what came of decisions
/// about these arrays.
void planPadding(const MergedRun &Run, const PlanOptions &Options, Plan &Into);

} // namespace bankstripe

#endif
