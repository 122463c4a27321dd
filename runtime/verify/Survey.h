//===-- Survey.h - what a program launches, and captures of it --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One program runs twice: with times, which tell the launches that matter, and
// to capture these. What is measured by replaying them stands for the program.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_SURVEY_H
#define BANKSTRIPE_VERIFY_SURVEY_H

#include "verify/Runner.h"

namespace bankstripe::runtime {

/// A launch that stands for others of its kernel.
struct ChosenLaunch {
  unsigned Number = 0; ///< Among the launches of its kernel.
  /// Of all launches that it stands for, in nanoseconds.
  double Nanoseconds = 0;
  std::string Path; ///< Of the capture; empty when there is none.
};

/// The launches of a kernel that are worth a capture: the longest, the median,
/// and, of each further size of blocks or grids that takes a part of the time
/// that counts, the longest. Each launch is stood for by the one of its size
/// whose time is nearest.
///
/// \param Launches all those of the kernel, with times.
std::vector<ChosenLaunch>
chooseLaunches(const std::vector<const Launch *> &Launches);

/// One kernel of the program.
struct SurveyedKernel {
  std::string Name; ///< As of kernelName().
  unsigned Launches = 0;
  double Nanoseconds = 0;   ///< Of all of them.
  unsigned MostThreads = 0; ///< Of their blocks.
  std::vector<ChosenLaunch> Chosen;
  std::string Problem; ///< Why it has not all captures; else empty.
};

struct Survey {
  std::string Device, Capability;      ///< When something was captured.
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

#endif // BANKSTRIPE_VERIFY_SURVEY_H
