//===-- MakePlan.h - from findings and evidence to verdicts -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fourth arrow of the pipeline, and the only place where a decision is
// taken. It works on plain values and sees the whole run at once, so that a
// header that two units include, or a kernel that two units launch, gets one
// verdict that is right for both. Whatever nvcc said comes in as a value, too.
//
//   facts, evidence, decisions
//         => one table of arrays and kernels        (Merge, LinkedCalls,
//                                                    Outside, Frames, Decide)
//         => block bounds, where storage comes from (BlockBound, Form,
//                                                    Versions,
//                                                    FunctionCopies,
//                                                    RunTimeChoice)
//         => what each array could become           (Layout, Candidates)
//         => an assignment: one of these for each,
//            the best of those that were evaluated  (Evaluate, Profit,
//                                                    AssignmentSearch)
//         => without what nvcc does not confirm     (Measured)
//         => verdicts and kernels, built once       (MakePlan)
//
// Nothing before the last step changes what an earlier one made.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_MAKEPLAN_H
#define BANKSTRIPE_PLAN_MAKEPLAN_H

#include "arch/ArchInfo.h"
#include "model/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <set>

namespace bankstripe {

/// Who else, out of sight, may launch and call what a run is about.
enum class Outside {
  Nobody,  ///< Its units are a whole program.
  Files,   ///< Other files, whatever they can name.
  Loaders, ///< And whoever loads the module, by name.
};

/// Where the text of a program names the kernels of one name.
struct NameMentions {
  std::set<Place> Launches; ///< `name<<<`.
  /// The first one that is no launch, declaration or definition, for people;
  /// empty: none.
  std::string Other;
};

/// What it does with kernels, as raw text.
struct KernelMentions {
  std::map<std::string, NameMentions, std::less<>> ByName; ///< Last names.
  std::string OfAll; ///< What may launch any kernel; empty: nothing.
};

/// What the user asked for, as far as decisions are concerned.
struct PlanOptions {
  /// `--block-size`: bound for kernels whose block size is not known
  /// otherwise, in threads, 1 to 1024; 0 when not given.
  unsigned BlockSize = 0;
  Outside Others = Outside::Nobody;
  KernelMentions Mentions;
  unsigned FilesRead = 0;        ///< Sources that were read.
  std::string GpuArch = "sm_90"; ///< For occupancy.
  /// All that the code is made for; empty when nobody says.
  std::set<std::string> AllGpuArchs;
  /// `--min-speedup`: what a change must be predicted to be worth; 0 to move
  /// whatever can, in the layout that is predicted best.
  double MinSpeedup = 0;
  /// `--shared-limit`: shared memory that a block may have when launches ask
  /// for it, in bytes; no more than the architecture gives.
  uint64_t SharedLimit = StaticSharedLimit;
  /// `--carveout`: for kernels about which nothing was decided. Without it,
  /// launches that are edited anyway see to it by themselves.
  std::optional<Carveout> DefaultCarveout;
  /// About single kernels.
  std::vector<KernelDecision> KernelDecisions;
  /// About single arrays. They never override what correctness forbids.
  std::vector<ArrayDecision> Decisions;
  /// By the absolute path of a file; others have none. `BlockSize` wins.
  std::map<std::string, FileDefaults> Defaults;
  /// `--choose`: launches that can choose between a kernel and its version when
  /// the program runs do so, where no prediction is sure.
  bool Choose = false;
  /// `--layout`: instead of that of the defaults.
  std::optional<Layout> DefaultLayout;
};

/// One translation unit's facts and evidence.
struct UnitResult {
  UnitFacts Facts;
  UnitEvidence Evidence;
  ResourceTable Resources; ///< What ptxas says of the original; may be empty.
};

/// What nvcc said of one plan.
struct NvccTrial {
  std::map<Place, Treatment> Changed; ///< By the plan, as of changesOf.
  /// The kernels of the files that were compiled, as they were and changed.
  ResourceTable Before, After;
  /// The files of the units that nvcc did not accept.
  std::set<std::string> Rejected;
};

/// Whether nvcc has an array in registers: more bytes move than frames lose.
enum class Doubt {
  Open,        ///< Plans move all but the array, to see what frames lose.
  InRegisters, ///< No frame was larger then.
  InFrame,     ///< One was, or nvcc could not tell.
};

/// What is known only once it was tried: the trials in the order in which they
/// were.
struct Measured {
  std::vector<NvccTrial> Trials;
  std::map<Place, Doubt> Doubts = {}; ///< By the array.

  bool isOpen(const Place &Array) const {
    auto Raised = Doubts.find(Array);
    return Raised != Doubts.end() && Raised->second == Doubt::Open;
  }
};

/// Gives every finding of \p Units its verdict. The same arguments give the
/// same plan.
Plan makePlan(const std::vector<UnitResult> &Units, const PlanOptions &Options,
              const Measured &Known = {});

/// As many plans as nvcc is asked about. The first tells how far the code of
/// the kernels grows whose arrays move, and with how many registers. With that
/// known others may move, so the second tells the same of their kernels. The
/// third has hardly a kernel of which nothing is known, and its stack frames
/// have the last word.
inline constexpr unsigned MostTrials = 3;

/// Whether \p P is decided: \p Known holds all that nvcc could say about it, or
/// as much as it is asked.
bool isSettled(const Plan &P, const Measured &Known);

/// Settles the open doubts of \p Known by what nvcc said of \p P, which is
/// settled; if there are none against it, raises others, of arrays that no
/// kernel shares. \returns whether to plan again.
bool doubtMoves(const Plan &P, Measured &Known);

/// What \p P makes of the arrays that it changes, by their places.
std::map<Place, Treatment> changesOf(const Plan &P);

/// Whether files changed by \p P hold each kernel as it was, be it beside a
/// version: so one compile tells what nvcc makes of both.
bool keepsOriginals(const Plan &P);

/// Kernels that share arrays, directly or not, and these arrays.
struct KernelGroup {
  std::vector<unsigned> Kernels, Arrays; ///< Indices, ascending.
};

/// The groups of the first \p Count arrays, each of which is in just one.
/// \p KernelsOf names the kernels that reach an array, or none if it does not
/// count.
std::vector<KernelGroup> groupKernels(
    size_t Count,
    llvm::function_ref<llvm::ArrayRef<unsigned>(unsigned Array)> KernelsOf);

/// The decision that array \p ArrayIndex of \p P becomes \p Wanted.
ArrayDecision decisionAbout(const Plan &P, unsigned ArrayIndex,
                            LayoutChoice Wanted);

/// After how many elements a split is worth a measurement, of arrays of at
/// least twice as many.
inline constexpr unsigned SplitsToTry[] = {4, 8, 16};

/// Whether the first \p First elements of \p A could move without the others.
bool canBeSplit(const ReachedArray &A, unsigned First);

/// The decision that \p K, with all instances of its template, runs with the
/// carveout \p Wanted.
KernelDecision decisionAbout(const Kernel &K,
                             std::optional<Carveout> Wanted = {});

/// The limit where the user gives none: all that the architectures have if they
/// are named, else what needs no opt-in.
uint64_t usualSharedLimit(const PlanOptions &Options);

} // namespace bankstripe

#endif
