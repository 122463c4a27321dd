//===-- Timing.cpp - runs both programs for their durations ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Timing.h"
#include <fmt/format.h>

using namespace bankstripe::runtime;

// One run. \returns false when there will be no more durations.
static bool timeOne(Runner &Runs, bool IsRewritten, int ExitStatus,
                    TimedRuns &Result) {
  const Options &O = Runs.options();
  const char *Which = IsRewritten ? "rewritten" : "original";
  RecordRequest Request;
  Request.Mode = RecordingMode::Time;
  RecordedRun Run =
      Runs.run(IsRewritten ? O.Rewritten : O.Original, std::move(Request));
  Runs.forget(Run);
  if (!Run.Child.exited() || Run.Child.ExitStatus != ExitStatus) {
    Result.Failure = {IsRewritten,
                      fmt::format("the {} program, run without digests: {}{}",
                                  Which, Run.Child.describe(),
                                  lastWords(Run.Child))};
    return false;
  }
  if (!Run.Problem.empty()) {
    Result.Notes.push_back(fmt::format("the {} program could not be timed: {}",
                                       Which, Run.Problem));
    return false;
  }
  if (Run.Record.Launches.empty()) {
    Result.Notes.push_back(
        fmt::format("the {} program, run without digests, left no durations; "
                    "does it end through _exit?",
                    Which));
    return false;
  }
  (IsRewritten ? Result.Rewrittens : Result.Originals)
      .push_back(std::move(Run.Record));
  return true;
}

// The two take turns in going first, so that a GPU that warms up slows neither
// more than the other.
TimedRuns bankstripe::runtime::timeBoth(Runner &Runs, int ExitStatus) {
  const Options &O = Runs.options();
  TimedRuns Result;
  bool GoesOn = true;
  for (unsigned I = 0; I < O.Runs && GoesOn; ++I) {
    Runs.tell(fmt::format("timing, run {} of {}", I + 1, O.Runs));
    for (const bool IsRewritten : {I % 2 == 1, I % 2 == 0})
      GoesOn = GoesOn && timeOne(Runs, IsRewritten, ExitStatus, Result);
    Result.Runs += GoesOn;
  }
  return Result;
}
