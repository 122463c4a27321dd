//===-- Elements.cpp - bytes of memory as elements ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Elements.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

using namespace bankstripe::runtime;

namespace {

struct TypeFacts {
  ElementType Type;
  const char *Name;
  unsigned Bytes;
};

} // namespace

static constexpr std::array<TypeFacts, 12> Types = {{
    {ElementType::I8, "i8", 1},
    {ElementType::U8, "u8", 1},
    {ElementType::I16, "i16", 2},
    {ElementType::U16, "u16", 2},
    {ElementType::I32, "i32", 4},
    {ElementType::U32, "u32", 4},
    {ElementType::I64, "i64", 8},
    {ElementType::U64, "u64", 8},
    {ElementType::F16, "f16", 2},
    {ElementType::BF16, "bf16", 2},
    {ElementType::F32, "f32", 4},
    {ElementType::F64, "f64", 8},
}};

static const TypeFacts &facts(ElementType Type) {
  return *std::find_if(Types.begin(), Types.end(),
                       [Type](const TypeFacts &F) { return F.Type == Type; });
}

std::optional<ElementType>
bankstripe::runtime::parseElementType(const std::string &Text) {
  for (const TypeFacts &F : Types)
    if (Text == F.Name)
      return F.Type;
  return std::nullopt;
}

std::string bankstripe::runtime::elementTypeNames() {
  std::string Names;
  for (const TypeFacts &F : Types)
    Names += (Names.empty() ? "" : ", ") + std::string(F.Name);
  return Names;
}

const char *bankstripe::runtime::elementName(ElementType Type) {
  return facts(Type).Name;
}

unsigned bankstripe::runtime::elementBytes(ElementType Type) {
  return facts(Type).Bytes;
}

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

double bankstripe::runtime::elementValue(ElementType Type, const char *Bytes) {
  switch (Type) {
  case ElementType::I8:
    return load<int8_t>(Bytes);
  case ElementType::U8:
    return load<uint8_t>(Bytes);
  case ElementType::I16:
    return load<int16_t>(Bytes);
  case ElementType::U16:
    return load<uint16_t>(Bytes);
  case ElementType::I32:
    return load<int32_t>(Bytes);
  case ElementType::U32:
    return load<uint32_t>(Bytes);
  case ElementType::I64:
    return static_cast<double>(load<int64_t>(Bytes));
  case ElementType::U64:
    return static_cast<double>(load<uint64_t>(Bytes));
  case ElementType::F16:
    return halfValue(load<uint16_t>(Bytes));
  case ElementType::BF16:
    return std::bit_cast<float>(uint32_t{load<uint16_t>(Bytes)} << 16);
  case ElementType::F32:
    return load<float>(Bytes);
  case ElementType::F64:
    return load<double>(Bytes);
  }
  return 0;
}

std::string bankstripe::runtime::elementText(ElementType Type,
                                             const char *Bytes) {
  // Their values need not fit into a double.
  if (Type == ElementType::I64)
    return std::to_string(load<int64_t>(Bytes));
  if (Type == ElementType::U64)
    return std::to_string(load<uint64_t>(Bytes));
  const double Value = elementValue(Type, Bytes);
  switch (Type) {
  case ElementType::F16:
    return fmt::format("{:.5g}", Value);
  case ElementType::BF16:
    return fmt::format("{:.4g}", Value);
  case ElementType::F32:
    return fmt::format("{:.9g}", Value);
  case ElementType::F64:
    return fmt::format("{:.17g}", Value);
  default:
    return fmt::format("{:.0f}", Value);
  }
}

// What there is of the bytes; the end of an allocation may cut a word short.
template <class T> static T wordAt(const std::string &Bytes, uint64_t Offset) {
  T Word = 0;
  std::memcpy(&Word, Bytes.data() + Offset,
              std::min<uint64_t>(sizeof Word, Bytes.size() - Offset));
  return Word;
}

static void describeElement(ByteDifference &D, const std::string &Original,
                            const std::string &Rewritten, ElementType Type) {
  const uint64_t Size = elementBytes(Type);
  const uint64_t At = (D.Offset - D.Begin) / Size * Size;
  if (At + Size > std::min(Original.size(), Rewritten.size()))
    return;
  D.ElementType = elementName(Type);
  D.Index = D.Offset / Size;
  D.OriginalValue = elementText(Type, Original.data() + At);
  D.RewrittenValue = elementText(Type, Rewritten.data() + At);
}

std::optional<ByteDifference> bankstripe::runtime::findByteDifference(
    const std::string &Original, const std::string &Rewritten, uint64_t Begin,
    std::optional<ElementType> Type) {
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
  // Ranges begin at a multiple of 256 bytes, so words stay whole.
  const uint64_t Word = *First / 4 * 4, Long = *First / 8 * 8;
  Found.Offset = Begin + *First;
  Found.Begin = Begin;
  Found.End = Begin + Size;
  Found.WordOffset = Begin + Word;
  Found.OriginalWord = wordAt<uint32_t>(Original, Word);
  Found.RewrittenWord = wordAt<uint32_t>(Rewritten, Word);
  Found.LongOffset = Begin + Long;
  Found.OriginalLong = wordAt<uint64_t>(Original, Long);
  Found.RewrittenLong = wordAt<uint64_t>(Rewritten, Long);
  if (Type)
    describeElement(Found, Original, Rewritten, *Type);
  return Found;
}
