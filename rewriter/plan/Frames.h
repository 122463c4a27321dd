//===-- Frames.h - what lies in ptxas' stack frames -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_FRAMES_H
#define BANKSTRIPE_PLAN_FRAMES_H

#include "plan/Merge.h"

namespace bankstripe {

/// Says of the arrays of \p Run what ptxas' frames say of them, and of each
/// kernel how much of its frame no array explains. Arrays are in no frame while
/// they are in doubt.
void readFrames(MergedRun &Run, const Measured &Known);

/// Whether there may be room for \p A in local memory while kernel \p Row of
/// \p Run, which reaches it, runs, as far as ptxas says. Of a template, ptxas
/// may keep one instance in registers, and leave another in memory.
bool mayHaveRoomFor(const ReachedArray &A, unsigned Row, const MergedRun &Run);

/// Bytes of \p A in kernel \p Row, where a smaller instance of it may run than
/// the largest.
uint64_t declaredBytesIn(const ReachedArray &A, unsigned Row);

/// Whether \p A and \p B are never alive at once: blocks of one function of
/// which neither is inside the other. Of two functions that a kernel calls, one
/// has mostly returned before the other begins, if neither calls the other.
bool areApart(const ReachedArray &A, const ReachedArray &B);

} // namespace bankstripe

#endif
