//===-- Plan.h - from findings and evidence to verdicts ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fourth arrow of the pipeline, and the only place where a decision is
// taken. It works on plain values and sees the whole run at once, so that a
// header that two units include, or a kernel that two units launch, gets one
// verdict that is right for both.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_PLAN_H
#define BANKSTRIPE_PLAN_PLAN_H

#include "arch/ArchInfo.h"
#include "model/Plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <set>

namespace bankstripe {

/// What the user asked for, as far as decisions are concerned.
struct PlanOptions {
  /// `--block-size`: bound for kernels whose block size is not known
  /// otherwise, in threads, 1 to 1024; 0 when not given.
  unsigned BlockSize = 0;
  std::string GpuArch = "sm_90"; ///< For occupancy.
  /// All that the code is made for; empty when nobody says.
  std::set<std::string> AllGpuArchs;
  /// `--min-speedup`: what a change must be predicted to be worth; 0 to ask for
  /// no prediction.
  double MinSpeedup = 0;
  /// `--shared-limit`: shared memory that a block may have when launches bring
  /// it, in bytes; no more than the architecture gives.
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
  /// `--unroll`: unroll the loops that keep arrays out of registers.
  bool Unroll = false;
  /// The places of arrays for which that was tried and does not help.
  std::set<Place> NotUnrolled;
  /// How many times as much machine code nvcc makes of kernels that are
  /// changed, by their mangled names; at least 1.
  std::map<std::string, double> CodeGrowth;
  /// `--layout`: instead of that of the defaults.
  std::optional<Layout> DefaultLayout;
};

/// One translation unit's facts and evidence.
struct UnitResult {
  UnitFacts Facts;
  UnitEvidence Evidence;
  ResourceTable Resources; ///< What ptxas says of the original; may be empty.
};

/// Gives every finding of \p Units its verdict.
Plan makePlan(std::vector<UnitResult> Units, const PlanOptions &Options);

/// Whether a plan for \p Unit may change anything, whatever evidence there is:
/// without it, whether gathering it is worth its time. Errs towards yes.
bool mayChange(const UnitFacts &Unit, PlanOptions Options);

/// Takes back the change to array \p ArrayIndex of \p P for reason \p Why
/// (StackFrameKept or CompileFailed), with \p Detail, and the bytes that it
/// took.
void withdraw(Plan &P, unsigned ArrayIndex, Reason Why,
              const std::string &Detail, const PlanOptions &Options);

/// Leaves in \p P the arrays and kernels of the files that \p Shown names, with
/// the kernels that reach these arrays, and the decisions about these files:
/// what a report on a part of a program is about.
void restrictTo(Plan &P, llvm::function_ref<bool(llvm::StringRef File)> Shown);

/// Bytes of shared memory per block that \p I takes as \p V decides (a stripe
/// in its form, or a slot) for blocks of at most \p Threads threads.
uint64_t sharedBytes(const ArrayInstance &I, const Verdict &V,
                     unsigned Threads);

/// Kernels that share arrays, directly or not, and these arrays.
struct KernelGroup {
  std::vector<unsigned> Kernels, Arrays; ///< Indices, ascending.
};

/// The groups that those of \p Arrays make for which \p Counts holds; every
/// such array that a kernel reaches is in just one (Groups.cpp).
std::vector<KernelGroup>
groupKernels(const std::vector<PlannedArray> &Arrays,
             llvm::function_ref<bool(const PlannedArray &)> Counts);

/// Makes \p P a control for \p Kernels (its rows): they take the shared memory
/// and the bounds of the plan, and their arrays stay where they are. What that
/// does to their time is the price of the plan; the rest is the gain of its
/// accesses. Kernels whose body a macro opens reserve nothing.
void reserveOnly(Plan &P, const std::set<unsigned> &Kernels);

/// The decision that array \p ArrayIndex of \p P becomes \p Wanted.
ArrayDecision decisionAbout(const Plan &P, unsigned ArrayIndex, Layout Wanted);

/// The decision that \p K, with all instances of its template, runs with the
/// carve-out \p Wanted.
KernelDecision decisionAbout(const Kernel &K, Carveout Wanted);

/// The limit where the user gives none: all that the architectures have if they
/// are named and a prediction decides what is taken of it, else what needs no
/// opt-in.
uint64_t usualSharedLimit(const PlanOptions &Options);

} // namespace bankstripe

#endif
