//===-- RecordedChoices.h - what programs chose -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program whose launches choose their kernels writes what it chose
// (BANKSTRIPE_CHOICES, runtime/device/bankstripe_choose.cuh). As decisions,
// that makes the next build the faster one from the start.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TUNE_RECORDEDCHOICES_H
#define BANKSTRIPE_TUNE_RECORDEDCHOICES_H

#include "decisions/Decisions.h"
#include "model/Plan.h"
#include "llvm/Support/Error.h"

namespace bankstripe {

/// What a program chose for one kernel on one GPU, with grids and blocks of one
/// size.
struct RecordedChoice {
  std::string Kernel;            ///< Qualified, with template arguments.
  std::string Gpu, Architecture; ///< `NVIDIA H100 PCIe`, `sm_90`.
  unsigned Pairs = 0;            ///< Of launches that were compared.
  double OriginalMicroseconds = 0, VersionMicroseconds = 0; ///< Per launch.
  std::vector<unsigned> Grid, Block; ///< Of three extents each.
  std::string Chosen;                ///< Or `open`.
  unsigned OriginalLaunches = 0, VersionLaunches = 0;
  double WaitedMicroseconds = 0, WonMicroseconds = 0; ///< By all launches.
};

/// Reads lines of JSON. Errors: a line is none that a program writes.
llvm::Expected<std::vector<RecordedChoice>> readChoices(llvm::StringRef Text);

/// Prints a table, with the kernels that won most first.
void printChoices(llvm::raw_ostream &OS, std::vector<RecordedChoice> Choices);

/// Decisions, each for one architecture, about the arrays of the kernels in
/// \p P that choose: as the plan has them where the version was faster in sum,
/// in place where it was slower. Kernels about which \p Choices say nothing, or
/// of which there are several, get none.
DecisionsFile decisionsFrom(const std::vector<RecordedChoice> &Choices,
                            const Plan &P);

} // namespace bankstripe

#endif
