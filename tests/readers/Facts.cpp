//===-- Facts.cpp - reads what may be the facts of a unit -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As the cache holds them, behind a digest, and as processes send them.
//
//===----------------------------------------------------------------------===//

#include "facts/Facts.h"
#include "Reader.h"
#include "facts/Archive.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace bankstripe;

// The bytes of the longest text that there may be: each has its size, in eight
// bytes, before it.
static size_t longestText(std::string_view Input) {
  size_t Longest = 0;
  for (uint64_t Size = 0; Input.size() > sizeof(Size); Input.remove_prefix(1)) {
    std::memcpy(&Size, Input.data(), sizeof(Size));
    if (Size <= Input.size() - sizeof(Size))
      Longest = std::max<size_t>(Longest, Size);
  }
  return Longest;
}

// A list grows to twice its size. A text is the number of one that was there
// before, in four bytes, and becomes an object of 32 with a copy of that.
size_t mostBytesFor(std::string_view Input) {
  return (64 + longestText(Input) / 4) * Input.size();
}

std::vector<std::string> seeds() {
  UnitReading Reading;
  Reading.Unit.emplace();
  UnitFacts &Facts = Reading.Unit->Facts;
  Facts.Findings.resize(2);
  Facts.Kernels.resize(2);
  Facts.Contents["a.cu"] = "int a[8];";
  Reading.Unit->Resources["k"].Registers = 9;
  Reading.Diagnostics = "a.cu: error";
  return {toBytes(Reading), toBytes(UnitReading())};
}

void readInput(std::string_view Input) {
  const llvm::StringRef Bytes(Input.data(), Input.size());
  auto Reading = fromBytes<UnitReading>(Bytes);
  if (Reading && !fromBytes<UnitReading>(toBytes(*Reading)))
    std::abort(); // What is written can be read.
}
