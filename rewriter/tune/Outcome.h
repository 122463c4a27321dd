//===-- Outcome.h - what came of a tuning -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TUNE_OUTCOME_H
#define BANKSTRIPE_TUNE_OUTCOME_H

#include "decisions/Decisions.h"
#include "tune/Measurement.h"
#include "tune/Search.h"
#include "llvm/Support/JSON.h"

namespace bankstripe {

/// All that a tuning came to.
struct TuneOutcome {
  const Plan &Movable;
  const std::vector<TuneGroup> &Groups;
  std::string Device;
  unsigned Replays = 0;     ///< Versions of launches that were replayed.
  unsigned Known = 0;       ///< The same, known from before.
  unsigned Comparisons = 0; ///< Programs that were built and compared.
  double Seconds = 0;
  /// The blocks that were seen of kernels where no source tells them, by the
  /// kernels' symbols.
  std::map<std::string, unsigned> Blocks = {};
  std::vector<std::string> NotLaunched = {}; ///< Kernels with arrays to move.
  /// The whole program with the best of all kernels, when it was compared.
  std::optional<Measurement> Together = {};
};

/// A decision for every array that was measured, with the figures, and for
/// every kernel that another carveout suits better. Their files are as in the
/// plan.
DecisionsFile decisionsOf(const TuneOutcome &Outcome);

/// Puts \p New into \p File, in the place of what tuning wrote about the same
/// arrays, and about kernels of the same files, before. What people decided
/// stays.
void replaceTuned(DecisionsFile &File, const DecisionsFile &New);

/// A table of what was tried, kernel by kernel, the best marked.
void printTuning(llvm::raw_ostream &OS, const TuneOutcome &Outcome);

/// The same as a page of HTML, with intervals and reasons.
std::string pageOf(const TuneOutcome &Outcome);
llvm::StringRef pageStyle(); ///< Also of the page of a verification.

/// The same for machines.
llvm::json::Value toJson(const TuneOutcome &Outcome);

} // namespace bankstripe

#endif
