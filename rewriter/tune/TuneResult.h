//===-- TuneResult.h - what came of a tuning --------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TUNE_TUNERESULT_H
#define BANKSTRIPE_TUNE_TUNERESULT_H

#include "decisions/Decisions.h"
#include "tune/Attempts.h"
#include "tune/Measurement.h"
#include "llvm/Support/JSON.h"

namespace bankstripe {

/// All that a tuning came to.
struct TuneResult {
  Plan Movable; ///< Moves whatever can be moved.
  std::vector<TuneGroup> Groups;
  std::string Device;
  unsigned Replays = 0;     ///< Variants of launches that were replayed.
  unsigned Known = 0;       ///< The same, known from before.
  unsigned Comparisons = 0; ///< Programs that were built and compared.
  double Seconds = 0;
  /// The blocks that were seen of kernels where no source tells them, by the
  /// kernels' symbols.
  std::map<std::string, unsigned> Blocks = {};
  std::vector<std::string> NotLaunched = {}; ///< Kernels with arrays to move.
  /// The whole program with the best of all kernels, when it was compared.
  std::optional<Measurement> Together = {};
  bool IsByOneRun = false;         ///< So it was, and its original, too.
  std::string WhyNotTogether = {}; ///< Why it was not; else empty.
  std::string WhyEnded = {};       ///< Why the run was not whole; else empty.
  bool IsTimeUp = false;           ///< Or somebody asked to end.
  std::string Architecture = {};   ///< Of the GPU: `sm_90`.
  std::string Input = {};          ///< The program's arguments.
};

/// A decision for every array that was measured, with the figures, and for
/// every kernel that another carveout suits better. Their files are as in the
/// plan.
DecisionsFile decisionsOf(const TuneResult &Tuned);

/// A table of what was tried, kernel by kernel, the best marked; of many
/// versions those that tell most, unless \p PrintsAll.
void printTuning(llvm::raw_ostream &OS, const TuneResult &Tuned,
                 bool PrintsAll = false);

/// The same for machines, with intervals and reasons (docs/guide/tune.md). The
/// page (runtime/page) shows it.
llvm::json::Value toJson(const TuneResult &Tuned);

} // namespace bankstripe

#endif
