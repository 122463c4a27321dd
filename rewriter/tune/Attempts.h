//===-- Attempts.h - which layouts to measure -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `bankstripe tune` measures instead of predicting. This says what to measure
// of each group of kernels, and keeps what came of it; how it is measured is
// known elsewhere:
//
//   plan => groups => attempts => (measured) => further attempts => best
//
// tune/Search.h says in which order.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TUNE_ATTEMPTS_H
#define BANKSTRIPE_TUNE_ATTEMPTS_H

#include "plan/MakePlan.h"
#include <map>
#include <optional>
#include <vector>

namespace bankstripe {

/// What arrays are to become, by their index in Plan::Arrays.
using Arrangement = std::map<unsigned, LayoutChoice>;

/// What a kernel takes in one variant.
struct KernelUse {
  unsigned Warps = 0; ///< That an SM can hold; 0 where that is not known.
  unsigned Registers = 0, LocalBytes = 0; ///< Per thread.
  unsigned SharedBytes = 0;               ///< Per block.
};

/// Why a variant computes something else, as far as that was asked.
enum class Difference {
  Unasked,
  Fusing,   ///< Without fused multiply-adds it computes the same.
  Unstable, ///< So does the original at another optimisation level.
  Real,     ///< Neither.
};

/// One arrangement of the arrays of a group, and what came of it.
struct Attempt {
  std::string Name; ///< For people: `stripes`, `slots without 'x'`.
  Arrangement Wanted;
  /// Of its kernels, where not what planning chooses.
  std::optional<Carveout> Carved = {};
  /// What planning made of Wanted: arrays for which there was no room stay.
  Arrangement Got = {};
  Carveout GotCarved = {}; ///< Of the first kernel.
  /// Time of the original over its time; nothing when it was not measured.
  std::optional<double> Speedup = {};
  std::string Problem = {}; ///< Why not.
  /// Of one that computes something else: how fast it does so, and why.
  std::optional<double> WrongSpeedup = {};
  Difference Differs = Difference::Unasked;
  /// Where the speedup lies with a probability of 95 %, if that is known.
  std::optional<std::pair<double, double>> Sure = {};
  /// It was timed no longer since it is clearly slower.
  bool IsStopped = false;
  /// What the tool does where nobody tunes.
  bool IsDefault = false;
  /// Of the group's kernels, in their order; empty where that is not known.
  std::vector<KernelUse> Uses = {};
};

/// Kernels that were launched and share arrays, which are decided together.
struct TuneGroup {
  std::vector<unsigned> Kernels, Arrays; ///< Indices of the plan.
  std::vector<Attempt> Attempts;         ///< In the order of their measuring.
  double Base = 1;      ///< Speedup by what people decided, without more.
  double Noise = 0;     ///< How far two builds of the original were apart.
  double Share = 1;     ///< Of its kernels in the time of all kernels.
  bool MayCarve = true; ///< All launches of its kernels can be edited.
  /// Why the whole program is run for it; empty where launches are replayed.
  std::string WhyWhole = {};
  /// Launches of it leave something else each time, so that only the program
  /// tells whether a variant computes the same.
  bool Varies = false;
  /// What the best is worth beside those of all other groups.
  std::optional<double> InProgram = {};
  /// Why not even the best is worth having; else empty.
  std::string WhyNone = {};
  std::vector<std::string> Untried = {}; ///< Variants, when the time was up.
  /// Why nothing of it is measured; else empty.
  std::string WhyLeft = {};

  /// Takes in \p A, which became \p Tried. The first one is the original.
  void record(Attempt A, const Plan &Tried);
  /// The fastest arrangement that moves something, of all or of those without
  /// a carveout of their own; nothing without any.
  const Attempt *fastest(bool AlsoCarved = true) const;
  /// The same, if it is worth having: faster than the original by more than
  /// chance and WorthHaving.
  const Attempt *best() const;
};

/// What a change has to be measured to be worth.
inline constexpr double WorthHaving = 1.02;

/// The groups of a plan that moves whatever can be moved. \p IsLaunched says of
/// which of its kernels launches were seen.
std::vector<TuneGroup>
tuneGroups(const Plan &Movable,
           llvm::function_ref<bool(const KernelPlan &)> IsLaunched);

/// Whether array \p I of \p P becomes constant without being told.
bool becomesConstant(const Plan &P, unsigned I);

/// What planning made of each array.
Arrangement layoutsOf(const Plan &P);

/// All movable arrays of \p G as \p L; those that cannot be that as stripes.
Arrangement allAs(const TuneGroup &G, const Plan &Movable, LayoutChoice L);

/// The layout that most of those arrays have that are to move; Keep without
/// any.
LayoutChoice mainLayout(const Arrangement &Of);

/// The attempt that is named by the main layout of \p Wanted.
Attempt named(const TuneGroup &G, const Plan &Movable, Arrangement Wanted);

/// What is measured first of \p G: the original, and the default, which is
/// \p Predicted of its arrays.
Attempt originalOf(const TuneGroup &G, const Plan &Movable);
Attempt defaultOf(const TuneGroup &G, const Plan &Movable,
                  const Arrangement &Predicted);

/// Whether \p Old has \p A, or what became the same.
bool isTried(const std::vector<Attempt> &Old, const Attempt &A);

/// What could be measured of \p G besides the original, tried or not.
/// \p Predicted is what the tool makes by itself.
std::vector<Attempt> openAttempts(const TuneGroup &G, const Plan &Movable,
                                  const Arrangement &Predicted);

/// One variant of the whole program. What it does not name stays.
struct Trial {
  Arrangement Arrays;
  std::map<unsigned, Carveout> Carved; ///< By the index of a kernel.

  void add(const TuneGroup &G, const Attempt &A);
};

/// The best of each of \p Groups.
Trial bestOf(const std::vector<TuneGroup> &Groups);

/// Timed runs of each whole program, at most \p Most, that measure one variant
/// or, in the \p Left seconds, confirm the best, where one run takes so many
/// seconds. With 0 the changed program runs once, and is compared with the run
/// that was recorded at first.
unsigned runsToTry(double SecondsOfARun, unsigned Most);
unsigned runsToConfirm(double SecondsOfARun, unsigned Most, double Left);

/// A comparison that has begun may take so much longer, as a part of the time.
inline constexpr double Overrun = 0.25;

/// How many of the \p Left seconds are kept to build and confirm the best: as
/// many as that takes, by fewer runs where hardly any would be left for the
/// search.
double secondsToConfirm(double SecondsToBuild, double SecondsOfARun,
                        double Left);

/// After how many of the \p Left seconds the first run ends: one that can be
/// confirmed in time comes to its end.
double longestRun(double SecondsToBuild, double Left);

/// What to ask of a plan for \p T, besides what was asked for \p Movable.
PlanOptions planningFor(const Trial &T, const Plan &Movable,
                        PlanOptions Planning);

} // namespace bankstripe

#endif
