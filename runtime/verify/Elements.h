//===-- Elements.h - bytes of memory as elements ----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_ELEMENTS_H
#define BANKSTRIPE_VERIFY_ELEMENTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankstripe::runtime {

/// What the elements of an allocation are.
enum class ElementType {
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F16,
  BF16,
  F32,
  F64
};

/// Reads "f32", "i8", "bf16", ...
std::optional<ElementType> parseElementType(const std::string &Text);
/// What parseElementType() reads, with commas between.
std::string elementTypeNames();
const char *elementName(ElementType Type);

/// The element at the start of \p Bytes, which hold a whole one, with as many
/// digits as tell all values of the type apart.
std::string elementText(ElementType Type, const char *Bytes);

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
  /// What lies around the first byte: an element of the type that was asked
  /// for, else integers and floating point numbers of 32 and 64 bits.
  std::vector<ElementDifference> Elements;
};

/// Finds the first difference in two copies of the bytes from \p Begin on;
/// none when they are the same.
std::optional<ByteDifference>
findByteDifference(const std::string &Original, const std::string &Rewritten,
                   uint64_t Begin,
                   std::optional<ElementType> Type = std::nullopt);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_ELEMENTS_H
