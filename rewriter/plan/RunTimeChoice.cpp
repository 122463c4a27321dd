//===-- RunTimeChoice.cpp - kernels that launches decide about ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What decides whether an array should move stands in no source: how many lanes
// are active, what the L1 holds, which GPU it is. So a kernel keeps its text,
// and gets a version beside it (plan/Versions.cpp) in which arrays move. Its
// launches time both (runtime/device/bankstripe_choose.cuh).
//
// What fewer resident warps cost depends on the grid, which each launch knows.
// So a kernel that would lose by them gets a version, too, if it gains in grids
// whose blocks are all resident in that; launches of larger ones run the
// original.
//
// Kernels that call the same functions would move the arrays of these together.
// Where one would lose by that, it calls the functions as they are, and the
// others copies of them.
//
//===----------------------------------------------------------------------===//

#include "plan/RunTimeChoice.h"
#include "plan/FunctionCopies.h"
#include "plan/Versions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"

using namespace bankstripe;

// An array of a function that moves by the plan without choices, and cannot in
// a version of kernel Row, which calls the function as it is.
static const ReachedArray *arrayToLose(unsigned Row, const MergedRun &Run,
                                       const FunctionCopies &Copies,
                                       const Plan &Otherwise) {
  for (const auto &[A, Planned] : llvm::zip(Run.Arrays, Otherwise.Arrays))
    if (llvm::is_contained(A.Kernels, Row) && !A.Array.Function.IsKernel &&
        Planned.Verdict.usesShared() &&
        !Copies.leadTo(Run.Kernels[Row].Facts, A.Array))
      return &A;
  return nullptr;
}

// Why kernel Row of Run does not choose; empty if it does.
static std::string whyNot(unsigned Row, const MergedRun &Run,
                          const PlanOptions &Options,
                          const FunctionCopies &Copies, const Plan &Otherwise) {
  const MergedKernel &K = Run.Kernels[Row];
  const auto Arrays = movableIn(Row, Run);
  if (Arrays.empty())
    return "an instance of it has no array that could move";
  if (std::string Why = whyNoVersion(K, Options); !Why.empty())
    return "it has no version: " + Why;
  for (const ReachedArray *A : Arrays)
    if (Run.Wishes[A - Run.Arrays.data()].Decision)
      return "it is decided what becomes of '" + A->Array.Name + "'";
  if (const ReachedArray *A = arrayToLose(Row, Run, Copies, Otherwise))
    return "a version of it would lack '" + A->Array.Name + "'";
  return "";
}

MergedRun bankstripe::chooseAtRunTime(MergedRun Run, const PlanOptions &Options,
                                      const Plan &Otherwise) {
  const FunctionCopies Copies(Run);
  std::map<TextRange, std::string> WhyNot; // Instances share their text.
  for (unsigned Row = 0; Row < Run.Kernels.size(); ++Row)
    if (std::string Why = whyNot(Row, Run, Options, Copies, Otherwise);
        !Why.empty())
      WhyNot.try_emplace(textOf(Run.Kernels[Row]), std::move(Why));
  for (auto [Row, K] : llvm::enumerate(Run.Kernels)) {
    const auto Why = WhyNot.find(textOf(K));
    K.Chooses = Why == WhyNot.end();
    if (!K.Chooses && !movableIn(Row, Run).empty())
      K.WhyNoChoice = Why->second;
  }
  return Run;
}

// --- Grids whose blocks are all resident -------------------------------------

/// Texts of kernels, which instances share.
using Texts = std::set<TextRange>;

static Texts textsOfMoving(const Plan &P) {
  Texts Result;
  for (const KernelPlan &K : P.Kernels)
    if (K.MovesArrays)
      Result.insert(K.Facts.Text.Definition);
  return Result;
}

static MergedRun marked(MergedRun Run, const Texts &Marked) {
  for (MergedKernel &K : Run.Kernels)
    K.WhereResident = Marked.count(textOf(K)) != 0;
  return Run;
}

// Kernels that move nothing by P because nothing pays, and can have versions.
static Texts textsToTry(const MergedRun &Run, const PlanOptions &Options,
                        const Plan &P) {
  Texts Result;
  for (const PlannedArray &A : P.Arrays)
    if (A.Verdict.Why == Reason::NotProfitable)
      for (unsigned Row : A.Kernels)
        Result.insert(textOf(Run.Kernels[Row]));
  for (const MergedKernel &K : Run.Kernels)
    if (K.Chooses || !whyNoVersion(K, Options).empty())
      Result.erase(textOf(K));
  for (const TextRange &Text : textsOfMoving(P))
    Result.erase(Text);
  return Result;
}

Plan bankstripe::decideWhereResident(
    const MergedRun &Run, const PlanOptions &Options, Plan Otherwise,
    llvm::function_ref<Plan(MergedRun)> PlanOf) {
  for (Texts Tried = textsToTry(Run, Options, Otherwise); !Tried.empty();) {
    Plan P = PlanOf(marked(Run, Tried));
    const Texts Moving = textsOfMoving(P);
    if (llvm::set_is_subset(Tried, Moving))
      return P;
    llvm::set_intersect(Tried, Moving); // There are fewer each time.
  }
  return Otherwise;
}

static std::set<Place> movedBy(const Plan &P) {
  std::set<Place> Result;
  for (const PlannedArray &A : P.Arrays)
    if (A.Verdict.usesShared())
      Result.insert(A.Array.Where);
  return Result;
}

MergedRun bankstripe::freeOthers(MergedRun Run, Plan &P,
                                 llvm::function_ref<Plan(MergedRun)> PlanOf) {
  MergedRun Marked = Run;
  for (Plan Now = P;;) {
    Texts More; // Until there are none.
    for (const auto &[K, Planned] : llvm::zip(Marked.Kernels, Now.Kernels))
      if (Planned.HoldsOthers && !K.CallsOriginals)
        More.insert(textOf(K));
    if (More.empty())
      return Run;
    for (MergedKernel &K : Marked.Kernels)
      K.CallsOriginals |= More.count(textOf(K)) != 0;
    Now = PlanOf(Marked);
    const auto Before = movedBy(P), After = movedBy(Now);
    if (After != Before && llvm::set_is_subset(Before, After)) {
      Run = Marked;
      P = Now;
    }
  }
}
