//===-- Redirect.h - launches that run a version of a kernel ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_REDIRECT_H
#define BANKSTRIPE_PLAN_REDIRECT_H

#include "plan/Kernels.h"

namespace bankstripe {

/// Marks the kernels of \p Run whose launches in sight had better run another
/// kernel, and leaves them those launches alone: what holds for all of these
/// then holds for that kernel. \returns what each kernel has for arrays.
std::vector<KernelSetting> redirectLaunches(MergedRun &Run,
                                            const PlanOptions &Options);

} // namespace bankstripe

#endif
