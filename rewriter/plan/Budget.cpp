//===-- Budget.cpp - the subset of arrays that fits -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choosing arrays under a budget of bytes is a knapsack; with a handful of
// arrays, taking them by benefit per byte is as good in practice and easy to
// follow in a report. An array of a __device__ function takes its bytes from
// every kernel that reaches it, once per instantiation. Moving an array at all
// is worth far more than the form that it moves in (docs/design.md, section 2:
// a factor of 4 against 1.2), so all arrays are first tried in their smallest
// form, and what is left of the budget then widens the best of them. Where a
// decision asks for the move of an array, it comes before all others.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace bankstripe;

// A loop is taken to run ten times; beyond four levels nobody knows better.
static constexpr double LoopWeight = 10;
static constexpr unsigned DeepestLoop = 4;
// Local memory answers non-uniform indices 4 to 60 times slower than uniform
// ones (docs/design.md, section 2); the low end is on the safe side.
static constexpr double NonUniformWeight = 4;

double bankstripe::benefitOf(const PlannedArray &A) {
  auto Weight = [](unsigned Depth) {
    return std::pow(LoopWeight, std::min(Depth, DeepestLoop));
  };
  double Benefit = 0;
  for (const Use &U : A.Array.Uses)
    Benefit +=
        Weight(U.LoopDepth) * (U.Access == AccessKind::ReadWrite ? 2 : 1);
  for (unsigned Depth : A.Array.OtherDepths)
    Benefit += Weight(Depth);
  if (A.Evidence.Index == Uniformity::NonUniform)
    Benefit *= NonUniformWeight;
  return Benefit;
}

namespace {

/// Hands out the shared memory of all kernels.
class BudgetFitter {
public:
  BudgetFitter(std::vector<PlannedArray> &Arrays,
               const std::vector<KernelRow> &Rows,
               std::vector<uint64_t> Budgets)
      : Arrays(Arrays), Rows(Rows), Budgets(std::move(Budgets)) {}

  void fit(const std::vector<unsigned> &Candidates);

private:
  uint64_t takenOf(unsigned Row, std::optional<Mover> With) const;
  std::optional<unsigned> fullRow(const PlannedArray &A,
                                  const Verdict &V) const;
  void refuse(PlannedArray &A, unsigned Row);
  void widen(PlannedArray &A);

  std::vector<PlannedArray> &Arrays;
  const std::vector<KernelRow> &Rows;
  std::vector<uint64_t> Budgets; ///< Bytes, by row.
  std::vector<unsigned> Chosen;  ///< Indices of Arrays.
};

} // namespace

std::vector<Mover> bankstripe::moversOf(const std::vector<PlannedArray> &Arrays,
                                        unsigned Row) {
  std::vector<Mover> Movers;
  for (const PlannedArray &A : Arrays)
    if (A.Decision.usesShared() && llvm::is_contained(A.Kernels, Row))
      Movers.push_back({&A, &A.Decision});
  return Movers;
}

uint64_t bankstripe::bytesTogether(
    llvm::ArrayRef<Mover> Movers, unsigned Row,
    llvm::function_ref<unsigned(const Verdict &)> Threads) {
  uint64_t Bytes = 0;
  for (const Mover &M : Movers)
    for (size_t I = 0; I < M.Array->Array.Instances.size(); ++I)
      if (llvm::is_contained(M.Array->InstanceKernels[I], Row))
        Bytes += sharedBytes(M.Array->Array.Instances[I], *M.Decision,
                             Threads(*M.Decision));
  return Bytes;
}

// What A takes from kernel Row: all instances that it reaches.
static uint64_t bytesIn(const PlannedArray &A, const Verdict &V, unsigned Row,
                        const std::vector<KernelRow> &Rows) {
  const unsigned Threads = storageThreads(V, Rows[Row].Plan);
  uint64_t Bytes = 0;
  for (size_t I = 0; I < A.Array.Instances.size(); ++I)
    if (llvm::is_contained(A.InstanceKernels[I], Row))
      Bytes += sharedBytes(A.Array.Instances[I], V, Threads);
  return Bytes;
}

uint64_t bankstripe::largestBytes(const PlannedArray &A, const Verdict &V,
                                  const std::vector<KernelRow> &Rows) {
  uint64_t Bytes = 0;
  for (unsigned Row : A.Kernels)
    Bytes = std::max(Bytes, bytesIn(A, V, Row, Rows));
  return Bytes;
}

// What the chosen arrays take from kernel Row, where With replaces its own
// decision or is one more.
uint64_t BudgetFitter::takenOf(unsigned Row, std::optional<Mover> With) const {
  std::vector<Mover> Movers;
  for (unsigned I : Chosen)
    if (const PlannedArray &A = Arrays[I];
        llvm::is_contained(A.Kernels, Row) && (!With || With->Array != &A))
      Movers.push_back({&A, &A.Decision});
  if (With)
    Movers.push_back(*With);
  return bytesTogether(Movers, Row, [&](const Verdict &V) {
    return storageThreads(V, Rows[Row].Plan);
  });
}

// A kernel that has no room for A in the form of V.
std::optional<unsigned> BudgetFitter::fullRow(const PlannedArray &A,
                                              const Verdict &V) const {
  for (unsigned Row : A.Kernels)
    if (takenOf(Row, Mover{&A, &V}) > Budgets[Row])
      return Row;
  return std::nullopt;
}

// Says that A has no place in kernel Row.
void BudgetFitter::refuse(PlannedArray &A, unsigned Row) {
  Verdict &V = A.Decision;
  const auto &Unbounded = Rows[Row].Unbounded;
  const std::string Need =
      std::to_string(bytesIn(A, V, Row, Rows)) + " bytes per block" +
      (Unbounded ? " of 1024 threads, " : ", ") +
      std::to_string(Budgets[Row] - takenOf(Row, std::nullopt)) + " are left";
  V.Kind = VerdictKind::Keep;
  V.Why = Unbounded ? Unbounded->Why : Reason::OverBudget;
  V.Where = Unbounded ? Unbounded->Where : A.Array.Where;
  V.Detail = Unbounded ? Unbounded->Detail +
                             "; its launches would have to bring " + Need
                       : "it needs " + Need;
  if (!Rows[Row].WhyStatic.empty())
    V.Detail += "; launches cannot bring more: " + Rows[Row].WhyStatic;
  V.SharedBytes = 0;
}

// What is left of the budget widens a packed stripe.
void BudgetFitter::widen(PlannedArray &A) {
  Verdict Wide = A.Decision;
  Wide.Form = StripeForm::Wide;
  if (fullRow(A, Wide))
    return;
  Wide.SharedBytes = largestBytes(A, Wide, Rows);
  A.Decision = Wide;
}

void BudgetFitter::fit(const std::vector<unsigned> &Candidates) {
  // What was asked for first, then the best.
  std::vector<std::tuple<bool, double, unsigned>> Order;
  for (unsigned I : Candidates) {
    PlannedArray &A = Arrays[I];
    A.Decision.Benefit = benefitOf(A);
    A.Decision.SharedBytes = largestBytes(A, A.Decision, Rows);
    Order.emplace_back(!A.Decision.Asked,
                       -A.Decision.Benefit / double(A.Decision.SharedBytes), I);
  }
  llvm::sort(Order);

  for (auto [Last, Density, I] : Order) {
    PlannedArray &A = Arrays[I];
    Verdict &V = A.Decision;
    if (auto Row = fullRow(A, V)) {
      refuse(A, *Row);
      continue;
    }
    Chosen.push_back(I);
  }
  for (unsigned I : Chosen)
    if (const Verdict &V = Arrays[I].Decision;
        V.Kind == VerdictKind::Stripe &&
        (V.Form == StripeForm::Packed || V.Form == StripeForm::Unpacked))
      widen(Arrays[I]);
}

void bankstripe::fitIntoBudget(std::vector<PlannedArray> &Arrays,
                               const std::vector<unsigned> &Candidates,
                               const std::vector<KernelRow> &Rows,
                               std::vector<uint64_t> Budgets) {
  BudgetFitter(Arrays, Rows, std::move(Budgets)).fit(Candidates);
}
