//===-- Plan.cpp - from findings and evidence to verdicts -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Plan.h"
#include "plan/PlanInternal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace bankstripe;

static Verdict verdict(Reason Why, const Place &Where,
                       std::string Detail = "") {
  Verdict V;
  V.Kind = infoOf(Why).Verdict;
  V.Why = Why;
  V.Where = Where;
  V.Detail = std::move(Detail);
  return V;
}

// What the user said comes first, then what makes a change needless, then what
// makes it impossible, in source order.
std::optional<Verdict>
bankstripe::verdictBeforeBudget(const PlannedArray &A,
                                const std::vector<KernelRow> &Rows) {
  const Finding &F = A.Array;
  for (const Obstacle &O : F.Obstacles)
    if (O.Why == Reason::Nolint)
      return verdict(O.Why, O.Where, O.Detail);
  // The evidence cannot tell a table in constant storage from registers.
  const bool AllConstant =
      llvm::all_of(F.Uses, [](const Use &U) { return U.ConstantIndex; });
  if (F.NeverWritten && !AllConstant)
    return verdict(Reason::ConstantTable, F.Where);
  if (F.Uses.empty() && F.Obstacles.empty())
    return verdict(Reason::NeverUsed, F.Where);
  if (A.Evidence.Where == Residency::Registers)
    return verdict(Reason::StaysInRegisters, F.Where);
  if (F.Obstacles.empty() && A.Evidence.Where == Residency::Unknown)
    return verdict(Reason::NoEvidence, F.Where);
  if (!F.Obstacles.empty()) {
    // Outside the given paths nothing else matters.
    auto It = llvm::find_if(F.Obstacles, [](const Obstacle &O) {
      return O.Why == Reason::OutsidePaths;
    });
    const Obstacle &O = It == F.Obstacles.end() ? F.Obstacles.front() : *It;
    return verdict(O.Why, O.Where, O.Detail);
  }
  if (A.Kernels.size() != 1)
    return verdict(A.Kernels.empty() ? Reason::InTemplate
                                     : Reason::TranslationUnitsDiffer,
                   F.Where);
  return Rows[A.Kernels.front()].Obstacle;
}

static void setOccupancy(KernelPlan &K, uint64_t Dynamic,
                         const PlanOptions &Options) {
  K.WarpsBefore = residentWarps(Options.GpuArch, K.BlockThreads, K.Registers,
                                K.SharedBefore + Dynamic);
  K.WarpsAfter = residentWarps(Options.GpuArch, K.BlockThreads, K.Registers,
                               K.SharedAfter + Dynamic);
}

// A variable after ours may have to be aligned to 16 bytes.
static uint64_t budgetOf(const KernelRow &Row) {
  uint64_t Used = (Row.Plan.SharedBefore + 15) / 16 * 16 +
                  (Row.DynamicSharedBytes + 15) / 16 * 16;
  return Used < StaticSharedLimit ? StaticSharedLimit - Used : 0;
}

// Puts arrays and kernels into the order in which people read them.
static Plan assemble(MergedRun Run) {
  Plan P;
  std::vector<unsigned> Order(Run.Kernels.size());
  for (unsigned I = 0; I < Order.size(); ++I)
    Order[I] = I;
  llvm::sort(Order, [&](unsigned A, unsigned B) {
    const Kernel &X = Run.Kernels[A].Plan.Facts, &Y = Run.Kernels[B].Plan.Facts;
    return std::tie(X.Where, X.Id) < std::tie(Y.Where, Y.Id);
  });
  std::vector<unsigned> NewIndex(Order.size());
  for (unsigned I = 0; I < Order.size(); ++I) {
    NewIndex[Order[I]] = I;
    P.Kernels.push_back(std::move(Run.Kernels[Order[I]].Plan));
  }
  for (PlannedArray &A : Run.Arrays)
    for (unsigned &K : A.Kernels)
      K = NewIndex[K];
  llvm::sort(Run.Arrays, [](const PlannedArray &A, const PlannedArray &B) {
    return A.Array.Where < B.Array.Where;
  });
  P.Arrays = std::move(Run.Arrays);
  P.Contents = std::move(Run.Contents);
  return P;
}

Plan bankstripe::makePlan(std::vector<UnitResult> Units,
                          const PlanOptions &Options) {
  MergedRun Run = mergeUnits(std::move(Units));
  for (KernelRow &Row : Run.Kernels)
    boundBlockSize(Row, Options);

  std::vector<std::vector<unsigned>> Candidates(Run.Kernels.size());
  for (unsigned I = 0; I < Run.Arrays.size(); ++I) {
    PlannedArray &A = Run.Arrays[I];
    if (auto V = verdictBeforeBudget(A, Run.Kernels))
      A.Decision = std::move(*V);
    else
      Candidates[A.Kernels.front()].push_back(I);
  }
  for (unsigned I = 0; I < Run.Kernels.size(); ++I) {
    KernelRow &Row = Run.Kernels[I];
    uint64_t Taken = fitIntoBudget(Run.Arrays, Candidates[I],
                                   Row.Plan.BlockThreads, budgetOf(Row));
    Row.Plan.SharedAfter = Row.Plan.SharedBefore + Taken;
    Row.Plan.AddLaunchBounds &= Taken != 0;
    setOccupancy(Row.Plan, Row.DynamicSharedBytes, Options);
  }
  return assemble(std::move(Run));
}

void bankstripe::withdraw(Plan &P, unsigned KernelIndex, Reason Why,
                          const std::string &Detail) {
  KernelPlan &K = P.Kernels[KernelIndex];
  for (PlannedArray &A : P.Arrays)
    if (A.Decision.Kind == VerdictKind::Stripe &&
        llvm::is_contained(A.Kernels, KernelIndex))
      A.Decision = verdict(Why, A.Array.Where, Detail);
  K.SharedAfter = K.SharedBefore;
  K.WarpsAfter = K.WarpsBefore;
  K.AddLaunchBounds = false;
}
