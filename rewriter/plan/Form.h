//===-- Form.h - what becomes of a kernel -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_FORM_H
#define BANKSTRIPE_PLAN_FORM_H

#include "plan/BlockBound.h"

namespace bankstripe {

/// What becomes of a kernel for its arrays, and what storage these have: it
/// changes in place, has a version, or stays without shared memory for arrays.
struct Form {
  bool IsVersion = false;      ///< It stays, with a version of it beside it.
  std::optional<Why> WhyStays; ///< Nothing: it does not.
  BlockBound Block;
  bool AddBounds = false; ///< Arrays that move need it to have launch bounds.
  bool Dynamic = false;   ///< Its launches bring the storage.
  bool Behind = false;    ///< A kernel of its group has memory of its own.
  /// Why static storage is out of the question, where launches bring it.
  std::optional<Why> WhyNotStatic;
  /// Why launches bring none, where that would help.
  std::string WhyNotDynamic;
  std::string WhyNoRow;         ///< As in KernelPlan.
  uint64_t OwnDynamicBytes = 0; ///< The most that a launch asks for itself.
  /// How many more those may ask for that compute it.
  uint64_t UnknownDynamicBytes = 0;
  uint64_t Budget = 0; ///< Bytes per block that its arrays may take.
  /// Threads of a block, as a decision or a launch in sight says; 0 without.
  unsigned SeenThreads = 0;

  /// The largest block, in threads, as far as anybody knows.
  unsigned largestBlock() const {
    return Block.Threads ? Block.Threads : LargestBlock;
  }
};

/// Why \p K can have no version beside it; empty if it can.
std::string whyNoVersion(const MergedKernel &K, const PlanOptions &Options);

/// The form of each kernel of \p Run.
///
/// \param HasVersion those that have a version, by kernel.
std::vector<Form> formsOf(const MergedRun &Run, const PlanOptions &Options,
                          const std::vector<bool> &HasVersion);

/// What a launch of blocks of up to \p BlockThreads (0: any) brings in
/// addition, in bytes, if each warp has \p WarpBytes of storage.
uint64_t broughtBytes(uint64_t WarpBytes, unsigned BlockThreads);

/// Shared memory that a block has on every architecture of \p Options.
uint64_t commonSharedLimit(const PlanOptions &Options);

} // namespace bankstripe

#endif
