//===-- Results.h - what the replaying process found ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that fails takes its process along. So the replay happens in a
// process of its own, which writes down what it has, as a line of JSON, as soon
// as there is more, and the one that was called reads the last one.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_RESULTS_H
#define BANKSTRIPE_REPLAY_RESULTS_H

#include "recording/Capture.h"
#include "verify/Elements.h"
#include <set>

namespace bankstripe::runtime {

/// A page of a capture.
struct PageNumber {
  unsigned Memory = 0; ///< Index in Capture::Memory.
  uint64_t Page = 0;
  auto operator<=>(const PageNumber &) const = default;
};

/// Memory that is not what the captured launch left.
struct MemoryMismatch {
  unsigned Memory = 0; ///< Index in Capture::Memory.
  uint64_t DifferingBytes = 0;
  ByteDifference First; ///< Original: captured; rewritten: found.
};

/// Compares memory after a launch with what the captured launch left. Memory is
/// handed over in order, in pieces of whole pages.
class MemoryCheck {
public:
  /// \param NotCompared pages about which nothing is said.
  MemoryCheck(const Capture &Of, std::optional<ElementType> Type,
              const std::set<PageNumber> &NotCompared)
      : Of(Of), Type(Type), NotCompared(NotCompared) {}

  /// \param Bytes memory \p Number from the page \p FirstPage on.
  void found(unsigned Number, uint64_t FirstPage, std::string_view Bytes);

  /// What differs, in the order of the memory.
  const std::vector<MemoryMismatch> &mismatches() const { return Mismatches; }
  /// The pages that differ.
  const std::set<PageNumber> &differing() const { return Differing; }
  /// The pages that are not what they were before the launch.
  const std::set<PageNumber> &changed() const { return Changed; }

private:
  void page(PageNumber At, std::string_view Bytes);

  const Capture &Of;
  const std::optional<ElementType> Type;
  const std::set<PageNumber> &NotCompared;
  std::vector<MemoryMismatch> Mismatches;
  std::set<PageNumber> Differing, Changed;
};

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

/// What there is so far, as a line with its end.
std::string printResults(const ReplayResults &Results);

/// The last whole line of \p Lines.
ReplayResults readResults(const std::string &Lines);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_RESULTS_H
