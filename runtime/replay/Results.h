//===-- Results.h - what the replaying process found ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that fails takes its process along. So the replay happens in a
// process of its own, which writes each result as a line of JSON as soon as it
// has it, and the one that was called reads them.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_RESULTS_H
#define BANKSTRIPE_REPLAY_RESULTS_H

#include "replay/MemoryCheck.h"

namespace bankstripe::runtime {

enum class Side { Original, Rewritten };

/// "original" or "rewritten"
const char *sideName(Side Of);

/// The side of the timed launch \p Index, counted from 0: original, rewritten,
/// rewritten, original, and so on, so that none always goes first.
constexpr Side timedSide(unsigned Index) {
  return (Index + 1) / 2 % 2 == 0 ? Side::Original : Side::Rewritten;
}

/// One launch of a kernel again.
struct SideResult {
  std::string Error; ///< Name of the error that it ended with; or empty.
  uint64_t ChangedPages = 0; ///< That are not as they were before the launch.
  std::vector<MemoryMismatch> Mismatches;
  /// Pages that were not compared, since the original does not leave there
  /// what was captured either.
  uint64_t NotCompared = 0;
};

/// What there is of a replay.
struct ReplayResults {
  std::string Problem; ///< Why there is no more; else empty.
  std::optional<SideResult> Original, Rewritten;
  unsigned Timed = 0; ///< Launches of each side after the first ones.
};

/// One result as a line, with its end.
std::string problemLine(const std::string &Problem);
std::string sideLine(Side Of, const SideResult &Result);
std::string timedLine(unsigned Launches);

/// The results in \p Lines. A line that is cut short is left out.
ReplayResults readResults(const std::string &Lines);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_RESULTS_H
