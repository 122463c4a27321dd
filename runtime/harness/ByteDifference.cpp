//===-- ByteDifference.cpp - bytes that differ ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/ByteDifference.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

using namespace bankstripe::runtime;

template <class T> static std::string text(const char *Bytes) {
  T Value;
  std::memcpy(&Value, Bytes, sizeof Value);
  if constexpr (std::is_integral_v<T>)
    return std::to_string(Value);
  else // As many digits as tell all values apart.
    return fmt::format("{:.{}g}", Value, std::numeric_limits<T>::max_digits10);
}

// Ranges begin at a multiple of 256 bytes, so elements stay whole, but for what
// the end of an allocation cuts short.
template <class T>
static void addElement(ByteDifference &D, const char *Type,
                       const std::string &Original,
                       const std::string &Rewritten) {
  const uint64_t At = (D.Offset - D.Begin) / sizeof(T) * sizeof(T);
  if (At + sizeof(T) <= std::min(Original.size(), Rewritten.size()))
    D.Elements.push_back({Type, D.Offset / sizeof(T),
                          text<T>(Original.data() + At),
                          text<T>(Rewritten.data() + At)});
}

std::optional<ByteDifference> bankstripe::runtime::findByteDifference(
    const std::string &Original, const std::string &Rewritten, uint64_t Begin) {
  const size_t Size = std::min(Original.size(), Rewritten.size());
  ByteDifference Found;
  std::optional<size_t> First;
  for (size_t I = 0; I < Size; ++I) {
    if (Original[I] == Rewritten[I])
      continue;
    if (!First)
      First = I;
    ++Found.DifferingBytes;
  }
  if (!First)
    return std::nullopt;
  Found.Offset = Begin + *First;
  Found.Begin = Begin;
  Found.End = Begin + Size;
  addElement<int32_t>(Found, "i32", Original, Rewritten);
  addElement<float>(Found, "f32", Original, Rewritten);
  addElement<int64_t>(Found, "i64", Original, Rewritten);
  addElement<double>(Found, "f64", Original, Rewritten);
  if (Found.Elements.empty())
    addElement<uint8_t>(Found, "u8", Original, Rewritten);
  return Found;
}
