//===-- PlanInternal.h - the steps of planning ------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   units => one table of arrays and kernels      (Merge.cpp)
//         => a bound on each kernel's block size  (BlockBound.cpp)
//         => a verdict per array                  (Verdicts.cpp)
//         => the subset and forms that fit        (Budget.cpp, Layout.cpp)
//         => occupancy before and after           (Occupancy.cpp)
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_PLANINTERNAL_H
#define BANKSTRIPE_PLAN_PLANINTERNAL_H

#include "plan/Plan.h"

namespace bankstripe {

/// A kernel with the launches that reach it, before decisions.
struct KernelRow {
  KernelPlan Plan;
  std::vector<Launch> Launches;
  /// Why static shared memory cannot be planned for it, if so.
  std::optional<Verdict> Obstacle;
};

/// The units of a run as one table.
struct MergedRun {
  std::vector<PlannedArray> Arrays; ///< Without decisions.
  std::vector<KernelRow> Kernels;
  std::map<Place, Callee> Callees;
  std::map<std::string, std::string> Contents;
};

/// Adds \p Row to \p Rows, which stay sorted and unique.
void insertSorted(std::vector<unsigned> &Rows, unsigned Row);

/// Connects the kernels and arrays of \p Run across units that are linked with
/// each other (CallGraph.cpp).
void followCalls(MergedRun &Run, const std::vector<UnitResult> &Units);

/// Gives the launches of \p Units the block sizes that other functions pass to
/// the launching one (Parameters.cpp).
void resolveParameters(std::vector<UnitResult> &Units);

MergedRun mergeUnits(std::vector<UnitResult> Units);

/// Decides the block size of \p Row, or sets its Obstacle.
void boundBlockSize(KernelRow &Row, const PlanOptions &Options);

/// The verdict of an array as far as it does not depend on the budget: nothing
/// when it may move.
std::optional<Verdict> verdictBeforeBudget(const PlannedArray &A,
                                           const std::vector<KernelRow> &Rows);

/// The form of a stripe of \p A that takes the fewest bytes (Layout.cpp).
StripeForm smallestForm(const PlannedArray &A);

/// Accesses of \p A weighted by loop depth and by how much local memory
/// suffers from their indices.
double benefitOf(const PlannedArray &A);

/// Shared memory for \p Candidates (indices of \p Arrays, each with the verdict
/// that it gets when there is room for it) out of \p Budgets, in bytes per
/// block and parallel to \p Rows. Those without room get the reason OverBudget.
/// \returns the bytes that are taken from each row.
std::vector<uint64_t> fitIntoBudget(std::vector<PlannedArray> &Arrays,
                                    const std::vector<unsigned> &Candidates,
                                    const std::vector<KernelRow> &Rows,
                                    std::vector<uint64_t> Budgets);

} // namespace bankstripe

#endif
