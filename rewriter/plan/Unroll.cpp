//===-- Unroll.cpp - arrays that a pragma brings into registers -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers cost no shared memory and are faster than it, so where unrolling
// loops is all that an array needs, it comes before every move. But it is a
// change to code that has nothing to do with memory, and makes a kernel longer,
// so it is only carried out when asked for (`--unroll`). Without, the verdict
// is what it would be anyway, and the loops go with it as advice.
//
// What the user said about the array comes first: NOLINT, a decision to keep
// it, or to give it a stripe or a slot.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

std::vector<CountedLoop> bankstripe::loopsToUnroll(const PlannedArray &A,
                                                   const MergedRun &Run,
                                                   const PlanOptions &Options) {
  std::vector<CountedLoop> Result;
  if (!A.Evidence.Unroll || Options.NotUnrolled.count(A.Array.Where))
    return Result;
  for (const Place &Where : A.Evidence.Unroll->Loops) {
    auto It = Run.Loops.find(Where);
    if (It == Run.Loops.end() || It->second.MostTrips == 0 ||
        !Run.Contents.count(Where.File))
      return {}; // Another unit, or another instantiation, sees it differently.
    Result.push_back(It->second);
  }
  return Result;
}

// Whether V leaves it open where the array lies.
static bool mayUnroll(const std::optional<Verdict> &V) {
  if (!V)
    return true;
  switch (V->Why) {
  case Reason::Nolint:
  case Reason::DecidedKeep:
  case Reason::ConstantTable:
  case Reason::NeverUsed:
  case Reason::StaysInRegisters:
    return false;
  default:
    return true;
  }
}

std::optional<Verdict> bankstripe::heedUnrolling(std::optional<Verdict> V,
                                                 const PlannedArray &A,
                                                 const MergedRun &Run,
                                                 const PlanOptions &Options,
                                                 const Wish &W) {
  const bool AsksToMove =
      W.Decision && (W.Wanted == Layout::Stripe || W.Wanted == Layout::Slot);
  if (!Options.Unroll || AsksToMove || W.Wanted == Layout::Keep ||
      !mayUnroll(V))
    return V;
  std::vector<CountedLoop> Loops = loopsToUnroll(A, Run, Options);
  if (Loops.empty())
    return V;
  Verdict Unrolled;
  Unrolled.Kind = infoOf(Reason::UnrolledLoop).Verdict;
  Unrolled.Why = Reason::UnrolledLoop;
  Unrolled.Where = A.Array.Where;
  Unrolled.Unroll = std::move(Loops);
  return Unrolled;
}

void bankstripe::adviseUnrolling(MergedRun &Run, const PlanOptions &Options) {
  for (PlannedArray &A : Run.Arrays)
    if (mayUnroll(A.Decision))
      A.Decision.Unroll = loopsToUnroll(A, Run, Options);
}
