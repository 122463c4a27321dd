//===-- Layout.h - how arrays lie where they move ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_LAYOUT_H
#define BANKSTRIPE_PLAN_LAYOUT_H

#include "model/Plan.h"
#include "llvm/ADT/ArrayRef.h"

namespace bankstripe {

/// One way for arrays to lie in shared memory, or in registers.
struct LayoutInfo {
  Treatment As;
  /// Whether it is a way for \p A, as far as its elements and uses go.
  bool (*Suits)(const ReachedArray &A);
  /// Bytes of shared memory per block that \p I takes for blocks of at most \p
  /// Threads.
  uint64_t (*Bytes)(const ArrayInstance &I, unsigned Threads);
};

/// All of them, those that take fewer bytes first.
llvm::ArrayRef<LayoutInfo> allLayouts();
const LayoutInfo &infoOf(const Treatment &As);

/// The stripe of \p A that takes the fewest bytes.
const LayoutInfo &smallestStripe(const ReachedArray &A);

/// What the instances of \p A that kernel \p Row reaches take of a block of
/// \p Threads: as far as they are to move, or \p First elements of each.
uint64_t bytesIn(const ReachedArray &A, const LayoutInfo &Layout, unsigned Row,
                 unsigned Threads, std::optional<unsigned> First = {});

/// The same in the layout that takes the fewest bytes.
uint64_t leastBytesIn(const ReachedArray &A, unsigned Row, unsigned Threads);

/// What the largest instance of \p A takes of a warp.
uint64_t bytesPerWarp(const ReachedArray &A, const LayoutInfo &Layout);

} // namespace bankstripe

#endif
