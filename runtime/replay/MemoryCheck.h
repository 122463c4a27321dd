//===-- MemoryCheck.h - memory after a launch against the capture *- C++
//-*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_MEMORYCHECK_H
#define BANKSTRIPE_REPLAY_MEMORYCHECK_H

#include "capture/Capture.h"
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

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_MEMORYCHECK_H
