//===-- MappedRanges.cpp - addresses with memory behind them --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/MappedRanges.h"

using namespace bankstripe::runtime;

// Memory that is mapped in parts counts as fresh in the first part alone: to
// fill what holds something would change what the program computes.
bool MappedRanges::mapped(uint64_t Address, uint64_t Bytes, Handle Memory) {
  // What is stored through the new addresses is there at the others as well.
  bool IsElsewhere = false;
  for (auto &[Start, R] : Ranges)
    if (R.Memory == Memory && Start != Address) {
      R.IsFresh = false;
      IsElsewhere = true;
    }
  Ranges[Address] = {Address, Bytes, Fresh.erase(Memory) > 0, Memory};
  return IsElsewhere;
}

void MappedRanges::unmapped(uint64_t Address, uint64_t Bytes) {
  for (const Range &R : within(Address, Bytes))
    Ranges.erase(R.Address);
}

std::vector<MappedRanges::Range> MappedRanges::within(uint64_t Address,
                                                      uint64_t Bytes) const {
  std::vector<Range> Found;
  for (auto At = Ranges.lower_bound(Address);
       At != Ranges.end() && At->first < Address + Bytes; ++At)
    if (At->first + At->second.Bytes <= Address + Bytes)
      Found.push_back(At->second);
  return Found;
}

void MappedRanges::filled(uint64_t Address) {
  if (const auto At = Ranges.find(Address); At != Ranges.end())
    At->second.IsFresh = false;
}
