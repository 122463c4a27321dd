//===-- Modules.cpp - reads what may be a module --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../runtime/Images.h"
#include "Reader.h"
#include "recording/ModuleSymbols.h"

using namespace bankstripe::runtime;

// A symbol has 24 bytes and becomes an object of 32 with its name, in lists
// that grow to twice their size. Tables of symbols may overlap; their names are
// counted.
size_t mostBytesFor(std::string_view Input) { return 64 * Input.size(); }

std::vector<std::string> seeds() {
  Image Some;
  Some.symbol("_ZN12_GLOBAL__N_15tableE", Image::Global, 64);
  Some.symbol("numbers", Image::Constant, 8);
  Some.symbol("_Z3addPfi", Image::Undefined, 0, STT_FUNC);
  Some.kernel("_Z4stepPi");
  return {Some.bytes()};
}

void readInput(std::string_view Input) { symbolsOf(Input); }
