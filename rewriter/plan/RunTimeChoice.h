//===-- RunTimeChoice.h - kernels that are chosen at run time ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_RUNTIMECHOICE_H
#define BANKSTRIPE_PLAN_RUNTIMECHOICE_H

#include "plan/Merge.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace bankstripe {

/// \p Run with marks at the kernels whose launches choose.
///
/// \param Otherwise the plan for \p Run without any choice.
MergedRun chooseAtRunTime(MergedRun Run, const PlanOptions &Options,
                          const Plan &Otherwise);

/// \p Run with marks at the kernels that call functions as they are, since
/// others could not move the arrays of these for their sake.
///
/// \param P the plan for \p Run; and then for what is returned.
/// \param PlanOf makes a plan of a run with marks.
MergedRun freeOthers(MergedRun Run, Plan &P,
                     llvm::function_ref<Plan(MergedRun)> PlanOf);

/// The plan in which kernels that would lose by fewer resident warps have
/// versions for grids whose blocks are all resident in these, where they gain.
///
/// \param Otherwise the plan for \p Run without such versions, which is
///        returned where there are none.
/// \param PlanOf makes a plan of a run with marks.
Plan decideWhereResident(const MergedRun &Run, const PlanOptions &Options,
                         Plan Otherwise,
                         llvm::function_ref<Plan(MergedRun)> PlanOf);

} // namespace bankstripe

#endif
