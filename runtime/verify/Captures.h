//===-- Captures.h - launches of programs into files ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both programs run once more. The original leaves a capture of the launch, the
// rewritten one its kernel, which is added to it. That happens in a folder
// beside the file that was asked for: it can be large, and what stands there in
// the end is whole.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_CAPTURES_H
#define BANKSTRIPE_VERIFY_CAPTURES_H

#include "verify/Runner.h"

namespace bankstripe::runtime {

/// What became of the capture that was asked for.
struct CaptureReport {
  std::string Path;             ///< Of the file.
  std::optional<unsigned> What; ///< The launch, when it is known which one.
  std::string Problem;          ///< Why there is no capture; else empty.
  std::string Kernel;           ///< That was launched, as a person writes it.
  uint64_t Bytes = 0;           ///< Of the file.
  /// Why the rewritten kernel is not part of it; else empty.
  std::string RewrittenProblem;
  std::vector<std::string> Lacks; ///< What a replay cannot put back.

  bool isThere() const { return Problem.empty(); }
  /// What replays it.
  std::string command() const;
};

/// Captures the launch \p Launch into the file that the options name.
CaptureReport captureLaunch(Runner &Runs, unsigned Launch,
                            bool RandomAddresses);

// A survey: one program runs once, with times, and with captures of launches
// that may matter. Which of these do is known in the end, and the others are
// removed.

/// A launch that stands for others of its kernel.
struct ChosenLaunch {
  unsigned Number = 0; ///< Among the launches of its kernel.
  /// Of all launches that it stands for, in nanoseconds.
  double Nanoseconds = 0;
  std::string Path;   ///< Of the capture.
  uint64_t Bytes = 0; ///< Of memory.
};

/// Those of the launches \p Captured that stand for all of their kernel: each
/// launch is stood for by the one of its size whose time is nearest, and one
/// that stands for little is left out.
///
/// \param Launches all those of the kernel, with times.
std::vector<ChosenLaunch>
chooseLaunches(const std::vector<const Launch *> &Launches,
               std::vector<unsigned> Captured);

/// One kernel of the program.
struct SurveyedKernel {
  std::string Name; ///< As of kernelName().
  unsigned Launches = 0;
  double Nanoseconds = 0;   ///< Of all of them.
  unsigned MostThreads = 0; ///< Of their blocks.
  std::vector<ChosenLaunch> Chosen;
  std::string Problem; ///< Why some could not be captured; else empty.
};

struct Survey {
  std::string Device, Capability;
  std::vector<SurveyedKernel> Kernels; ///< In the order of their first launch.
  std::string Problem;                 ///< Why nothing is known; else empty.
};

/// Runs the original program of the options. Captures go to the folder that the
/// options name, for those kernels that they name.
Survey survey(const Options &O, const std::string &Recorder,
              const Progress &Tell);

/// The survey as one JSON object, which JSON.md describes.
std::string jsonSurvey(const Survey &Of);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_CAPTURES_H
