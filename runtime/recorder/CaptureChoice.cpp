//===-- CaptureChoice.cpp - which launches of a kernel to keep ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/CaptureChoice.h"
#include <algorithm>
#include <bit>

using namespace bankstripe::runtime;

// Where nearly every launch has another size, sizes count like launches.
bool CaptureChoice::wants(const LaunchSize &Of) {
  const uint64_t Number = ++Launches[Of];
  return std::has_single_bit(Number) &&
         (Number > 1 || Launches.size() <= Most ||
          std::has_single_bit(Launches.size()));
}

std::optional<uint64_t>
CaptureChoice::captured(uint64_t Number, const LaunchSize &Of, double Seconds) {
  All.push_back({Number, Of, Seconds});
  if (All.size() <= Most)
    return std::nullopt;
  const auto OfSize = [this](const LaunchSize &Size) {
    return std::ranges::count(All, Size, &Kept::Size);
  };
  const auto Goes = std::ranges::min_element(All, {}, [&](const Kept &K) {
    const bool IsLatest = std::ranges::none_of(All, [&](const Kept &Other) {
      return Other.Size == K.Size && Other.Number > K.Number;
    });
    const auto Count = OfSize(K.Size);
    return std::tuple(-Count, IsLatest && Count > 1, K.Seconds);
  });
  const uint64_t Gone = Goes->Number;
  All.erase(Goes);
  return Gone;
}
