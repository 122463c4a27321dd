//===-- Text.h - the plan for people ----------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last arrow of the pipeline: the plan as text with source lines and
// carets. Json.h, Sarif.h and Diff.h have its other forms.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPORT_TEXT_H
#define BANKSTRIPE_REPORT_TEXT_H

#include "model/Plan.h"

namespace bankstripe {

/// What ptxas said before and after, per kernel; either may be empty.
struct ConfirmedResources {
  ResourceTable Before;
  ResourceTable After;
};

/// How much text is wanted.
enum class Detail { Quiet, Normal, Verbose };

/// The name of \p File as a person in this folder would type it: relative when
/// it lies below, else as it is.
std::string displayName(llvm::StringRef File);

/// Prints the plan for people: a diagnostic per array and a table row per
/// kernel. Colours when \p OS has them. \p Explain: predictions with their
/// terms.
void printText(llvm::raw_ostream &OS, const Plan &P,
               const ConfirmedResources &Resources, Detail Level,
               bool Explain = false);

/// Prints where the prediction for kernel \p K comes from (docs/explain.md).
void printExplanation(llvm::raw_ostream &OS, const KernelPlan &K);

/// Warns of the decisions of \p P that are stale or unfulfilled, each at its
/// place in the decisions file; a verbose report names the skipped ones too.
void printDecisions(llvm::raw_ostream &OS, const Plan &P, Detail Level);

// What is said of an array, in lower case and without a period, as messages
// are.

/// What becomes of an array with a verdict for \p R: "moves to a stripe in
/// shared memory".
llvm::StringRef outcomeOf(Reason R);

/// "per-thread array 'a' (int[16], 64 bytes per thread) moves to a stripe in
/// shared memory: its dynamic indices force it into local memory"
std::string headline(const PlannedArray &A);

/// "it takes 8192 bytes of shared memory per block; index uniform"
std::string cost(const PlannedArray &A);

/// "NVIDIA H200 (sm_90)", to whose timings predictions are fitted, if \p P is
/// for another architecture; else empty.
std::string otherFittedGpu(const Plan &P);

/// "16 iterations"
std::string tripsText(const CountedLoop &L);

} // namespace bankstripe

#endif
