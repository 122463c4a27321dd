//===-- CaptureChoice.h - which launches of a kernel to keep ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A survey runs the program once: when a launch is to be captured, nobody knows
// how long it takes, nor what is still to come. So of each size of grid and
// block the first launch is captured, the second, the fourth and so on, and
// when these are many, one of them goes: of the size that has most the shortest
// but the latest one. What is left has the long ones, and some of each phase.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_CAPTURECHOICE_H
#define BANKSTRIPE_RECORDER_CAPTURECHOICE_H

#include "recording/Recording.h"

namespace bankstripe::runtime {

/// Of one kernel.
class CaptureChoice {
public:
  /// Captures that are there at a time.
  static constexpr size_t Most = 8;

  /// Counts a launch of this size. \returns whether it is to be captured.
  bool wants(const LaunchSize &Of);

  /// The launch \p Number was captured, and took so long.
  ///
  /// \returns the number of the one that is to go, if one is.
  std::optional<uint64_t> captured(uint64_t Number, const LaunchSize &Of,
                                   double Seconds);

private:
  struct Kept {
    uint64_t Number = 0;
    LaunchSize Size;
    double Seconds = 0;
  };

  std::map<LaunchSize, uint64_t> Launches;
  std::vector<Kept> All; ///< In the order of their launches.
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_CAPTURECHOICE_H
