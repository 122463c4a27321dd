//===-- FixedLaunches.h - launches that stay as they are --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_FIXEDLAUNCHES_H
#define BANKSTRIPE_PLAN_FIXEDLAUNCHES_H

#include "plan/Merge.h"

namespace bankstripe {

/// Who may launch \p K out of sight, given that somebody may.
std::string whoElseLaunches(const Kernel &K);

/// Why the launches of \p Merged cannot ask for storage, or queries about it
/// cannot be edited; empty when they can.
std::string whyLaunchesStay(const MergedKernel &Merged, const MergedRun &Run);

} // namespace bankstripe

#endif
