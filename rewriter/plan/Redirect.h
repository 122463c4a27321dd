//===-- Redirect.h - launches that run a version of a kernel ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_REDIRECT_H
#define BANKSTRIPE_PLAN_REDIRECT_H

#include "plan/KernelSetting.h"

namespace bankstripe {

/// A run, and what each of its kernels has for arrays.
struct RunWithSettings {
  MergedRun Run;
  std::vector<KernelSetting> Settings;
};

/// Whether \p L can run a version beside its kernel \p K.
bool canRunVersion(const Launch &L, const MergedKernel &K, const MergedRun &Run,
                   const PlanOptions &Options);

/// The arrays that kernel \p Row reaches and that may move.
std::vector<const ReachedArray *> movableIn(unsigned Row, const MergedRun &Run);

/// Whether arrays move in a version beside kernel \p Row, as \p Beside says.
bool movesBeside(unsigned Row, const MergedRun &Run,
                 const KernelSetting &Beside);

/// What instances of a template share, which so go one way.
const TextRange &textOf(const MergedKernel &K);

/// \p Run with marks at the kernels whose launches in sight had better run
/// another kernel, and with those launches of them alone: what holds for all of
/// these then holds for that kernel.
RunWithSettings redirectLaunches(MergedRun Run, const PlanOptions &Options);

} // namespace bankstripe

#endif
