//===-- Captures.h - launches of programs into files ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One program runs once, with times, and with captures of launches that may
// matter. Which of these do is known in the end, and the others are removed.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_CAPTURES_H
#define BANKSTRIPE_VERIFY_CAPTURES_H

#include "verify/Runner.h"

namespace bankstripe::runtime {

/// A launch that stands for others of its kernel.
struct ChosenLaunch {
  unsigned Number = 0; ///< Among the launches of its kernel.
  /// Of all launches that it stands for, in nanoseconds.
  double Nanoseconds = 0;
  std::string Path;    ///< Of the capture.
  uint64_t Bytes = 0;  ///< Of memory.
  uint64_t Digest = 0; ///< As of digestOf().
};

/// Those of the launches \p Captured that stand for all of their kernel: each
/// launch is stood for by the one of its size whose time is nearest. One that
/// stands for little is left out, or that is long and takes as long as another.
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

/// The survey as one JSON object, which docs/reference/json-verify.md
/// describes.
std::string jsonSurvey(const Survey &Of);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_CAPTURES_H
