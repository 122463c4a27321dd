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

#include "Reader.h"
#include "facts/Archive.h"
#include <cstdlib>

using namespace bankstripe;

// A list grows to twice its size. A text is the number of one that was there
// before, in four bytes, and becomes a copy of that: half of the bytes may be
// one text, and the others name it. Whoever makes such bytes is the tool.
size_t mostBytesFor(size_t Bytes) { return 64 * Bytes + Bytes * Bytes / 16; }

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
