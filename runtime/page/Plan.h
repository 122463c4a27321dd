//===-- Plan.h - what the rewriter says of a program ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of `bankstripe rewrite --format=json` that the HTML report shows
// (docs/json.md describes it). bankstripe-verify knows nothing else of the
// rewriter.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PAGE_PLAN_H
#define BANKSTRIPE_PAGE_PLAN_H

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace bankstripe::runtime {

struct PlannedPlace {
  std::string File;
  unsigned Line = 0; ///< 0 when there is no place.
};

/// A private array and what became of it.
struct PlannedArray {
  std::string Name, Function, Type;
  PlannedPlace Where, ReasonWhere;
  std::string Index;           ///< Over the lanes of a warp.
  std::string Verdict, Reason; ///< Ids.
  std::string Message, Detail, Advice;
  std::string Form, Storage;           ///< Of an array that moves; else empty.
  std::optional<uint64_t> SharedBytes; ///< Per block, of one that moves.
  /// Whether something is done about it.
  bool changes() const;
};

/// What one array costs in a predicted state.
struct PredictedArray {
  std::string Name;
  bool Moved = false;
  double Issue = 0, Latency = 0; ///< Cycles; the latency of one warp alone.
  std::optional<double> HitRate; ///< In the L1; none for shared memory.
};

/// A kernel as the model sees it, before or after.
struct PredictedState {
  double Time = 0, Issue = 0, Wait = 0; ///< Cycles per warp.
  unsigned Warps = 0;                   ///< Resident on a multiprocessor.
  std::string Limiter;
  double FirstLevelCacheBytes = 0;
  std::vector<PredictedArray> Arrays;
};

/// Something else that was considered.
struct ConsideredChange {
  std::string What;
  double Speedup = 1, Low = 1, High = 1;
};

/// The terms of a prediction (docs/explain.md).
struct PlannedTerms {
  bool Taken = false;
  double Speedup = 1, Low = 1, High = 1;
  double Price = 1, Gain = 1;
  double Agreeing = 1, Random = 1;
  double Worst = 1;
  std::string WorstIf;
  double CodeGrowth = 1, ModelError = 1;
  unsigned GuessedLoops = 0;
  PredictedState Before, After;
  std::vector<ConsideredChange> Considered;
};

struct PlannedKernel {
  std::string Name;        ///< As the source calls it.
  std::string MangledName; ///< As a recording does.
  std::string BlockSize;   ///< A bound on it and its origin, in words.
  uint64_t SharedBefore = 0, SharedAfter = 0; ///< Bytes per block.
  std::optional<unsigned> WarpsBefore, WarpsAfter;
  std::optional<PlannedTerms> Terms;
};

struct ChangedSource {
  std::string File;
  std::string Diff; ///< Unified.
};

struct HtmlPlan {
  std::vector<PlannedArray> Arrays;
  std::vector<PlannedKernel> Kernels;
  std::vector<ChangedSource> Changes;
};

/// What is wrong with a plan, for a message.
struct PlanError {
  std::string Message;
};

/// Reads what `bankstripe rewrite --format=json` printed. Names that are not
/// known are passed over, as is whatever is missing.
std::variant<HtmlPlan, PlanError> parsePlan(const std::string &Text);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_PAGE_PLAN_H
