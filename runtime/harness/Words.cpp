//===-- Words.cpp - what all reports say of differences -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/Words.h"
#include "contract/Symbols.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

using namespace bankstripe;
using namespace bankstripe::runtime;

std::string bankstripe::runtime::plural(uint64_t Count,
                                        const std::string &One) {
  return fmt::format("{} {}{}", Count, One,
                     Count == 1           ? ""
                     : One.ends_with("h") ? "es"
                                          : "s");
}

std::string bankstripe::runtime::plainDurationText(
    const std::optional<double> &Nanoseconds) {
  if (!Nanoseconds)
    return "-";
  if (*Nanoseconds < 1e6)
    return fmt::format("{:.2f} us", *Nanoseconds / 1e3);
  if (*Nanoseconds < 1e9)
    return fmt::format("{:.3f} ms", *Nanoseconds / 1e6);
  return fmt::format("{:.3f} s", *Nanoseconds / 1e9);
}

std::string bankstripe::runtime::differenceText(const ByteDifference &B,
                                                std::string_view Original,
                                                std::string_view Rewritten) {
  std::string Text = fmt::format(
      "  first differing byte: {}; {} of the bytes {} to {} differ\n", B.Offset,
      B.DifferingBytes, B.Begin, B.End - 1);
  for (const ElementDifference &E : B.Elements)
    Text += fmt::format("  element {} ({}): {} {}, {} {}\n", E.Index, E.Type,
                        Original, E.Original, Rewritten, E.Rewritten);
  return Text;
}

std::string bankstripe::runtime::memoryName(const std::string &Variable,
                                            unsigned Number, uint64_t Bytes) {
  return fmt::format("{} ({})",
                     Variable.empty() ? fmt::format("allocation {}", Number)
                                      : "variable " + canonicalName(Variable),
                     plural(Bytes, "byte"));
}

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
