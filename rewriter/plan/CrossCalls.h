//===-- CrossCalls.h - what calls tell across units -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_CROSSCALLS_H
#define BANKSTRIPE_PLAN_CROSSCALLS_H

#include "plan/Merge.h"

namespace bankstripe {

/// Gives the launches of \p Units the block sizes that other functions pass to
/// the launching one.
void resolveParameters(std::vector<UnitResult> &Units);

/// Connects the kernels and arrays of \p Run across units that are linked with
/// each other.
void followCalls(MergedRun &Run, const std::vector<UnitResult> &Units);

} // namespace bankstripe

#endif
