//===-- ByteDifference.h - bytes that differ --------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_HARNESS_BYTEDIFFERENCE_H
#define BANKSTRIPE_HARNESS_BYTEDIFFERENCE_H

#include <cstdint>
#include <optional>
#include <string>
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

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_HARNESS_BYTEDIFFERENCE_H
