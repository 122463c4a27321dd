//===-- CompilerOptionsTest.cpp - the table of compilers' options ---------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/CompilerOptions.h"
#include "gmock/gmock.h"

using namespace bankstripe;
using ::testing::ElementsAre;
using Strings = std::vector<std::string>;

static Strings valuesOf(OptionMeaning Meaning, Dialect WrittenFor,
                        const Strings &Args) {
  Strings Values;
  for (const CompilerOption &Option : readOptions(WrittenFor, Args))
    if (Option.Meaning == Meaning)
      Values.push_back(Option.Value);
  return Values;
}

static Strings inputsOf(Dialect WrittenFor, const Strings &Args) {
  return valuesOf(OptionMeaning::Input, WrittenFor, Args);
}

TEST(CompilerOptions, NvccTakesValuesInEverySpelling) {
  EXPECT_THAT(valuesOf(OptionMeaning::Output, Dialect::Nvcc,
                       {"-o", "a", "-o=b", "-oc", "--output-file", "d",
                        "--output-file=e", "-output-file", "f", "--o=g"}),
              ElementsAre("a", "b", "c", "d", "e", "f", "g"));
}

TEST(CompilerOptions, OnlyNumbersAreGluedToSomeOfNvccsOptions) {
  EXPECT_THAT(inputsOf(Dialect::Nvcc,
                       {"-t8", "a", "-trigraphs", "b", "-m64", "c",
                        "-march=native", "d", "-O3", "e", "-lineinfo", "f"}),
              ElementsAre("a", "b", "c", "d", "e", "f"));
}

TEST(CompilerOptions, AValueThatIsMissingIsEmpty) {
  for (Dialect WrittenFor : {Dialect::Nvcc, Dialect::Clang})
    EXPECT_EQ(readOptions(WrittenFor, {"-Ia", "-o"}).size(), 2u);
  EXPECT_THAT(valuesOf(OptionMeaning::Output, Dialect::Nvcc, {"-o"}),
              ElementsAre(""));
}

TEST(CompilerOptions, ValuesOfClangsOptionsAreNoInputs) {
  EXPECT_THAT(
      inputsOf(Dialect::Clang, {"-Xclang", "-foo", "-mllvm", "x", "-MF", "a.d",
                                "-o", "a.o", "-isystem", "i", "-include", "h",
                                "-target", "t", "-Xcuda-ptxas", "-v", "a.cu"}),
      ElementsAre("a.cu"));
}

TEST(CompilerOptions, ClangsAliasesMeanTheSame) {
  EXPECT_THAT(valuesOf(OptionMeaning::Architecture, Dialect::Clang,
                       {"--cuda-gpu-arch=sm_80", "--offload-arch=sm_90"}),
              ElementsAre("sm_80", "sm_90"));
  EXPECT_THAT(valuesOf(OptionMeaning::Output, Dialect::Clang,
                       {"-oa", "--output", "b", "--output=c"}),
              ElementsAre("a", "b", "c"));
}

TEST(CompilerOptions, WhatNvccDoesNotKnowIsForTheHostsCompiler) {
  EXPECT_THAT(valuesOf(OptionMeaning::QuoteInclude, Dialect::Nvcc,
                       {"-iquote", "a", "-iquoteb"}),
              ElementsAre("a", "b"));
}

static Strings wordsWith(bool CompilerOption::*Column, Dialect WrittenFor,
                         const Strings &Args) {
  Strings Words;
  for (const CompilerOption &Option : readOptions(WrittenFor, Args))
    if (Option.*Column)
      Words.insert(Words.end(), Option.Words.begin(), Option.Words.end());
  return Words;
}

TEST(CompilerOptions, AParseSeesMoreOfClangsOptionsThanOfTheHosts) {
  const Strings Args = {"-fexceptions", "-ffast-math",   "-fPIC",
                        "-DA",          "-march=native", "-Wall"};
  EXPECT_THAT(wordsWith(&CompilerOption::ToClang, Dialect::Clang, Args),
              ElementsAre("-fexceptions", "-ffast-math", "-DA"));
  EXPECT_THAT(wordsWith(&CompilerOption::ToClang, Dialect::Host, Args),
              ElementsAre("-fexceptions", "-DA"));
}

TEST(CompilerOptions, TheCubinIsMadeWithoutPhasesOutputsAndLibraries) {
  EXPECT_THAT(wordsWith(&CompilerOption::ToCubin, Dialect::Nvcc,
                        {"-c", "-O3", "-t8", "-oa.o", "-gencode",
                         "arch=compute_90,code=sm_90", "-Xptxas", "-v", "-ddp",
                         "x", "-lm", "-E", "-S", "--err-no", "-DA"}),
              ElementsAre("-O3", "-Xptxas", "-v", "--err-no", "-DA"));
  // nvcc does not know what is NVRTC's own.
  EXPECT_THAT(wordsWith(&CompilerOption::ToCubin, Dialect::Nvcc,
                        {"-default-device", "--device-int128", "--minimal",
                         "--builtin-move-forward=true", "--use_fast_math"}),
              ElementsAre("--use_fast_math"));
}
