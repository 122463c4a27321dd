//===-- Budget.cpp - the subset of arrays that fits -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choosing the arrays of a kernel under a budget of bytes is a knapsack; with a
// handful of arrays, taking them by benefit per byte is as good in practice and
// easy to follow in a report. Moving an array at all is worth far more than the
// form that it moves in (docs/design.md, section 2: a factor of 4 against 1.2),
// so all arrays are first tried in their smallest form, and what is left of the
// budget then widens the best of them.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace bankstripe;

uint64_t bankstripe::stripeBytes(const Finding &F, StripeForm Form,
                                 unsigned Threads) {
  uint64_t Columns = uint64_t(32) * ((Threads + 31) / 32);
  switch (Form) {
  case StripeForm::Plain:
    return Columns * F.elements() * F.ElementBytes;
  case StripeForm::Wide:
    return Columns * F.elements() * 4;
  case StripeForm::Packed: {
    uint64_t Row = F.Extents.empty() ? 1 : F.Extents.back();
    uint64_t Words = (Row * F.ElementBytes + 3) / 4;
    return Columns * (Row ? F.elements() / Row : 0) * Words * 4;
  }
  }
  return 0;
}

// A loop is taken to run ten times; beyond four levels nobody knows better.
static constexpr double LoopWeight = 10;
static constexpr unsigned DeepestLoop = 4;
// Local memory answers non-uniform indices 4 to 60 times slower than uniform
// ones (docs/design.md, section 2); the low end is on the safe side.
static constexpr double NonUniformWeight = 4;

double bankstripe::benefitOf(const PlannedArray &A) {
  double Benefit = 0;
  for (const Use &U : A.Array.Uses)
    Benefit += std::pow(LoopWeight, std::min(U.LoopDepth, DeepestLoop)) *
               (U.Access == AccessKind::ReadWrite ? 2 : 1);
  if (A.Evidence.Index == Uniformity::NonUniform)
    Benefit *= NonUniformWeight;
  return Benefit;
}

static StripeForm smallestForm(const Finding &F) {
  return F.ElementBytes < 4 ? StripeForm::Packed : StripeForm::Plain;
}

uint64_t bankstripe::fitIntoBudget(std::vector<PlannedArray> &Arrays,
                                   const std::vector<unsigned> &Candidates,
                                   unsigned Threads, uint64_t Budget) {
  std::vector<unsigned> Order = Candidates;
  auto Density = [&](unsigned I) {
    const Finding &F = Arrays[I].Array;
    return benefitOf(Arrays[I]) /
           double(stripeBytes(F, smallestForm(F), Threads));
  };
  llvm::sort(Order, [&](unsigned A, unsigned B) {
    return std::pair(-Density(A), A) < std::pair(-Density(B), B);
  });

  uint64_t Taken = 0;
  std::vector<unsigned> Chosen;
  for (unsigned I : Order) {
    PlannedArray &A = Arrays[I];
    uint64_t Bytes = stripeBytes(A.Array, smallestForm(A.Array), Threads);
    Verdict &V = A.Decision;
    V.Where = A.Array.Where;
    V.Benefit = benefitOf(A);
    if (Taken + Bytes > Budget) {
      V.Kind = VerdictKind::Keep;
      V.Why = Reason::OverBudget;
      V.Detail = "it needs " + std::to_string(Bytes) + " bytes per block, " +
                 std::to_string(Budget - Taken) + " are left";
      continue;
    }
    V.Kind = VerdictKind::Stripe;
    V.Why = Reason::DynamicIndex;
    V.Form = smallestForm(A.Array);
    V.SharedBytes = Bytes;
    Taken += Bytes;
    Chosen.push_back(I);
  }
  for (unsigned I : Chosen) {
    Verdict &V = Arrays[I].Decision;
    if (V.Form != StripeForm::Packed)
      continue;
    uint64_t Wide = stripeBytes(Arrays[I].Array, StripeForm::Wide, Threads);
    if (Taken - V.SharedBytes + Wide > Budget)
      continue;
    Taken += Wide - V.SharedBytes;
    V.Form = StripeForm::Wide;
    V.SharedBytes = Wide;
  }
  return Taken;
}
