//===-- ModuleSymbolsTest.cpp - what a device image defines -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/ModuleSymbols.h"
#include "Images.h"
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

static Image variables() {
  Image I;
  I.symbol("table", Image::Global, 400);
  I.symbol("constant", Image::Constant, 4);
  I.symbol("$str", Image::Global, 12);
  I.symbol("kernel", Image::Global, 128, STT_FUNC);
  I.symbol("empty", Image::Global, 0);
  I.symbol("total", Image::Global, 4);
  return I;
}

TEST(ModuleSymbols, VariablesAreObjectsInGlobalMemory) {
  EXPECT_EQ(symbolsOf(variables().bytes()).Variables,
            (std::vector<std::string>{"table", "total"}));
}

TEST(ModuleSymbols, ConstantsAreObjectsInConstantMemory) {
  EXPECT_EQ(symbolsOf(variables().bytes()).Constants,
            std::vector<std::string>{"constant"});
}

TEST(ModuleSymbols, KernelsCanBeLaunchedAndHaveTheirOwnSections) {
  Image I;
  I.kernel("_Z4stepPi");
  I.symbol("called", I.section(".text.called"), 64, STT_FUNC);
  I.symbol("inlined", I.section(".text._Z4skipPi"), 64, STT_FUNC, 0x10);
  I.symbol("table", I.section(".text.table"), 64, STT_OBJECT, 0x10);
  I.symbol("elsewhere", Image::Undefined, 0, STT_FUNC, 0x10);
  I.kernel("_Z4fillPi");
  EXPECT_EQ(symbolsOf(I.bytes()).Kernels,
            (std::vector<std::string>{"_Z4stepPi", "_Z4fillPi"}));
}

TEST(ModuleSymbols, FunctionsFromOutsideAreUndefined) {
  Image I;
  I.symbol("malloc", Image::Undefined, 0, STT_FUNC);
  I.kernel("kernel");
  EXPECT_EQ(symbolsOf(I.bytes()).Outside, std::vector<std::string>{"malloc"});
}

TEST(ModuleSymbols, EveryTruncationIsHarmless) {
  Image I;
  I.symbol("table", Image::Global, 400);
  const std::string Bytes = I.bytes();
  for (size_t Size = 0; Size < Bytes.size(); ++Size)
    EXPECT_LE(symbolsOf(std::string(Bytes, 0, Size)).Variables.size(), 1u);
  EXPECT_EQ(symbolsOf(Bytes).Variables.size(), 1u);
}

TEST(ModuleSymbols, EveryBrokenByteIsHarmless) {
  Image I;
  I.symbol("table", Image::Global, 400);
  const std::string Bytes = I.bytes();
  for (size_t At = 0; At < Bytes.size(); ++At) {
    std::string Broken = Bytes;
    Broken[At] = '\xff';
    EXPECT_LE(symbolsOf(Broken).Variables.size(), 100u);
    EXPECT_LE(symbolsOf(Broken).Kernels.size(), 100u);
  }
}

TEST(ModuleSymbols, WhatIsNoElfFileHasNone) {
  EXPECT_TRUE(symbolsOf("").Variables.empty());
  EXPECT_TRUE(symbolsOf(std::string(500, 'x')).Variables.empty());
}
