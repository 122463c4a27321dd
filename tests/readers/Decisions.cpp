//===-- Decisions.cpp - reads what may be a decisions file ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "decisions/Decisions.h"
#include "Reader.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace bankstripe;

// A node of YAML has one or two bytes and becomes an object of 200.
size_t mostBytesFor(std::string_view Input) { return 512 * Input.size(); }

std::vector<std::string> seeds() {
  return {R"(version: 1
defaults:              # of the project
  layout: slot
  block-size: 256
arrays:
  - file: src/sort.cu
    function: sort_kernel
    array: counts
    occurrence: 2
    decision: keep
    why: "slot 1.31x\e"
  - {file: b.cu, function: "ns::f", array: a, decision: stripe}
kernels:
  - file: src/sort.cu
    kernel: sort_kernel
    carveout: 30
    block-size: 192
  - {file: b.cu, kernel: "ns::k", carveout: auto}
)"};
}

void readInput(std::string_view Input) {
  auto File = parseDecisions({Input.data(), Input.size()}, "a.yaml");
  if (!File)
    return consumeError(File.takeError());
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printDecisions(OS, *File);
  auto Again = parseDecisions(Text, "a.yaml");
  if (!Again)
    std::abort(); // What is written can be read.
}
