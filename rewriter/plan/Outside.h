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

#include "plan/Plan.h"

namespace bankstripe {

/// Assumes the worst of \p Who: kernels that they can name are launched by them
/// with any block, and device functions are called where device code is linked.
void assumeOutside(UnitFacts &Unit, Outside Who);

/// Where one of \p Units may give kernels in graphs other blocks, a launch that
/// is captured says neither what runs nor how large its blocks are.
void assumeNodesChange(std::vector<UnitResult> &Units);

} // namespace bankstripe

#endif
