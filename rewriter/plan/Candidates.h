//===-- Candidates.h - what each array could become -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_CANDIDATES_H
#define BANKSTRIPE_PLAN_CANDIDATES_H

#include "plan/Decide.h"
#include "plan/Form.h"
#include "plan/Layout.h"

namespace bankstripe {

/// A way for one array to move into shared memory, or into registers.
struct Candidate {
  const LayoutInfo *Layout = nullptr;
  Why Reason; ///< Why the array moves, and in this way.
  /// Bytes of a block, parallel to the kernels that reach the array: of the
  /// storage, and of a block as it is usually launched.
  std::vector<uint64_t> Bytes, UsualBytes;
  uint64_t BytesPerWarp = 0; ///< Where launches ask for the storage.
  /// The model does not see all that it saves, so it need not promise more.
  bool SavesUnseen = false;

  bool isSlot() const { return Layout->As.Kind == VerdictKind::Slot; }
  bool isBits() const { return Layout->As.Kind == VerdictKind::Bits; }
  bool isWide() const { return Layout->As.Form == StripeForm::Wide; }
  bool isSplit() const { return Layout->As.Kind == VerdictKind::Split; }
  uint64_t largestBytes() const;
};

/// All that an array could become. What it does not have to become stands in
/// Candidates; that it stays where it is, is always possible.
struct ArrayChoices {
  /// What it is whatever the others are; nothing when it may move.
  std::optional<Why> Fixed;
  /// The first is the smallest. Empty if Fixed is there.
  std::vector<Candidate> Candidates;
  bool Asked = false; ///< A decision asks for the move.
  /// As far as it does not depend on what the others become.
  bankstripe::Storage Storage;
};

/// What makes a move of \p A needless or impossible, as far as that depends on
/// no kernel; nothing when it may move.
std::optional<Why> whyArrayStays(const ReachedArray &A);

/// What each array of \p Run could become.
std::vector<ArrayChoices> choicesOf(const MergedRun &Run,
                                    const std::vector<Form> &Forms);

/// The threads of a block of \p K as it is usually launched.
unsigned usualBlock(const Form &F, const MergedKernel &K);

} // namespace bankstripe

#endif
