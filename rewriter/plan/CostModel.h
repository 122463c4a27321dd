//===-- CostModel.h - what things cost on a GPU -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_COSTMODEL_H
#define BANKSTRIPE_PLAN_COSTMODEL_H

#include "arch/ArchInfo.h"
#include "model/Explanation.h"

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

} // namespace bankstripe

#endif
