//===-- Elements.cpp - bytes of memory as elements ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Elements.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

using namespace bankstripe::runtime;

template <class T> static T load(const char *Bytes) {
  T Value;
  std::memcpy(&Value, Bytes, sizeof Value);
  return Value;
}

static double halfValue(uint16_t Bits) {
  const double Sign = Bits & 0x8000 ? -1 : 1;
  const int Exponent = (Bits >> 10) & 31;
  const int Fraction = Bits & 1023;
  if (Exponent == 31)
    return Fraction ? std::numeric_limits<double>::quiet_NaN()
                    : Sign * std::numeric_limits<double>::infinity();
  return Exponent ? Sign * std::ldexp(1024 + Fraction, Exponent - 25)
                  : Sign * std::ldexp(Fraction, -24);
}

template <class T> static std::string integerText(const char *Bytes) {
  return std::to_string(load<T>(Bytes));
}
static std::string halfText(const char *Bytes) {
  return fmt::format("{:.5g}", halfValue(load<uint16_t>(Bytes)));
}
static std::string brainText(const char *Bytes) {
  return fmt::format(
      "{:.4g}", std::bit_cast<float>(uint32_t{load<uint16_t>(Bytes)} << 16));
}
static std::string floatText(const char *Bytes) {
  return fmt::format("{:.9g}", load<float>(Bytes));
}
static std::string doubleText(const char *Bytes) {
  return fmt::format("{:.17g}", load<double>(Bytes));
}

namespace {

struct TypeFacts {
  std::string_view Name;
  unsigned Bytes;
  std::string (*Text)(const char *Bytes);
};

} // namespace

static constexpr TypeFacts Types[] = {
    {"i8", 1, integerText<int8_t>},
    {"u8", 1, integerText<uint8_t>},
    {"i16", 2, integerText<int16_t>},
    {"u16", 2, integerText<uint16_t>},
    {"i32", 4, integerText<int32_t>},
    {"u32", 4, integerText<uint32_t>},
    {"i64", 8, integerText<int64_t>},
    {"u64", 8, integerText<uint64_t>},
    {"f16", 2, halfText},
    {"bf16", 2, brainText},
    {"f32", 4, floatText},
    {"f64", 8, doubleText},
};

static const TypeFacts &facts(std::string_view Type) {
  return *std::ranges::find(Types, Type, &TypeFacts::Name);
}

std::vector<std::string> bankstripe::runtime::elementTypes() {
  std::vector<std::string> Names;
  for (const TypeFacts &F : Types)
    Names.emplace_back(F.Name);
  return Names;
}

std::string bankstripe::runtime::elementText(std::string_view Type,
                                             const char *Bytes) {
  return facts(Type).Text(Bytes);
}

// Ranges begin at a multiple of 256 bytes, so elements stay whole, but for what
// the end of an allocation cuts short.
static void addElement(ByteDifference &D, const std::string &Original,
                       const std::string &Rewritten, const std::string &Type) {
  const uint64_t Size = facts(Type).Bytes;
  const uint64_t At = (D.Offset - D.Begin) / Size * Size;
  if (At + Size <= std::min(Original.size(), Rewritten.size()))
    D.Elements.push_back({Type, D.Offset / Size,
                          elementText(Type, Original.data() + At),
                          elementText(Type, Rewritten.data() + At)});
}

std::optional<ByteDifference> bankstripe::runtime::findByteDifference(
    const std::string &Original, const std::string &Rewritten, uint64_t Begin,
    const std::string &Type) {
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
  for (const char *Guess : {"i32", "f32", "i64", "f64"})
    if (Type.empty())
      addElement(Found, Original, Rewritten, Guess);
  if (Found.Elements.empty())
    addElement(Found, Original, Rewritten, Type.empty() ? "u8" : Type);
  return Found;
}
