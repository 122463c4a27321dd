//===-- Merge.h - several translation units as one run ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_MERGE_H
#define BANKSTRIPE_PLAN_MERGE_H

#include "plan/Plan.h"

namespace bankstripe {

/// A kernel as all units see it.
struct MergedKernel {
  Kernel Facts;
  unsigned Registers = 0; ///< From ptxas; 0 when unknown.
  /// What it does, arrays by their index; nothing without optimised IR.
  std::optional<KernelWork> Work;
  /// The same if loops of unknown length are short; there if Work is.
  std::optional<KernelWork> ShortWork;
  std::vector<Launch> Launches;
  std::vector<OccupancyQuery> Queries;
  /// It waits in a loop for other blocks, which must all be resident.
  bool WaitsForBlocks = false;
  bool CallsOtherUnits = false; ///< Functions that are compiled apart from it.
  /// The launches in sight run a kernel of their own (plan/Redirect.cpp).
  bool Redirected = false;
};

/// The units of a run as one table.
struct MergedRun {
  std::vector<ReachedArray> Arrays;  ///< Sorted by place.
  std::vector<MergedKernel> Kernels; ///< Sorted by place and name.
  std::map<Place, Callee> Callees;
  /// The instances of each, by place.
  std::map<Place, std::vector<SharedArray>> SharedArrays;
  std::map<std::string, std::string> Contents;
  std::set<std::string> NumberedFiles;
};

MergedRun mergeUnits(std::vector<UnitResult> Units);

/// Adds \p Row to \p Rows, which stay sorted and unique.
void insertSorted(std::vector<unsigned> &Rows, unsigned Row);

} // namespace bankstripe

#endif
