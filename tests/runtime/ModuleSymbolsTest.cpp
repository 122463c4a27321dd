//===-- ModuleSymbolsTest.cpp - what a device image defines -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/ModuleSymbols.h"
#include "Images.h"
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

namespace {

std::vector<std::string> symbolsOf(const std::string &Bytes) {
  return variableSymbols(Bytes.data(), Bytes.size());
}

} // namespace

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
  EXPECT_EQ(symbolsOf(variables().bytes()),
            (std::vector<std::string>{"table", "total"}));
}

TEST(ModuleSymbols, ConstantsAreObjectsInConstantMemory) {
  const std::string Bytes = variables().bytes();
  EXPECT_EQ(constantSymbols(Bytes.data(), Bytes.size()),
            std::vector<std::string>{"constant"});
}

static bool defines(Image &I, const std::string &Symbol) {
  const std::string Bytes = I.bytes();
  return definesKernel(Bytes.data(), Bytes.size(), Symbol);
}

TEST(ModuleSymbols, KernelIsAFunctionInASectionOfItsOwn) {
  Image I("_Z4stepPi");
  EXPECT_FALSE(defines(I, "_Z4stepPi"));
  I.symbol("_Z4stepPi", Image::Code, 128, STT_FUNC);
  I.symbol("inlined", Image::Code, 64, STT_FUNC);
  I.symbol("table", Image::Code, 64);
  EXPECT_TRUE(defines(I, "_Z4stepPi"));
  EXPECT_FALSE(defines(I, "inlined"));
  EXPECT_FALSE(defines(I, "table"));
  EXPECT_FALSE(defines(I, ""));
}

TEST(ModuleSymbols, KernelThatIsOnlyCalledIsNotDefined) {
  Image I;
  I.symbol("kernel", Image::Undefined, 0, STT_FUNC);
  EXPECT_FALSE(defines(I, "kernel"));
}

TEST(ModuleSymbols, FunctionsFromOutsideAreUndefined) {
  Image I;
  I.symbol("malloc", Image::Undefined, 0, STT_FUNC);
  I.symbol("kernel", Image::Code, 128, STT_FUNC);
  const std::string Bytes = I.bytes();
  EXPECT_TRUE(callsOutside(Bytes.data(), Bytes.size(), "malloc"));
  EXPECT_FALSE(callsOutside(Bytes.data(), Bytes.size(), "free"));
  EXPECT_FALSE(callsOutside(Bytes.data(), Bytes.size(), "kernel"));
}

TEST(ModuleSymbols, EveryTruncationIsHarmless) {
  Image I;
  I.symbol("table", Image::Global, 400);
  const std::string Bytes = I.bytes();
  for (size_t Size = 0; Size < Bytes.size(); ++Size)
    EXPECT_TRUE(symbolsOf(std::string(Bytes, 0, Size)).size() <= 1);
  EXPECT_EQ(symbolsOf(Bytes).size(), 1u);
}

TEST(ModuleSymbols, EveryBrokenByteIsHarmless) {
  Image I;
  I.symbol("table", Image::Global, 400);
  const std::string Bytes = I.bytes();
  for (size_t At = 0; At < Bytes.size(); ++At) {
    std::string Broken = Bytes;
    Broken[At] = '\xff';
    EXPECT_LE(symbolsOf(Broken).size(), 100u);
  }
}

TEST(ModuleSymbols, WhatIsNoElfFileHasNone) {
  EXPECT_TRUE(symbolsOf("").empty());
  EXPECT_TRUE(symbolsOf(std::string(500, 'x')).empty());
}
