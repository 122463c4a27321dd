//===-- Tune.h - which layouts to measure, and what came of it --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `bankstripe tune` measures instead of predicting. This stage says what to
// measure, and keeps what came of it; building and running is done elsewhere:
//
//   plan => trial => (built and measured) => next trial => ... => outcomes
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TUNE_TUNE_H
#define BANKSTRIPE_TUNE_TUNE_H

#include "decisions/Decisions.h"
#include "model/Plan.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <vector>

namespace bankstripe {

/// Time of all launches of one kernel in one run, in nanoseconds; the median
/// over the runs.
struct KernelTimes {
  double Original = 0;
  double Changed = 0;
  unsigned BlockThreads = 0; ///< Of the first launch; 0 when unknown.
};

/// A program beside its original, as bankstripe-verify saw them.
struct Measurement {
  std::string Device;
  /// By comparableName(); only kernels that were timed in both programs.
  std::map<std::string, KernelTimes> Kernels;
  /// Why the changed program is no good; empty when both compute the same.
  std::string Problem;
};

/// The name of the kernel with the symbol or the demangled name \p Name as
/// different demanglers agree on it.
std::string comparableName(llvm::StringRef Name);

/// Reads what bankstripe-verify prints with --json (runtime/verify/JSON.md).
/// Errors: it is of another form, or nothing could be measured.
llvm::Expected<Measurement> parseMeasurement(llvm::StringRef Json);

/// What arrays are to become, by their index in Plan::Arrays.
using Arrangement = std::map<unsigned, Layout>;

/// One version of the whole program.
struct Trial {
  std::string Name; ///< For people.
  Arrangement Arrays;
  std::map<unsigned, Carveout> Carved; ///< Where not what planning chooses.
  std::map<unsigned, unsigned> Blocks; ///< As in TuneGroup.
};

/// One arrangement of the arrays of a group, and what came of it.
struct Attempt {
  std::string Name; ///< `stripes`, `slots without 'x'`.
  Arrangement Wanted;
  /// Of its kernels, where not what planning chooses.
  std::optional<Carveout> Carved = {};
  /// What planning made of Wanted: arrays for which there was no room stay.
  Arrangement Got = {};
  Carveout GotCarved = {}; ///< Of the first kernel.
  /// Time of the original over its time; nothing when it was not measured.
  std::optional<double> Speedup = {};
  std::string Problem = {}; ///< Why not.
};

/// Kernels that share arrays, which are decided together.
struct TuneGroup {
  std::vector<unsigned> Kernels, Arrays; ///< Indices of the plan.
  std::vector<Attempt> Attempts;         ///< In the order of their measuring.
  /// The blocks that were seen of its kernels, where no source tells them.
  std::map<unsigned, unsigned> Blocks;
  double Base = 1;      ///< Speedup by what people decided, without more.
  double Noise = 0;     ///< How far two builds of the original were apart.
  bool Launched = true; ///< The program launches one of its kernels.
  bool MayCarve = true; ///< All launches of its kernels can be edited.

  /// The fastest arrangement that moves something, of all or of those without
  /// a carveout of their own; nothing without any.
  const Attempt *fastest(bool AlsoCarved = true) const;
  /// The same, if it is worth having: faster than the original by more than
  /// chance and WorthHaving.
  const Attempt *best() const;
};

/// What a change has to be measured to be worth.
inline constexpr double WorthHaving = 1.02;

/// Tries layouts, for all groups of a program at a time.
class TuneSearch {
public:
  /// \p Movable is a plan that moves all that can be moved, and stays where it
  /// is; \p Predicted is the one that the tool makes by itself.
  TuneSearch(const Plan &Movable, const Plan &Predicted);

  /// What to measure next; nothing when it is known what is best.
  std::optional<Trial> next();
  /// Takes in that the trial of next() became \p Tried and was measured as
  /// \p M.
  void record(const Plan &Tried, const Measurement &M);

  const std::vector<TuneGroup> &groups() const { return Groups; }
  /// What all arrays are to become, by what was measured.
  Trial best() const;

private:
  Arrangement all(const TuneGroup &G, Layout L) const;
  std::optional<Attempt> propose(const TuneGroup &G) const;
  std::optional<Attempt> proposeSubset(const TuneGroup &G,
                                       const Attempt &Fastest) const;
  void recordTimes(const Plan &Tried, const Measurement &M);
  void recordProblem(const std::string &Problem);

  const Plan &Movable;
  Arrangement Predicted;
  std::vector<TuneGroup> Groups;
  std::map<unsigned, Attempt> Current; ///< Under way, by group.
  bool OneAtATime = false;
};

/// All that a tuning came to.
struct TuneOutcome {
  const Plan &Movable;
  const std::vector<TuneGroup> &Groups;
  std::string Device;
  unsigned Trials = 0;
  double Seconds = 0;
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

/// The same for machines.
llvm::json::Value toJson(const TuneOutcome &Outcome);

} // namespace bankstripe

#endif
