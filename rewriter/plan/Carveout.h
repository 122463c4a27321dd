//===-- Carveout.h - what launches leave to the L1 --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_CARVEOUT_H
#define BANKSTRIPE_PLAN_CARVEOUT_H

#include "plan/MakePlan.h"

namespace bankstripe {

/// Gives the kernels of \p P whose launches are edited their carveouts, and
/// says what came of the decisions about that.
void chooseCarveouts(Plan &P, const PlanOptions &Options);

} // namespace bankstripe

#endif
