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

/// What the text of the program does with \p K that is neither a `<<<>>>`
/// launch nor a declaration; empty: nothing. (Whoever loads a module does, and
/// knows.)
std::string whyMentioned(const Kernel &K, const PlanOptions &Options);

/// Why \p K may be launched otherwise than by the launches that were read;
/// empty if it is not.
std::string whyUnseen(const Kernel &K, const PlanOptions &Options);

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
