//===-- Explanation.h - the terms of a prediction ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prediction (plan/Profit.cpp) taken apart, for people who want to know where
// it comes from (docs/guide/report.md).
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_EXPLANATION_H
#define BANKSTRIPE_MODEL_EXPLANATION_H

#include <cstdint>
#include <string>
#include <vector>

namespace bankstripe {

/// Code that grows by less is not worth a word.
inline constexpr double NotableGrowth = 1.05;
/// Code that shrinks to more has no loops that are no longer unrolled.
inline constexpr double NotableShrinkage = 0.75;

/// The GPU to whose timings the constants of all predictions are fitted, and
/// its architecture.
inline constexpr char FittedGpu[] = "NVIDIA H200";
inline constexpr char FittedArch[] = "sm_90";

/// What a change is expected to do to a kernel's time (plan/Profit.cpp).
struct Prediction {
  double Speedup = 1; ///< Original over rewritten.
  double Low = 1, High = 1;
  double ResourceFactor = 1; ///< What the shared memory itself does to it.
  double AccessFactor = 1;   ///< The rest: Speedup / ResourceFactor.
  /// The speedup if what no source tells is as bad as it may be, and what that
  /// is; empty if that is no worse.
  double Worst = 1;
  std::string WorstIf = {};
  /// How many times as much machine code nvcc makes of it; 1 if about as much.
  double CodeGrowth = 1;
};

/// Cycles for the accesses to one array.
struct ArrayCost {
  std::string Name;
  bool Moved = false; ///< In shared memory, or in registers.
  double Issue = 0;
  double Latency = 0;       ///< Of one warp, with nothing else to do.
  double HitRate = 1;       ///< Of the L1; where it is not moved.
  bool InRegisters = false; ///< As bits, or as ptxas has it without a move.
};

/// A kernel's time, and what it runs with.
struct PredictedState {
  unsigned Warps = 0;         ///< Resident on an SM.
  std::string Limiter;        ///< `registers`, `shared memory`, ...
  double FirstLevelCache = 0; ///< Bytes of the L1 that are left.
  /// Cycles of an SM per warp: what it issues, what it waits for
  /// when the others fill in, and what comes of both.
  double Issue = 0;
  double Wait = 0;
  double Time = 0;
  std::vector<ArrayCost> Arrays;
};

/// Another choice, and what it was predicted to be worth.
struct Alternative {
  std::string What; ///< `without 'seen'`.
  Prediction Predicted;
};

/// What the first elements of an array would take as a stripe, by themselves.
struct SplitCost {
  std::string Name;   ///< Of the array.
  unsigned First = 0; ///< Elements.
  uint64_t Bytes = 0; ///< Of shared memory, per block.
  unsigned Warps = 0; ///< Resident on an SM.
};

/// What decided about a kernel.
struct Explanation {
  PredictedState Before, After;
  Prediction Predicted; ///< Of the best change that was found.
  bool Taken = false;   ///< It is what was decided.
  /// The speedup when all lanes of a warp agree on the indices that cannot be
  /// known, and when these are random.
  double Agreeing = 1, Random = 1;
  /// When the loops of which nobody knows how often they run do so often, and
  /// when seldom (the guesses of evidence/BlockWeights).
  double Often = 1, Seldom = 1;
  double ModelError = 1;     ///< A factor to both sides.
  unsigned GuessedLoops = 0; ///< Of which nobody knows how often they run.
  std::vector<Alternative> Alternatives; ///< The best first.
  std::vector<SplitCost> Splits;         ///< Array by array.
};

} // namespace bankstripe

#endif
