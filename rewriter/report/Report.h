//===-- Report.h - the plan for people and programs -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last arrow of the pipeline: the plan as text with source lines and carets
// (Text.cpp), as JSON (Json.cpp), as a log of SARIF 2.1.0, the Static Analysis
// Results Interchange Format, for code hosts and editors (Sarif.cpp), and what
// changes as diffs (Diff.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPORT_REPORT_H
#define BANKSTRIPE_REPORT_REPORT_H

#include "edit/Edit.h"
#include "model/Plan.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

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

/// `'a.cu'` or `'a.cu' (and 2 other files)`.
std::string namesOf(llvm::ArrayRef<std::string> Files);

/// Makes \p File, a real path, `<stdin>` to people from now on.
void showAsStandardInput(std::string File);
/// \p Text with the name of that file as people see it.
std::string withDisplayNames(llvm::StringRef Text);

/// Prints the plan for people: a diagnostic per array and a table row per
/// kernel. Colours when \p OS has them. \p PathsGiven: the user says which
/// files change, and may say so of others.
void printText(llvm::raw_ostream &OS, const Plan &P,
               const ConfirmedResources &Resources, Detail Level,
               bool PathsGiven = true);

/// Warns of the decisions of \p P that are stale or unfulfilled, each at its
/// place in the decisions file; a verbose report names the skipped ones too.
void printDecisions(llvm::raw_ostream &OS, const Plan &P, Detail Level);

// What is said of an array, in lower case and without a period, as messages
// are.

/// What becomes of an array with a verdict for \p R: "moves to a stripe in
/// shared memory".
llvm::StringRef outcomeOf(Reason R);

/// Whether the user has to act before an array with a verdict for \p R can
/// move, or must not be as it is: a warning. All else is a remark.
bool needsAction(Reason R);

/// Whether \p A is worth a warning: a kernel reaches it, and the user has to
/// act.
bool isWarning(const PlannedArray &A);

/// Whether an array of this verdict is left in local memory.
inline bool staysAsItIs(VerdictKind Kind) {
  return Kind == VerdictKind::Unchanged || Kind == VerdictKind::Unsupported;
}

/// "per-thread array 'a' (int[16], 64 bytes per thread) moves to a stripe in
/// shared memory: its dynamic indices force it into local memory"
std::string headline(const PlannedArray &A);

/// "launch with 256 threads fails: the launch bounds of kernel 'k' allow 128"
std::string failureText(const KernelPlan &K, unsigned Threads);

/// "it takes 8192 bytes of shared memory per block; index uniform"
std::string cost(const PlannedArray &A);

/// "1.23 (0.95 to 1.60)", and where that holds if not everywhere, of a kernel
/// with a prediction.
std::string predictionText(const KernelPlan &K);

/// "1 byte", "2 bytes".
std::string countOf(uint64_t Count, llvm::StringRef Name);

/// "NVIDIA H200 (sm_90)", to whose timings predictions are fitted, if \p P is
/// for another architecture; else empty.
std::string otherFittedGpu(const Plan &P);

/// Prints what became of \p File as a unified diff with three lines of context,
/// `a/` and `b/` before \p Name, as `git apply` and `patch -p1` take it.
/// Nothing when nothing did.
void printDiff(llvm::raw_ostream &OS, llvm::StringRef Name,
               const ChangedFile &File);

/// \p Text, with what is not UTF-8 repaired, as JSON has to be.
llvm::json::Value jsonText(llvm::StringRef Text);

/// The plan as JSON, with the diff of each of \p Changes; the schema is
/// described in docs/reference/json.md.
llvm::json::Value toJson(const Plan &P, const ConfirmedResources &Resources,
                         llvm::ArrayRef<ChangedFile> Changes = {});

/// A page of docs/reference/reasons/, which is compiled in as text, so that the
/// program and the documents say the same.
struct ReasonPage {
  llvm::StringRef Id;   ///< As in ReasonInfo.
  llvm::StringRef Text; ///< Markdown, with a newline at its end.
};

/// All pages, by id.
llvm::ArrayRef<ReasonPage> reasonPages();

/// What went wrong while a file was processed.
struct Problem {
  std::string File; ///< Empty when it is about no file alone.
  std::string Message;
};

/// What a log says of the run itself.
struct SarifRun {
  std::string Version;      ///< `0.2.0`.
  std::string DocumentsUrl; ///< Where docs/ can be read; empty: nowhere.
  /// Files below this folder are named relative to it. Absolute, without links.
  std::string Root;
  int ExitCode = 0;
  bool Succeeded = true;
  std::vector<Problem> Problems;
  /// Quiet: only what would change.
  Detail Level = Detail::Normal;
};

/// The log for \p P.
llvm::json::Value toSarif(const Plan &P, const SarifRun &Run);

} // namespace bankstripe

#endif
