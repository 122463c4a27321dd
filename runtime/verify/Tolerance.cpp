//===-- Tolerance.cpp - results that may vary a little --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Tolerance.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

using namespace bankstripe::runtime;

std::optional<Tolerance>
bankstripe::runtime::parseTolerance(const std::string &Text) {
  const size_t Colon = Text.find(':');
  if (Colon == std::string::npos)
    return std::nullopt;
  const auto Type = parseElementType(Text.substr(0, Colon));
  if (!Type || !isFloating(*Type))
    return std::nullopt;
  double Value = 0;
  const char *End = Text.data() + Text.size();
  const auto [At, Error] = std::from_chars(Text.data() + Colon + 1, End, Value);
  if (Error != std::errc() || At != End || !std::isfinite(Value) || Value < 0)
    return std::nullopt;
  return Tolerance{*Type, Value};
}

// Of two elements that have not the same bits.
static double relativeDifference(double A, double B) {
  if (A == B || (std::isnan(A) && std::isnan(B)))
    return 0; // The zeros of both signs, NaNs of other bits.
  if (!std::isfinite(A) || !std::isfinite(B))
    return std::numeric_limits<double>::infinity();
  const double Larger = std::max(std::abs(A), std::abs(B));
  // The difference of two large numbers may be too large for a number.
  return Larger > 1 ? 2 * (std::abs(A / 2 - B / 2) / Larger)
                    : std::abs(A - B) / Larger;
}

ToleranceResult
bankstripe::runtime::compareWithin(const Tolerance &Within,
                                   const std::string &Original,
                                   const std::string &Rewritten) {
  const size_t Size = elementBytes(Within.Type);
  const size_t Whole =
      std::min(Original.size(), Rewritten.size()) / Size * Size;
  ToleranceResult Result;
  for (size_t At = 0; At < Whole; At += Size, ++Result.Elements) {
    const char *A = Original.data() + At, *B = Rewritten.data() + At;
    if (std::memcmp(A, B, Size) == 0)
      continue;
    ++Result.Differing;
    const double Apart = relativeDifference(elementValue(Within.Type, A),
                                            elementValue(Within.Type, B));
    Result.Beyond += Apart > Within.Relative;
    if (Apart <= Result.Largest && Result.Differing > 1)
      continue;
    Result.Largest = Apart;
    Result.Index = Result.Elements;
    Result.Original = elementText(Within.Type, A);
    Result.Rewritten = elementText(Within.Type, B);
  }
  if (Original.size() > Whole || Rewritten.size() > Whole) {
    const bool Differs = Original.substr(Whole) != Rewritten.substr(Whole);
    ++Result.Elements;
    Result.Differing += Differs;
    Result.Beyond += Differs;
  }
  return Result;
}
