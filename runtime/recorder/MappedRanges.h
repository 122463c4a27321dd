//===-- MappedRanges.h - addresses with memory behind them ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Virtual memory comes in three steps: memory is created, mapped to addresses,
// and made accessible. Only then may the recorder look at it, and it has to
// know what was mapped. Nothing here knows of the driver.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_MAPPEDRANGES_H
#define BANKSTRIPE_RECORDER_MAPPEDRANGES_H

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace bankstripe::runtime {

class MappedRanges {
public:
  using Handle = uint64_t;

  struct Range {
    uint64_t Address = 0, Bytes = 0;
    /// Nothing was ever stored there: the memory was not mapped before.
    bool IsFresh = false;
    Handle Memory = 0;
  };

  void created(Handle Memory) { Fresh.insert(Memory); }
  /// \returns whether \p Memory was mapped elsewhere already, and still is.
  bool mapped(uint64_t Address, uint64_t Bytes, Handle Memory);
  void unmapped(uint64_t Address, uint64_t Bytes);

  /// The ranges that lie within these addresses, whole.
  std::vector<Range> within(uint64_t Address, uint64_t Bytes) const;

  /// The range that starts at \p Address was filled.
  void filled(uint64_t Address);

private:
  std::set<Handle> Fresh;
  std::map<uint64_t, Range> Ranges; ///< By address.
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_MAPPEDRANGES_H
