//===-- BlockBound.h - how large the blocks of a kernel are -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_BLOCKBOUND_H
#define BANKSTRIPE_PLAN_BLOCKBOUND_H

#include "plan/Merge.h"

namespace bankstripe {

/// What static storage in a kernel is made for.
struct StaticBound {
  BlockBound Block;
  bool AddBounds = false; ///< Arrays that move need it to have launch bounds.
  uint64_t OwnDynamicBytes = 0; ///< The most that a launch asks for itself.
  /// Why there can be no static storage; \c Block is then what is known.
  std::optional<Why> Obstacle;
};

/// A block of unknown size is taken to have so many threads.
inline constexpr unsigned UsualBlock = 256;

/// Bounds the blocks of \p K, or says what stands against it.
StaticBound boundBlock(const MergedKernel &K, const PlanOptions &Options);

/// Whether launch bounds of \p Threads can be added to \p K.
bool mayAddBounds(const MergedKernel &K, unsigned Threads);

/// The blocks that the version of \p K is planned for: what the user says, else
/// the launch bounds, the largest that is known, or \c UsualBlock, as far as
/// its arrays have room (Form.cpp). Whatever a
/// launch has, it brings the storage for that, or runs the original.
BlockBound plannedBlock(const MergedKernel &K, const PlanOptions &Options);

/// The threads of a block of \p K, as a decision or a launch in sight says; 0
/// without.
unsigned seenThreads(const MergedKernel &K, const PlanOptions &Options);

} // namespace bankstripe

#endif
