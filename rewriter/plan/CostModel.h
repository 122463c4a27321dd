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
#include "llvm/Support/Error.h"

namespace bankstripe {

/// What a prediction is made with: an architecture, and cycles that were fitted
/// to timings (bankstripe calibrate).
struct CostModel {
  const ArchInfo *Arch; ///< That a prediction is for.
  /// Whose timings.
  std::string Gpu = FittedGpu, GpuArch = FittedArch;
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

/// The constants, by the names that they have in files.
std::vector<std::pair<const char *, double *>> constantsOf(CostModel &M);

/// A file of constants: YAML.
std::string textOf(CostModel M);
llvm::Expected<CostModel> readCostModel(const std::string &Path);

/// Where a user keeps such files, NAME.yaml for each GPU:
/// $XDG_CONFIG_HOME/bankstripe/gpus, or below ~/.config.
std::string usualGpuFolder();

/// The constants in \p Folder that are for \p Gpu, the name of a file there or
/// else an architecture; those that are compiled in where there are none.
llvm::Expected<CostModel> costModelFor(llvm::StringRef Gpu,
                                       const std::string &Folder);

} // namespace bankstripe

#endif
