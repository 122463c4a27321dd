//===-- PlanInternal.h - the steps of planning ------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   units => one table of arrays and kernels      (Merge.cpp)
//         => a bound on each kernel's block size  (BlockBound.cpp)
//         => static or dynamic shared memory      (Dynamic.cpp)
//         => a verdict per array                  (Plan.cpp, Decide.cpp)
//         => the subset and forms that fit        (Budget.cpp, Layout.cpp)
//         => what pays                            (Choose.cpp, Profit.cpp)
//         => loops to unroll                      (Unroll.cpp)
//         => occupancy before and after           (arch/ArchInfo.h)
//         => what launches leave to the L1        (Carveout.cpp)
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_PLANINTERNAL_H
#define BANKSTRIPE_PLAN_PLANINTERNAL_H

#include "plan/Plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace bankstripe {

/// A kernel with the launches that reach it, before decisions.
struct KernelRow {
  KernelPlan Plan;
  /// Its work if loops of unknown length are short; there if Plan.Work is.
  std::optional<KernelWork> ShortWork;
  std::vector<Launch> Launches;
  std::vector<OccupancyQuery> Queries;
  /// Why static shared memory cannot be planned for it, if so.
  std::optional<Verdict> Obstacle;
  /// It calls functions that are compiled apart from it.
  bool CallsOtherUnits = false;
  bool Dynamic = false;    ///< Its launches bring the storage.
  std::string WhyStatic;   ///< Why they cannot, where that would help.
  bool Behind = false;     ///< A kernel of its group has memory of its own.
  bool OwnUnknown = false; ///< What they ask for themselves is not known.
  /// What it keeps of arrays that a block of unknown size has no room for.
  std::optional<Verdict> Unbounded;
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

/// Whether some kernel reaches both.
bool shareKernel(const PlannedArray &A, const PlannedArray &B);

/// Decides the block size of \p Row, or sets its Obstacle.
void boundBlockSize(KernelRow &Row, const PlanOptions &Options);

/// Whether `__launch_bounds__` with BoundsToAdd can do no harm.
bool mayAddBounds(const KernelRow &Row);

/// Makes the kernels of \p Run dynamic that need it and can be.
void chooseDynamic(MergedRun &Run, const PlanOptions &Options);

/// Shared memory that a block has on every architecture of \p Options.
uint64_t commonSharedLimit(const PlanOptions &Options);

/// Bytes per block that the arrays of \p Row may take.
uint64_t budgetOf(const KernelRow &Row, const PlanOptions &Options);

/// The largest block of \p K, in threads, as far as anybody knows.
unsigned largestBlock(const KernelPlan &K);
/// What \p A as \p V decides takes of a block of the kernel of \p Rows in which
/// that is most.
uint64_t largestBytes(const PlannedArray &A, const Verdict &V,
                      const std::vector<KernelRow> &Rows);
/// The threads that storage as \p V decides is made for in \p K.
unsigned storageThreads(const Verdict &V, const KernelPlan &K);
/// What launches of \p K ask for in addition, with the largest block.
uint64_t dynamicBytes(const KernelPlan &K);

/// Whether no kernel reaches \p A in several instances of its function.
bool hasOnePlace(const PlannedArray &A);

/// An array that moves as Decision says, which need not be its own.
struct Mover {
  const PlannedArray *Array;
  const Verdict *Decision;
};

/// What one warp needs for any instance of \p A, aligned to places.
uint64_t warpBytesOf(const PlannedArray &A, const Verdict &V);

/// What the arrays that move take of kernel \p Row, as they are.
std::vector<Mover> moversOf(const std::vector<PlannedArray> &Arrays,
                            unsigned Row);
/// Bytes of a block of kernel \p Row that \p Movers take, which it reaches,
/// each in storage for \p Threads threads.
uint64_t bytesTogether(llvm::ArrayRef<Mover> Movers, unsigned Row,
                       llvm::function_ref<unsigned(const Verdict &)> Threads);

/// Gives the dynamic arrays among \p Arrays their places.
/// \returns the bytes of a warp's part, by kernel.
std::vector<uint64_t> placeDynamic(std::vector<PlannedArray> &Arrays,
                                   unsigned KernelCount);

/// Takes back what does not pay, and gives the rest the best layouts.
void chooseProfitable(MergedRun &Run, const PlanOptions &Options);

/// Takes back the dynamic arrays for which their group has no room.
void fitDynamic(MergedRun &Run, const PlanOptions &Options);

/// The verdict of an array as far as it depends on neither kernels nor budget:
/// nothing when it may move.
std::optional<Verdict> verdictOfArray(const PlannedArray &A);

/// The verdict of an array as far as it does not depend on the budget: nothing
/// when it may move.
std::optional<Verdict> verdictBeforeBudget(const PlannedArray &A,
                                           const std::vector<KernelRow> &Rows);

/// What was decided about one array, be it by default.
struct Wish {
  Layout Wanted = Layout::Auto;
  const ArrayDecision *Decision = nullptr; ///< Nothing: a default.
};

/// Finds the arrays of \p Run that \p Options speaks of (Decide.cpp).
/// \returns a wish per array; \p Outcomes gets a row per decision, with the
/// array, or why there is none.
std::vector<Wish> findWishes(const MergedRun &Run, const PlanOptions &Options,
                             std::vector<DecisionOutcome> &Outcomes);

/// The verdict \p V of \p A before the budget (nothing when it may move),
/// after \p W was asked whether it has to stay.
std::optional<Verdict> heedKeep(std::optional<Verdict> V, const PlannedArray &A,
                                const Wish &W);

/// Makes a slot of the stripe \p V where \p W asks for one.
void heedLayout(Verdict &V, const Wish &W);

/// The verdict \p V of \p A before the budget, or the one to unroll loops, if
/// \p Options asks for that, it may help, and \p W leaves it open
/// (Unroll.cpp).
std::optional<Verdict> heedUnrolling(std::optional<Verdict> V,
                                     const PlannedArray &A,
                                     const PlanOptions &Options, const Wish &W);

/// Says of the outcomes of \p P what came of them.
void settleOutcomes(Plan &P);

/// Gives the kernels of \p P whose launches are edited their carve-outs, and
/// says what came of the decisions about that (Carveout.cpp).
void chooseCarveouts(Plan &P, const PlanOptions &Options);

/// The form of a stripe of \p A that takes the fewest bytes (Layout.cpp).
StripeForm smallestForm(const PlannedArray &A);

/// Accesses of \p A weighted by loop depth and by how much local memory
/// suffers from their indices.
double benefitOf(const PlannedArray &A);

/// Shared memory for \p Candidates (indices of \p Arrays, each with the verdict
/// that it gets when there is room for it) out of \p Budgets, in bytes per
/// block and parallel to \p Rows. Those without room get the reason OverBudget.
void fitIntoBudget(std::vector<PlannedArray> &Arrays,
                   const std::vector<unsigned> &Candidates,
                   const std::vector<KernelRow> &Rows,
                   std::vector<uint64_t> Budgets);

} // namespace bankstripe

#endif
