//===-- Options.h - the command line of bankstripe-replay -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_OPTIONS_H
#define BANKSTRIPE_REPLAY_OPTIONS_H

#include "replay/Report.h"
#include "verify/Options.h"

namespace bankstripe::runtime {

struct ReplayOptions {
  std::string Path;            ///< Of the capture.
  std::optional<Side> Only;    ///< Launch this one, in the process itself.
  unsigned Runs = 15;          ///< Timed launches of each; 0 for none.
  double TimeoutSeconds = 600; ///< 0 for no limit.
  std::string Type;   ///< Of elements of memory; empty when it is not known.
  std::string Module; ///< Image of the rewritten kernel in place of its own.
  std::optional<unsigned>
      SharedBytes;      ///< Dynamic ones of the rewritten kernel.
  std::string JsonPath; ///< Empty for none; "-" for standard output.
  std::string Results;  ///< File for results: this is the replaying process.
};

std::variant<ReplayOptions, Done>
parseReplayOptions(int ArgumentCount, const char *const *Arguments);

/// The arguments of the process that replays for \p O.
std::vector<std::string> replayingArguments(const ReplayOptions &O,
                                            const std::string &Results);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_OPTIONS_H
