//===-- RunTimeChoice.h - kernels that are chosen at run time ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_RUNTIMECHOICE_H
#define BANKSTRIPE_PLAN_RUNTIMECHOICE_H

#include "plan/Merge.h"

namespace bankstripe {

/// \p Run with marks at the kernels whose launches choose.
///
/// \param Otherwise the plan for \p Run without any choice.
MergedRun chooseAtRunTime(MergedRun Run, const PlanOptions &Options,
                          const Plan &Otherwise);

} // namespace bankstripe

#endif
