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
// so it is only carried out when asked for (`--unroll`). Whether the frame went
// is for ptxas to say (tool/Confirm.cpp); what it takes back comes here as
// PlanOptions::NotUnrolled.
//
// What the user said about the array comes first: NOLINT, a decision to keep
// it, or to give it a stripe or a slot.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

// The words of the largest array. A thread has at most 255 registers, and the
// fewer the threads of a multiprocessor need, the more of them run. An array of
// 64 words leaves the kernel with about a hundred registers, 16 to 20 warps of
// 64, which registers make good; a larger one would be spilled, to local memory
// again.
static constexpr unsigned MostWords = 64;
// The turns of the longest loop: one for each byte of the largest array.
static constexpr unsigned MostTurns = MostWords * 4;

static bool mayFitIntoRegisters(const PlannedArray &A) {
  return A.Evidence.Where == Residency::LocalMemory &&
         A.Evidence.Index != Uniformity::NonUniform &&
         A.Evidence.ResidentBytes <= MostWords * 4 &&
         !A.Array.LeadingLoops.empty() &&
         llvm::all_of(A.Array.LeadingLoops, [](const CountedLoop &L) {
           return L.MostTrips <= MostTurns;
         });
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
                                                 const PlanOptions &Options,
                                                 const Wish &W) {
  const bool AsksToMove =
      W.Decision && (W.Wanted == Layout::Stripe || W.Wanted == Layout::Slot);
  if (!Options.Unroll || AsksToMove || W.Wanted == Layout::Keep ||
      !mayUnroll(V) || Options.NotUnrolled.count(A.Array.Where) ||
      !mayFitIntoRegisters(A))
    return V;
  Verdict Unrolled;
  Unrolled.Kind = infoOf(Reason::UnrolledLoop).Verdict;
  Unrolled.Why = Reason::UnrolledLoop;
  Unrolled.Where = A.Array.Where;
  Unrolled.Unroll = A.Array.LeadingLoops;
  return Unrolled;
}
