//===-- FormatTest.cpp - decisions as YAML --------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "decisions/Decisions.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using llvm::StringRef;
using ::testing::HasSubstr;

namespace {

constexpr StringRef Example = R"(version: 1
defaults:              # of the project
  layout: slot
  block-size: 256
arrays:
  - file: src/sort.cu
    function: sort_kernel
    array: counts
    occurrence: 2
    decision: keep
    why: "slot 1.31x, stripe 1.12x"
  - {file: b.cu, function: "ns::f", array: a, decision: stripe}
kernels:
  - file: src/sort.cu
    kernel: sort_kernel
    carveout: 30
    block-size: 192
    why: "1.27x, driver 0.49x"
  - {file: b.cu, kernel: "ns::k", carveout: auto}
)";

DecisionsFile parsed(StringRef Text) {
  auto File = parseDecisions(Text, "/p/.bankstripe.yaml");
  if (File)
    return *File;
  ADD_FAILURE() << toString(File.takeError());
  return {};
}

std::string errorOf(StringRef Text) {
  auto File = parseDecisions(Text, "/p/.bankstripe.yaml");
  return File ? "no error" : toString(File.takeError());
}

std::string printed(const DecisionsFile &File) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printDecisions(OS, File);
  return Text;
}

ArrayDecision decision(std::string File, std::string Array,
                       unsigned Occurrence = 1) {
  ArrayDecision D;
  D.File = std::move(File);
  D.Function = "f";
  D.Array = std::move(Array);
  D.Occurrence = Occurrence;
  D.Wanted = Layout::Slot;
  return D;
}

// A file with nothing but one decision about the carveout of `k`.
std::string kernelWith(StringRef Carveout) {
  return ("version: 1\nkernels:\n  - {file: a.cu, kernel: k, carveout: " +
          Carveout + "}\n")
      .str();
}

// One decision about `a` with the lines Rest.
std::string entryWith(StringRef Rest) {
  return ("version: 1\narrays:\n  - file: a.cu\n    function: f\n    array: "
          "a\n" +
          Rest)
      .str();
}

TEST(Parse, AllKeys) {
  DecisionsFile File = parsed(Example);
  EXPECT_EQ(File.Defaults.Wanted, Layout::Slot);
  EXPECT_EQ(File.Defaults.BlockSize, 256u);
  ASSERT_EQ(File.Arrays.size(), 2u);
  const ArrayDecision &D = File.Arrays[0];
  EXPECT_EQ(D.File, "src/sort.cu");
  EXPECT_EQ(D.Function, "sort_kernel");
  EXPECT_EQ(D.Array, "counts");
  EXPECT_EQ(D.Occurrence, 2u);
  EXPECT_EQ(D.Wanted, Layout::Keep);
  EXPECT_EQ(D.Why, "slot 1.31x, stripe 1.12x");
}

TEST(Parse, WhoDecided) {
  EXPECT_TRUE(
      parsed(entryWith("    decision: keep\n    by: tune\n")).Arrays[0].ByTune);
  EXPECT_FALSE(parsed(entryWith("    decision: keep\n")).Arrays[0].ByTune);
  EXPECT_NE(errorOf(entryWith("    decision: keep\n    by: me\n"))
                .find("unknown enumerated scalar"),
            std::string::npos);
}

TEST(Parse, WhatIsLeftOut) {
  DecisionsFile File = parsed("version: 1\n");
  EXPECT_EQ(File.Defaults.Wanted, Layout::Auto);
  EXPECT_EQ(File.Defaults.BlockSize, std::nullopt);
  EXPECT_TRUE(File.Arrays.empty());
  EXPECT_EQ(parsed(Example).Arrays[1].Occurrence, 1u);
  EXPECT_EQ(parsed(Example).Arrays[1].Why, "");
}

TEST(Parse, EachDecisionHasItsPlace) {
  DecisionsFile File = parsed(Example);
  EXPECT_EQ(File.Arrays[0].Where, (Place{"/p/.bankstripe.yaml", 6, 5}));
  EXPECT_EQ(File.Arrays[1].Where, (Place{"/p/.bankstripe.yaml", 12, 6}));
}

TEST(Parse, UnknownKeysAreShownWithLineAndCaret) {
  EXPECT_EQ(errorOf(entryWith("    decison: keep\n    decision: keep\n")),
            "/p/.bankstripe.yaml:6:5: error: unknown key 'decison'\n"
            "    decison: keep\n"
            "    ^~~~~~~");
  EXPECT_NE(errorOf("version: 1\nlayout: slot\n").find("2:1: error: unknown"),
            std::string::npos);
}

TEST(Parse, UnknownValues) {
  const std::string Error = errorOf(entryWith("    decision: strip\n"));
  EXPECT_NE(Error.find(":6:15: error: a layout is keep, stripe, slot, split, "
                       "bits or auto"),
            std::string::npos)
      << Error;
  EXPECT_EQ(Error.find("error:"), Error.rfind("error:")) << Error;
}

TEST(Parse, ADecisionMustDecide) {
  EXPECT_NE(errorOf(entryWith("    decision: auto\n"))
                .find("3:5: error: decision must be keep, stripe, slot, split "
                      "or bits; for auto, remove the entry"),
            std::string::npos);
  EXPECT_NE(errorOf(entryWith("")).find("missing required key 'decision'"),
            std::string::npos);
}

TEST(Parse, ASplitHasALength) {
  const std::string Split = "    decision: split\n", First = "    first: 8\n";
  const ArrayDecision D = parsed(entryWith(Split + First)).Arrays[0];
  EXPECT_EQ(D.Wanted, Layout::Split);
  EXPECT_EQ(D.First, 8u);
  DecisionsFile File;
  File.Arrays = {D};
  EXPECT_EQ(parsed(printed(File)).Arrays[0].First, 8u);
  for (const std::string &Text : {Split, "    decision: slot\n" + First})
    EXPECT_NE(errorOf(entryWith(Text)).find("a split, and nothing else, says"),
              std::string::npos);
}

TEST(Parse, OccurrencesCountFromOne) {
  EXPECT_NE(errorOf(entryWith("    occurrence: 0\n    decision: keep\n"))
                .find("occurrence counts from 1"),
            std::string::npos);
}

TEST(Parse, AbsolutePathsHoldOnOneMachineOnly) {
  EXPECT_NE(errorOf("version: 1\narrays:\n  - {file: /a.cu, function: f, "
                    "array: a, decision: keep}\n")
                .find("file must be relative"),
            std::string::npos);
}

TEST(Parse, TwoDecisionsAboutOneArray) {
  const std::string Twice =
      entryWith("    decision: keep\n  - {file: a.cu, function: f, array: a, "
                "decision: slot}\n");
  EXPECT_NE(errorOf(Twice).find("7:6: error: this array has a decision above"),
            std::string::npos)
      << errorOf(Twice);
}

TEST(Parse, AnotherGpuMayHaveAnotherDecision) {
  const std::string One = "version: 1\narrays:\n  - {file: a.cu, function: f, "
                          "array: a, decision: slot, gpu: ";
  const std::string Other = "}\n  - {file: a.cu, function: f, array: a, "
                            "decision: keep, gpu: sm_90}\n";
  const DecisionsFile File = parsed(One + "sm_80" + Other);
  ASSERT_EQ(File.Arrays.size(), 2u);
  EXPECT_EQ(File.Arrays[0].Gpu, "sm_80");
  EXPECT_THAT(printed(File), HasSubstr("gpu:             sm_90"));
  EXPECT_THAT(errorOf(One + "sm_90" + Other),
              HasSubstr("this array has a decision above"));
  EXPECT_THAT(errorOf(One + "H100" + Other),
              HasSubstr("gpu must be an architecture, as sm_90"));
}

TEST(Parse, SeveralArraysOfOneNameAreNoContradiction) {
  EXPECT_EQ(parsed(entryWith("    decision: keep\n  - {file: a.cu, function: "
                             "f, array: a, occurrence: 2, decision: slot}\n"))
                .Arrays.size(),
            2u);
}

TEST(Parse, BlockSizesOutOfRange) {
  for (const char *Size : {"0", "1025"})
    EXPECT_NE(errorOf(std::string("version: 1\ndefaults:\n  block-size: ") +
                      Size + "\n")
                  .find("block-size must be from 1 to 1024"),
              std::string::npos)
        << Size;
}

TEST(Parse, NamesAreOfOneLine) {
  EXPECT_THAT(errorOf("version: 1\narrays:\n  - {file: a.cu, function: f, "
                      "array: \"a\\nb\", decision: keep}\n"),
              testing::HasSubstr("must be of one line"));
  EXPECT_THAT(errorOf("version: 1\nkernels:\n  - {file: a.cu, kernel: "
                      "\"k\\rb\", carveout: auto}\n"),
              testing::HasSubstr("must be of one line"));
}

TEST(Parse, NamesThatAreNotUTF8CouldNotBeWrittenAgain) {
  for (StringRef Bad : {"\xff", "f\xe9.cu", "\\uD800"}) {
    EXPECT_THAT(errorOf("version: 1\narrays:\n  - {file: a.cu, function: f, "
                        "array: \"" +
                        Bad.str() + "\", decision: keep}\n"),
                testing::HasSubstr("a decision must be UTF-8"));
    EXPECT_THAT(errorOf("version: 1\nkernels:\n  - {file: a.cu, kernel: \"" +
                        Bad.str() + "\", carveout: auto}\n"),
                testing::HasSubstr("a decision must be UTF-8"));
  }
  EXPECT_EQ(parsed("version: 1\nkernels:\n  - {file: \"\xc3\xa9.cu\", kernel: "
                   "k, carveout: auto}\n")
                .Kernels.front()
                .File,
            "\xc3\xa9.cu");
}

TEST(Parse, OtherVersions) {
  EXPECT_NE(errorOf("version: 2\nfuture: yes\n")
                .find("1:1: error: this program knows version 1 only"),
            std::string::npos);
}

TEST(Parse, FilesWithoutAVersion) {
  EXPECT_NE(errorOf("arrays: []\n").find("missing required key 'version'"),
            std::string::npos);
  for (const char *Text : {"", "# nothing yet\n"})
    EXPECT_NE(errorOf(Text).find("has the line 'version: 1'"),
              std::string::npos)
        << Text;
}

TEST(Parse, NoYaml) {
  EXPECT_NE(errorOf("version: [1\n").find("error:"), std::string::npos);
  EXPECT_NE(errorOf("just words\n").find("error:"), std::string::npos);
}

TEST(Parse, WhatIsNestedTooDeeply) {
  // What stands in quotes closes nothing.
  for (const char *Level :
       {"[", "- ", "{a: ", "? ", "[\"]]\", ", ",", ",# ,\n "}) {
    std::string Text = "version: 1\narrays:\n";
    Text += Level[0] == ',' ? "[" : "";
    for (int I = 0; I < 40000; ++I)
      Text += Level;
    EXPECT_NE(errorOf(Text).find("nested too deeply"), std::string::npos)
        << Level;
  }
}

// Also on several lines, which become one.
TEST(Parse, TextsWithMoreCommasThanCanBeRead) {
  const std::string Commas = std::string(600, ',') + "#\n  x";
  const std::string Text = "version: 1\nkernels:\n  - {file: a.cu, carveout: "
                           "auto, kernel: \"k" +
                           Commas;
  EXPECT_EQ(errorOf(Text + "\"}\n"), "no error");
  EXPECT_NE(errorOf(Text + Commas + "\"}\n").find("1000 commas at most"),
            std::string::npos);
}

TEST(Parse, BracketsInNamesNestNothing) {
  std::string Text = "version: 1\narrays:\n";
  for (int I = 0; I < 100; ++I)
    Text += "  - {file: 'a[.cu', function: f" + std::to_string(I) +
            ", array: a, decision: keep}\n";
  EXPECT_EQ(errorOf(Text), "no error");
}

TEST(Parse, SecondDocumentsWouldBeOverlooked) {
  EXPECT_NE(errorOf("version: 1\n---\nversion: 1\n").find("more than one"),
            std::string::npos);
  EXPECT_EQ(errorOf("---\nversion: 1\n...\n"), "no error");
}

TEST(Print, SortsAndLeavesOutWhatGoesWithoutSaying) {
  DecisionsFile File;
  File.Arrays = {decision("b.cu", "a"), decision("a.cu", "a", 2),
                 decision("a.cu", "a")};
  EXPECT_EQ(printed(File), "---\n"
                           "version:         1\n"
                           "arrays:\n"
                           "  - file:            a.cu\n"
                           "    function:        f\n"
                           "    array:           a\n"
                           "    decision:        slot\n"
                           "  - file:            a.cu\n"
                           "    function:        f\n"
                           "    array:           a\n"
                           "    occurrence:      2\n"
                           "    decision:        slot\n"
                           "  - file:            b.cu\n"
                           "    function:        f\n"
                           "    array:           a\n"
                           "    decision:        slot\n"
                           "...\n");
}

TEST(Print, WhatIsReadBackIsTheSame) {
  DecisionsFile File = parsed(Example);
  File.Arrays[0].Why = "a 'quoted' reason: \"yes\"\nin two lines # really";
  File.Arrays[1].File = "with blank/true";
  File.Arrays[1].Function = "(anonymous namespace)::f";
  File.Arrays[1].ByTune = true;
  const std::string Text = printed(File);
  DecisionsFile Again = parsed(Text);
  EXPECT_EQ(printed(Again), Text);
  EXPECT_EQ(Again.Defaults, File.Defaults);
  ASSERT_EQ(Again.Arrays.size(), 2u);
  for (unsigned I : {0, 1}) {
    EXPECT_EQ(Again.Arrays[I].File, File.Arrays[I].File);
    EXPECT_EQ(Again.Arrays[I].Function, File.Arrays[I].Function);
    EXPECT_EQ(Again.Arrays[I].Why, File.Arrays[I].Why);
    EXPECT_EQ(Again.Arrays[I].ByTune, File.Arrays[I].ByTune);
  }
}

TEST(ParseKernels, AllKeys) {
  DecisionsFile File = parsed(Example);
  ASSERT_EQ(File.Kernels.size(), 2u);
  const KernelDecision &D = File.Kernels[0];
  EXPECT_EQ(D.File, "src/sort.cu");
  EXPECT_EQ(D.Kernel, "sort_kernel");
  EXPECT_EQ(textOf(D.Wanted.value()), "30");
  EXPECT_EQ(D.BlockSize, 192u);
  EXPECT_EQ(D.Why, "1.27x, driver 0.49x");
  EXPECT_TRUE(D.Where.isValid());
  EXPECT_EQ(textOf(File.Kernels[1].Wanted.value()), "auto");
  EXPECT_EQ(File.Kernels[1].BlockSize, std::nullopt);
}

TEST(ParseKernels, Carveouts) {
  for (const char *Each : {"auto", "driver", "0", "100"})
    EXPECT_EQ(textOf(parsed(kernelWith(Each)).Kernels.at(0).Wanted.value()),
              Each);
  for (const char *Each : {"101", "-1", "half", "30%", "''"})
    EXPECT_NE(errorOf(kernelWith(Each))
                  .find("carveout must be auto, driver or from 0 to 100"),
              std::string::npos)
        << Each;
}

TEST(ParseKernels, WhatIsWrongIsSaid) {
  auto Error = [](const std::string &Entry) {
    return errorOf("version: 1\nkernels:\n  - " + Entry + "\n");
  };
  EXPECT_NE(Error("{file: a.cu, kernel: k}")
                .find("a carveout or a block-size must be there"),
            std::string::npos);
  EXPECT_EQ(Error("{file: a.cu, kernel: k, block-size: 1024}"), "no error");
  EXPECT_NE(Error("{file: a.cu, kernel: k, block-size: 1025}")
                .find("block-size must be from 1 to 1024"),
            std::string::npos);
  EXPECT_NE(Error("{file: a.cu, kernel: '', carveout: 1}")
                .find("file and kernel must not be empty"),
            std::string::npos);
  EXPECT_NE(Error("{file: /a.cu, kernel: k, carveout: 1}")
                .find("file must be relative"),
            std::string::npos);
  EXPECT_NE(Error("{file: a.cu, kernel: k, carveout: 1}\n"
                  "  - {file: a.cu, kernel: k, carveout: 2}")
                .find("this kernel has a decision above"),
            std::string::npos);
}

TEST(PrintKernels, SortedAndAsTheyAreRead) {
  const std::string Text = printed(parsed(Example));
  EXPECT_LT(Text.find("'ns::k'"), Text.find("sort_kernel\n    carveout"));
  EXPECT_EQ(printed(parsed(Text)), Text);
}

} // namespace
