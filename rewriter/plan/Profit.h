//===-- Profit.h - is it worth it -------------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_PROFIT_H
#define BANKSTRIPE_PLAN_PROFIT_H

#include "arch/ArchInfo.h"
#include "plan/MakePlan.h"

namespace bankstripe {

/// What a prediction is made with: an architecture, and cycles that were fitted
/// to timings of an H200 (measurements/2026-11-21-sweep.md).
struct CostModel {
  const ArchInfo *Arch; ///< That a prediction is for.
  struct {
    double Instruction = 0.219;
    double DoubleOperation = 0.419;
    double Global = 0.473;
    double LocalWord = 2.44;
    double LocalRow = 2.9; ///< Each further row that lanes ask for.
    /// A row of words that are loaded again, and not stored.
    double LoadedRow = 0.126;
    double LoadedRowMiss = 5.13; ///< More for what the L2 answers.
    double SharedWord = 0.286;
    double Packing = 0.242;   ///< Per access to a packed element.
    double MissFactor = 2.21; ///< More for what the L2 answers.
    double Lines = 4.43;      ///< A load of 32 lines.
    double LinesMiss = 42.7;  ///< More for what the L2 answers.
  } Issue;
  struct {
    double Instruction = 1.43;
    double DoubleOperation = 6.28;
    double Global = 222;
    double Local = 57.5;
    double Shared = 27.8;
    double Packing = 11.1;
    double Miss = 132;      ///< More for what the L2 answers.
    double Lines = 73.3;    ///< A load of 32 lines.
    double LinesMiss = 221; ///< More for what the L2 answers.
  } Latency;
  double Sharpness = 3.78;    ///< The exponent p of Profit.cpp.
  double HitExponent = 0.743; ///< Of the share that fits the L1.
  /// Passes of unpacked elements, several of which share a word.
  double UnpackedPasses = 0.585;

  CostModel(const ArchInfo *Arch = archInfo(FittedArch)) : Arch(Arch) {}
};

/// One array as the model sees it, with its accesses per thread.
struct ArrayTraffic : ArrayWork {
  unsigned ElementBytes = 4;
  uint64_t BytesPerThread = 0;
  bool Moved = false;    ///< Into shared memory.
  bool WasMoved = false; ///< What it is compared with moves it, too.
  bool Slot = false;
  StripeForm Form = StripeForm::Plain;
  /// While it has not moved: ptxas has given it no memory.
  bool WasInRegisters = false;
};

/// One kernel as the model sees it: its work, and the resources that it runs
/// with.
struct KernelTraffic {
  KernelWork Work; ///< Without its arrays.
  std::vector<ArrayTraffic> Arrays;
  unsigned Threads = 0; ///< Per block.
};

/// What the blocks on an SM have.
struct Resources {
  unsigned Warps = 0;       ///< Resident.
  uint64_t SharedBytes = 0; ///< Of all of them.
};

/// Of indices that may differ; a middle of what was seen in programs.
inline constexpr double UsualSpread = 0.2;

/// What no source tells.
struct Assumption {
  /// How far non-uniform indices of a warp are apart, from 0 (they agree after
  /// all) to 1 (they are random).
  double Spread = UsualSpread;
  /// Bytes of the data that gathered loads are about; where that is not given,
  /// it may be anything from a kilobyte to a megabyte.
  std::optional<double> Gathered = std::nullopt;
  bool AllHit = false; ///< The L1 holds whatever is used.
  double Wait = 1;     ///< Results come so many times as late.
};

/// What a warp that runs \p K with \p R costs, in cycles of an SM.
double timeOf(const KernelTraffic &K, const Resources &R, const Assumption &A,
              const CostModel &M = {});

/// A change of a kernel. Its arrays move as they say, whereas none does now.
struct Change {
  KernelTraffic Kernel;
  /// The same kernel if its loops of unknown length are short.
  KernelTraffic Short;
  Resources Had, Has;
  /// Its launches leave to the L1 what their blocks do not need.
  bool Carved = false;
  /// How many times as much machine code it has as now.
  double CodeGrowth = 1;
};

/// \p C in grids whose blocks are all resident at once with what it has then.
Change whereResident(Change C);

/// The middle of the prediction, by itself.
double expectedSpeedup(const Change &C, const CostModel &M = {},
                       const Assumption &A = {});

Prediction predict(const Change &C, const CostModel &M = {});

} // namespace bankstripe

#endif
