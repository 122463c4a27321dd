//===-- Outside.h - what a run cannot know of other units -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the units of a run are no whole program, others may launch its kernels,
// call its functions, and be linked with it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_OUTSIDE_H
#define BANKSTRIPE_PLAN_OUTSIDE_H

#include "plan/LinkedCalls.h"

namespace bankstripe {

/// \p K as it is to be planned for: others that can name it launch it with any
/// block.
Kernel asOthersSee(Kernel K, Outside Who);

/// The functions of \p Unit, whose calls are \p OfUnit, that calls by others
/// may lead to.
std::set<std::string> calledByOthers(const UnitResult &Unit,
                                     const LinkedCalls &OfUnit);

/// Why \p F must stay where others are linked with the device code of its unit:
/// whoever calls its function does so with blocks and shared memory of its own.
/// (Nobody else calls a copy of it.) \p Called: the functions that they may
/// reach. Nothing if nobody can.
std::optional<Obstacle> whyOthersCall(const Finding &F,
                                      const std::set<std::string> &Called);

} // namespace bankstripe

#endif
