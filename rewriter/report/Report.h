//===-- Report.h - what a person or a machine reads -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last arrow of the pipeline: the plan as text with source lines and
// carets, as JSON (docs/json.md), and as a unified diff. Sarif.h has one more
// form.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPORT_REPORT_H
#define BANKSTRIPE_REPORT_REPORT_H

#include "edit/Edit.h"
#include "model/Plan.h"
#include "llvm/Support/JSON.h"

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

/// The same as JSON; null when nothing was predicted.
llvm::json::Value explanationToJson(const KernelPlan &K);

/// Warns of the decisions of \p P that are stale or unfulfilled, each at its
/// place in the decisions file; a verbose report names the skipped ones too.
void printDecisions(llvm::raw_ostream &OS, const Plan &P, Detail Level);

/// The plan as JSON; the schema is described in docs/json.md.
llvm::json::Value toJson(const Plan &P, const ConfirmedResources &Resources);

/// One of its arrays.
llvm::json::Object arrayToJson(const Plan &P, const PlannedArray &A);

/// Prints a unified diff with three lines of context, `a/` and `b/` before
/// \p Name, as `git apply` and `patch -p1` take it. Nothing when both are
/// equal.
void printDiff(llvm::raw_ostream &OS, llvm::StringRef Name,
               llvm::StringRef Before, llvm::StringRef After);

/// For each line of \p After, the number (from 1) of the line of \p Before that
/// it is or stands for: one that was added, the one before it.
std::vector<unsigned> originalLines(llvm::StringRef Before,
                                    llvm::StringRef After);

} // namespace bankstripe

#endif
