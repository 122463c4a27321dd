//===-- Tuning.h - one run of bankstripe tune -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One `bankstripe tune`: the original is built and runs once; variants of its
// kernels are measured alone or in the program, then the best of all together
// (docs/guide/tune.md). From the search on it ends when the time is up, or when
// somebody asks for it, with what is best and right by then.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_TUNING_H
#define BANKSTRIPE_TOOL_TUNING_H

#include "bench/Program.h"
#include "tool/Pipeline.h"
#include "tune/Search.h"
#include "tune/TuneResult.h"

namespace bankstripe {

/// One `bankstripe tune`.
class Tuning {
public:
  /// \p MinSpeedup is what predictions need for the tool to move arrays.
  Tuning(const ToolOptions &Options, ReadResult Read, Program &P,
         double MinSpeedup, TimePoint Begin)
      : Options(Options), Read(std::move(Read)), Units(this->Read.results()),
        P(P), MinSpeedup(MinSpeedup), Begin(Begin) {}

  llvm::Error build();
  /// Runs the program. What it shows of blocks counts as known from then on.
  llvm::Error survey(const std::vector<TuneGroup> &Likely, const Plan &Assumed);
  llvm::Error search();
  llvm::Error confirm();
  /// Whether all that could move was launched with blocks that leave no room.
  bool foundNothing() const {
    return Result.Groups.empty() && Result.NotLaunched.empty();
  }
  /// Whether every kernel that was launched is in a file that was read; names
  /// the others.
  bool knowsAllKernels() const;
  /// The signal of who asked to end; else 0.
  int stoppedBy() const { return StoppedBy; }
  /// What was found by now.
  const TuneResult &result() {
    Result.Seconds = secondsSince(Begin);
    return Result;
  }

private:
  void adoptGpu();
  void findGroups(llvm::function_ref<bool(const KernelPlan &)> IsLaunched);
  void weigh(TuneGroup &G) const;
  std::optional<double> foresee(const TuneGroup &G, const Arrangement &A) const;
  bool hasToConfirm() const;
  double secondsLeft() const;
  /// Sets the deadline of the search, or so many seconds before the time is up.
  void setSearchTime() const;
  void setTimeLimit(double SecondsBefore) const;
  bool isOver(int Signal);
  bool isOver() { return isOver(P.lastSignal()); }
  llvm::Expected<PlannedChanges> carryOut(const Trial &T) const;
  using Measuring =
      llvm::function_ref<llvm::Expected<Measurement>(llvm::StringRef)>;
  llvm::Expected<Measurement> compareWhole(const PlannedChanges &Made,
                                           Measuring MeasureChanged);
  bool isSlower(const Measurement &M) const;
  llvm::Error searchWhole(TuneGroup &G);
  llvm::Error searchWholeSince(TuneGroup &G, std::string Why);
  llvm::Expected<Measurement> measureBest(llvm::StringRef Changed);
  llvm::Expected<Measurement> compareBest(const PlannedChanges &Made);
  llvm::Expected<bool> settle(const Measurement &M);
  void leaveUncompared();

  const ToolOptions &Options;
  ReadResult Read;                     ///< Whatever can move does.
  const std::vector<UnitResult> Units; ///< Planned for again and again.
  Program &P;
  const double MinSpeedup;
  std::string Original; ///< The executable.
  ProgramRun Seen;
  TuneResult Result;
  std::optional<Search> Order;
  double SecondsOfARun = 0; ///< Of the whole program, captures included.
  double SecondsToBuild = 0, SecondsToConfirm = 0;
  TimePoint Begin;
  int StoppedBy = 0;
};

} // namespace bankstripe

#endif
