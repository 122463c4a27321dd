//===-- Words.h - what all reports say of differences -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_HARNESS_WORDS_H
#define BANKSTRIPE_HARNESS_WORDS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankstripe::runtime {

/// An element in both programs.
struct ElementDifference {
  std::string Type;
  uint64_t Index = 0; ///< In the allocation.
  std::string Original, Rewritten;
};

/// The bytes themselves behind a difference in digests.
struct ByteDifference {
  uint64_t Offset = 0;         ///< First byte of the allocation that differs.
  uint64_t DifferingBytes = 0; ///< In the bytes that were looked at.
  uint64_t Begin = 0, End = 0; ///< The bytes that were looked at.
  /// What lies around the first byte, as integers and floating point numbers of
  /// 32 and 64 bits. Where no whole one is left, the byte.
  std::vector<ElementDifference> Elements;
};

/// Finds the first difference in two copies of the bytes from \p Begin on;
/// none when they are the same.
std::optional<ByteDifference> findByteDifference(const std::string &Original,
                                                 const std::string &Rewritten,
                                                 uint64_t Begin);

/// "allocation 3 (16 bytes)", "variable table (1 byte)"
///
/// \param Variable its symbol; empty for an allocation.
std::string memoryName(const std::string &Variable, unsigned Number,
                       uint64_t Bytes);

/// "1 launch", "2 launches", "3 bytes"
std::string plural(uint64_t Count, const std::string &One);

/// "12.30 us" of nanoseconds, in ASCII; "-" for none.
std::string plainDurationText(const std::optional<double> &Nanoseconds);

/// The first difference with both values, a line for each thing that is known;
/// each begins with two spaces.
///
/// \param Original,Rewritten what the values are called.
std::string differenceText(const ByteDifference &Of,
                           std::string_view Original = "original",
                           std::string_view Rewritten = "rewritten");

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_HARNESS_WORDS_H
