//===-- Merge.h - several translation units as one run ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_MERGE_H
#define BANKSTRIPE_PLAN_MERGE_H

#include "plan/MakePlan.h"

namespace bankstripe {

/// Why something stays as it is, or becomes what it does.
using Why = Obstacle;

/// A kernel as all units see it.
struct MergedKernel {
  Kernel Facts;
  SharedMemory Shared; ///< Its own and its callees'.
  /// What ptxas says of it; nothing when it was not asked.
  std::optional<KernelResources> Original;
  FrameUse Frame; ///< What follows from it (plan/Frames.cpp).
  /// What it does, arrays by their index; nothing without optimised IR.
  std::optional<KernelWork> Work;
  /// The same if loops of unknown length are short; there if Work is.
  std::optional<KernelWork> ShortWork;
  std::vector<Launch> Launches;
  /// Why it may be launched otherwise; empty: Launches are all.
  std::string WhyUnseen;
  /// It waits in a loop for other blocks, which must all be resident.
  bool WaitsForBlocks = false;
  bool CallsOtherUnits = false; ///< Functions that are compiled apart from it.
  /// One of which nobody knows what it does; empty: none.
  std::string UnseenCallee;
  /// Its version, if it has one, calls functions as they are, for the sake of
  /// others that call copies.
  bool CallsOriginals = false;
  bool WhereResident = false; ///< As in KernelPlan.
  bool Chooses = false;       ///< Likewise.
  std::string WhyNoChoice;    ///< Likewise.

  /// Of a thread; 0 when unknown.
  unsigned registers() const { return Original ? Original->Registers : 0; }
};

/// What was decided about one array, be it by default.
struct Wish {
  Layout Wanted = Layout::Auto;
  const ArrayDecision *Decision = nullptr; ///< Nothing: a default.
};

/// The units of a run, their evidence and the decisions about them as one
/// table.
struct MergedRun {
  std::vector<ReachedArray> Arrays;  ///< Sorted by place.
  std::vector<Wish> Wishes;          ///< By array.
  std::vector<MergedKernel> Kernels; ///< Sorted by place and name.
  std::map<Place, Callee> Callees;
  std::vector<FunctionText> Functions; ///< Each once.
  std::map<std::string, std::string> Contents;
  std::map<std::string, std::vector<ExpandedMacro>> Expanded; ///< As in Plan.
  std::set<std::string> NumberedFiles;
  /// A row for each decision, with the array, or why there is none.
  std::vector<DecisionOutcome> Outcomes;
};

/// The kernels of \p Unit, and those of system headers that reach its arrays.
/// Nobody edits these; their launch bounds are all that is asked.
std::vector<Kernel> kernelsOf(const UnitResult &Unit);

/// Joins what was found and gathered, and assumes the worst of whoever else
/// \p Options say there may be.
MergedRun mergeUnits(const std::vector<UnitResult> &Units,
                     const PlanOptions &Options);

} // namespace bankstripe

#endif
