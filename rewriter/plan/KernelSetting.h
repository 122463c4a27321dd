//===-- KernelSetting.h - what a kernel has for arrays ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_KERNELSETTING_H
#define BANKSTRIPE_PLAN_KERNELSETTING_H

#include "contract/Launch.h"
#include "plan/Merge.h"

namespace bankstripe {

/// Why something stays as it is, or becomes what it does.
using Why = Obstacle;

/// What is known of a kernel before anything is decided about its arrays.
struct KernelSetting {
  BlockBound Block;
  bool AddBounds = false;       ///< Arrays that move need it to have bounds.
  uint64_t OwnDynamicBytes = 0; ///< The most that a launch asks for itself.
  bool OwnUnknown = false;      ///< Nobody knows what they ask for.
  /// Why arrays that it reaches cannot move.
  std::optional<Why> Obstacle;
  bool Dynamic = false; ///< Its launches bring the storage.
  bool Behind = false;  ///< A kernel of its group has memory of its own.
  /// Why static storage is out of the question, where launches bring it.
  std::optional<Why> Unbounded;
  std::string WhyStatic; ///< Why launches bring none, where that would help.
  std::string WhyNoRow;  ///< As in KernelPlan.
  uint64_t Budget = 0;   ///< Bytes per block that its arrays may take.
  /// Threads of a block, as a decision or a launch in sight says; 0 without.
  unsigned SeenThreads = 0;

  /// The largest block, in threads, as far as anybody knows.
  unsigned largestBlock() const {
    return Block.Threads ? Block.Threads : LargestBlock;
  }
};

/// A block of unknown size is taken to have so many threads.
inline constexpr unsigned UsualBlock = 256;

/// Bounds the block size of \p K, or says what stands against it.
KernelSetting boundBlockSize(const MergedKernel &K, const PlanOptions &Options);

/// What each kernel of \p Run has for arrays.
std::vector<KernelSetting> settingsOf(const MergedRun &Run,
                                      const PlanOptions &Options);

/// What a launch of blocks of up to \p BlockThreads (0: any) brings in
/// addition, in bytes, if each warp has \p WarpBytes of storage.
uint64_t broughtBytes(uint64_t WarpBytes, unsigned BlockThreads);

/// Shared memory that a block has on every architecture of \p Options.
uint64_t commonSharedLimit(const PlanOptions &Options);

} // namespace bankstripe

#endif
