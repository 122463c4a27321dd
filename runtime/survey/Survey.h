//===-- Survey.h - which launches represent a program -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_SURVEY_SURVEY_H
#define BANKSTRIPE_SURVEY_SURVEY_H

#include "contract/Results.h"
#include "harness/Runner.h"

namespace bankstripe::runtime {

/// A launch that represents others of its kernel.
struct ChosenLaunch {
  unsigned Number = 0;    ///< Among the launches of its kernel.
  double Nanoseconds = 0; ///< Of all launches that it represents.
};

/// Those of the launches \p Captured that represent all of their kernel: each
/// launch is represented by the one of its size whose time is nearest. One that
/// represents little is left out, or that is long and takes as long as another.
///
/// \param Launches all those of the kernel, with times.
std::vector<ChosenLaunch>
chooseLaunches(const std::vector<const Launch *> &Launches,
               std::vector<unsigned> Captured);

struct SurveyOptions {
  Command Program;
  double TimeoutSeconds = 600;      ///< Of the run; 0 for no limit.
  std::optional<double> EndAfter;   ///< So many, once a launch is captured.
  std::string JsonPath;             ///< Empty or "-" for standard output.
  std::string Folder;               ///< Of the captures.
  std::vector<std::string> Kernels; ///< Symbols of those to capture.
  double MostCaptured = 16;         ///< Gigabytes of memory in all captures.
};

struct Survey : SurveyResult {
  std::string Problem; ///< Why nothing is known; else empty.
};

/// Runs the program once. Its run stays in the folder beside the captures.
Survey survey(const SurveyOptions &O, const std::string &Recorder,
              const Progress &Show);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_SURVEY_SURVEY_H
