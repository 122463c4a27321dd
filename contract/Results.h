//===-- Results.h - what the runtime's programs find ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bankstripe-verify and bankstripe-replay write these as JSON, and the tool
// reads them. Each struct lists its fields once, with their names there: a
// static listFields(Visitor, Value) calls Visitor.field() of what is read and
// written, and Visitor.derived() of what follows from other fields and is
// written only. docs/reference/json.md describes them.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CONTRACT_RESULTS_H
#define BANKSTRIPE_CONTRACT_RESULTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankstripe {

/// The version of all results. A reader accepts no other.
inline constexpr unsigned ResultVersion = 3;

/// What a comparison or a replay comes to.
enum class ResultVerdict {
  Identical,
  Differs,
  NotVerified,   ///< Of a comparison: nothing is known.
  Reproduced,    ///< Of a replay without a rewritten kernel.
  Varies,        ///< The original leaves something else each time.
  NotReproduced, ///< The original leaves something else than in its program.
  NotReplayed,   ///< Nothing is known.
};

/// In the order of ResultVerdict.
inline constexpr const char *VerdictTexts[] = {
    "identical", "differs",        "not-verified", "reproduced",
    "varies",    "not reproduced", "not replayed"};

constexpr const char *textOf(ResultVerdict Verdict) {
  return VerdictTexts[static_cast<size_t>(Verdict)];
}

/// A range that holds the true ratio with a probability of 95 %. In JSON it is
/// a list of both ends.
struct Interval {
  double Low = 0, High = 0;
  /// Whether a ratio of 1 is possible: no difference is to be seen.
  bool holdsOne() const { return Low <= 1 && 1 <= High; }
};

/// Durations in both programs, or of both kernels.
struct PairedTimes {
  /// In nanoseconds; none when there are no times. Of programs: of all launches
  /// of a run together, the median over the runs. Of a replay: the median over
  /// its launches.
  std::optional<double> OriginalTime, RewrittenTime;
  /// Where the speedup lies with a probability of 95 %.
  std::optional<Interval> SpeedupInterval;

  std::optional<double> speedup() const {
    if (!OriginalTime || !RewrittenTime || *RewrittenTime <= 0)
      return std::nullopt;
    return *OriginalTime / *RewrittenTime;
  }
  /// What they say of the rewritten program: "faster", "slower", "equal" when
  /// the difference is within the noise, "unknown" without an interval.
  std::string_view verdict() const {
    if (!SpeedupInterval)
      return "unknown";
    if (SpeedupInterval->holdsOne())
      return "equal";
    return SpeedupInterval->Low > 1 ? "faster" : "slower";
  }
  static void listFields(auto &Visitor, auto &Value) {
    Visitor.field("originalNs", Value.OriginalTime);
    Visitor.field("rewrittenNs", Value.RewrittenTime);
    Visitor.derived("speedup", Value.speedup());
    Visitor.field("speedupInterval", Value.SpeedupInterval);
    Visitor.derived("result", Value.verdict());
  }
};

/// Launches of a program, before and after.
struct ComparedLaunches : PairedTimes {
  std::string Name;      ///< What they have in common.
  unsigned Launches = 0; ///< In one run of the original.

  static void listFields(auto &Visitor, auto &Value) {
    Visitor.field("name", Value.Name);
    Visitor.field("launches", Value.Launches);
    PairedTimes::listFields(Visitor, Value);
  }
};

/// One kernel, by its kernelName().
struct ComparedKernel : ComparedLaunches {
  /// Its launches by size, where they differ in that: by grid and block, and by
  /// the time of one of them in the original.
  std::vector<ComparedLaunches> Sizes;

  static void listFields(auto &Visitor, auto &Value) {
    ComparedLaunches::listFields(Visitor, Value);
    Visitor.field("sizes", Value.Sizes);
  }
};

/// The first difference of two programs.
struct FirstDifference {
  std::string Kind;           ///< "contents", "grid", ...
  std::string OriginalKernel; ///< As of kernelName(), or empty.
  static void listFields(auto &Visitor, auto &Value) {
    Visitor.field("kind", Value.Kind);
    Visitor.field("originalKernel", Value.OriginalKernel);
  }
};

/// A comparison of two programs. There is more in its JSON.
struct ComparisonResult {
  unsigned Version = ResultVersion;
  ResultVerdict Verdict = ResultVerdict::NotVerified;
  std::string Reason; ///< Why, if neither a launch nor the output tells.
  std::string Device, Capability;
  std::optional<FirstDifference> Difference;
  std::vector<ComparedKernel> Kernels;
  PairedTimes AllLaunches; ///< Of a run.

  static void listFields(auto &Visitor, auto &Value) {
    Visitor.field("version", Value.Version);
    Visitor.field("verdict", Value.Verdict);
    Visitor.field("reason", Value.Reason);
    Visitor.field("device", Value.Device);
    Visitor.field("capability", Value.Capability);
    Visitor.field("difference", Value.Difference);
    Visitor.field("kernels", Value.Kernels);
    Visitor.field("allLaunches", Value.AllLaunches);
  }
};

/// A captured launch, which represents others of its kernel.
struct CapturedLaunch {
  std::string File;       ///< Of the capture.
  double Nanoseconds = 0; ///< Of all launches that it represents.
  uint64_t Bytes = 0;     ///< Of its memory.
  std::string Digest;     ///< The same for the same launch and memory.

  static void listFields(auto &Visitor, auto &Value) {
    Visitor.field("file", Value.File);
    Visitor.field("ns", Value.Nanoseconds);
    Visitor.field("bytes", Value.Bytes);
    Visitor.field("digest", Value.Digest);
  }
};

/// One kernel that a program launches.
struct SurveyedKernel {
  std::string Name; ///< As of kernelName().
  unsigned Launches = 0;
  double Nanoseconds = 0;   ///< Of all of them.
  unsigned MostThreads = 0; ///< Of their blocks.
  std::vector<CapturedLaunch> Captures;
  std::string Problem; ///< Why some could not be captured; else empty.

  static void listFields(auto &Visitor, auto &Value) {
    Visitor.field("name", Value.Name);
    Visitor.field("launches", Value.Launches);
    Visitor.field("totalNs", Value.Nanoseconds);
    Visitor.field("blockThreads", Value.MostThreads);
    Visitor.field("captures", Value.Captures);
    Visitor.field("problem", Value.Problem);
  }
};

/// What a program launches.
struct SurveyResult {
  unsigned Version = ResultVersion;
  std::string Device, Capability;
  std::vector<SurveyedKernel> Kernels; ///< In the order of their first launch.
  double EndedAfter = 0; ///< Seconds, if it was; 0: it came to its end.

  static void listFields(auto &Visitor, auto &Value) {
    Visitor.field("version", Value.Version);
    Visitor.field("device", Value.Device);
    Visitor.field("capability", Value.Capability);
    Visitor.field("kernels", Value.Kernels);
    Visitor.field("endedAfter", Value.EndedAfter);
  }
};

/// What one kernel did when it was launched again.
struct ReplayedKernel {
  std::string Error;         ///< Name of the error that ended it, or empty.
  uint64_t ChangedPages = 0; ///< Of 64 KiB, which are not as before.
  std::vector<std::string> Differences; ///< A text for each place.
  /// The same for the same differences; empty where there is none.
  std::string Digest;

  static void listFields(auto &Visitor, auto &Value) {
    Visitor.field("error", Value.Error);
    Visitor.field("changedPages", Value.ChangedPages);
    Visitor.field("differences", Value.Differences);
    Visitor.field("digest", Value.Digest);
  }
};

/// The timed launches of a replay.
struct ReplayTimes : PairedTimes {
  unsigned Launches = 0; ///< Of each kernel.
  /// There are no more since the rewritten kernel is clearly slower.
  bool IsStopped = false;

  static void listFields(auto &Visitor, auto &Value) {
    Visitor.field("launches", Value.Launches);
    Visitor.field("stopped", Value.IsStopped);
    PairedTimes::listFields(Visitor, Value);
  }
};

/// A replay of one launch.
struct ReplayResult {
  unsigned Version = ResultVersion;
  ResultVerdict Verdict = ResultVerdict::NotReplayed;
  std::string Problem; ///< Why there is no more; else empty.
  unsigned Launch = 0; ///< Its number in its program.
  std::string Kernel, Device, Capability;
  std::optional<ReplayedKernel> Original, Rewritten;
  std::optional<ReplayTimes> Times;
  std::string Untimed; ///< Why there are no times, if they were wanted.
  std::vector<std::string> Notes;

  static void listFields(auto &Visitor, auto &Value) {
    Visitor.field("version", Value.Version);
    Visitor.field("verdict", Value.Verdict);
    Visitor.field("problem", Value.Problem);
    Visitor.field("launch", Value.Launch);
    Visitor.field("kernel", Value.Kernel);
    Visitor.field("device", Value.Device);
    Visitor.field("capability", Value.Capability);
    Visitor.field("original", Value.Original);
    Visitor.field("rewritten", Value.Rewritten);
    Visitor.field("times", Value.Times);
    Visitor.field("untimed", Value.Untimed);
    Visitor.field("notes", Value.Notes);
  }
};

} // namespace bankstripe

#endif // BANKSTRIPE_CONTRACT_RESULTS_H
