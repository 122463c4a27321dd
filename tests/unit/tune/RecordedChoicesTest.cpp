//===-- RecordedChoicesTest.cpp - what programs chose ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tune/RecordedChoices.h"
#include "gtest/gtest.h"

using namespace bankstripe;

namespace {

std::string line(const std::string &Kernel, double Original, double Version,
                 unsigned Pairs = 3,
                 const std::string &Architecture = "sm_90") {
  return "{\"kernel\": \"" + Kernel +
         "\", \"gpu\": \"NVIDIA H100\", \"architecture\": \"" + Architecture +
         "\", \"device\": 0, \"grid\": [4, 1, 1], "
         "\"block\": [64, 1, 1], \"pairs\": " +
         std::to_string(Pairs) +
         ", \"original_us\": " + std::to_string(Original) +
         ", \"version_us\": " + std::to_string(Version) +
         ", \"chosen\": \"version\"}\n";
}

std::vector<RecordedChoice> read(const std::string &Text) {
  return llvm::cantFail(readChoices(Text));
}

// A kernel that chooses, with an array that becomes a slot in its version.
Plan planOf(const std::string &Kernel) {
  Plan P;
  KernelPlan &K = P.Kernels.emplace_back();
  K.Facts.Name = Kernel;
  K.Facts.Text.Definition = {"/a.cu", 10, 100};
  K.Chooses = true;
  PlannedArray &A = P.Arrays.emplace_back();
  A.Array.Name = "values";
  A.Array.Where = {"/a.cu", 2, 3};
  A.Array.Function.Name = Kernel;
  A.Kernels = {0};
  A.Verdict.Kind = VerdictKind::Slot;
  return P;
}

} // namespace

TEST(RecordedChoices, AreATableWithWhatWonMostFirst) {
  auto Choices = read(line("sum", 10, 20) + line("fold", 3867.34, 3113.8));
  Choices[1].OriginalLaunches = 3;
  Choices[1].VersionLaunches = 97;
  Choices[1].WaitedMicroseconds = 104216;
  Choices[1].WonMicroseconds = 73094;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printChoices(OS, Choices);
  EXPECT_EQ("\n" + Text, R"(
kernel                                 grid      block original us version us  chosen    launches   version  waited ms    won ms
fold                                      4         64      3867.3     3113.8  version        100        97      104.2      73.1
sum                                       4         64        10.0       20.0  version          0         0        0.0       0.0
)");
}

TEST(RecordedChoices, BecomeDecisionsForTheFasterKernel) {
  const Plan P = planOf("sum");
  DecisionsFile D = decisionsFrom(read(line("sum", 10, 5)), P);
  ASSERT_EQ(D.Arrays.size(), 1u);
  EXPECT_EQ(D.Arrays[0].Wanted, Layout::Slot);
  EXPECT_TRUE(D.Arrays[0].ByTune);
  EXPECT_EQ(D.Arrays[0].Gpu, "sm_90");
  EXPECT_EQ(D.Arrays[0].Why, "programs chose on an NVIDIA H100: 2.00x");
  D = decisionsFrom(read(line("sum", 5, 10)), P);
  ASSERT_EQ(D.Arrays.size(), 1u);
  EXPECT_EQ(D.Arrays[0].Wanted, Layout::Keep);
}

TEST(RecordedChoices, CountAllSettingsOfAllInstances) {
  const Plan P = planOf("space::(anonymous namespace)::sum");
  const std::string Slow = line("space::{anonymous}::sum<int, 4>", 5, 10);
  const std::string Fast = line("space::{anonymous}::sum<float, 4>", 10, 2);
  EXPECT_EQ(decisionsFrom(read(Slow + Fast), P).Arrays.at(0).Wanted,
            Layout::Slot);
  EXPECT_EQ(
      decisionsFrom(read(Slow + Fast + Slow + Slow), P).Arrays.at(0).Wanted,
      Layout::Keep);
}

TEST(RecordedChoices, AreOfTheirArchitecture) {
  const DecisionsFile D = decisionsFrom(
      read(line("sum", 10, 5) + line("sum", 5, 10, 3, "sm_80")), planOf("sum"));
  ASSERT_EQ(D.Arrays.size(), 2u);
  EXPECT_EQ(D.Arrays[0].Gpu, "sm_80");
  EXPECT_EQ(D.Arrays[0].Wanted, Layout::Keep);
  EXPECT_EQ(D.Arrays[1].Gpu, "sm_90");
  EXPECT_EQ(D.Arrays[1].Wanted, Layout::Slot);
}

TEST(RecordedChoices, SayNothingOfWhatWasNotCompared) {
  EXPECT_TRUE(
      decisionsFrom(read(line("sum", 10, 5, 0)), planOf("sum")).Arrays.empty());
  EXPECT_TRUE(
      decisionsFrom(read(line("other", 10, 5)), planOf("sum")).Arrays.empty());
  Plan P = planOf("sum");
  P.Kernels[0].Chooses = false;
  EXPECT_TRUE(decisionsFrom(read(line("sum", 10, 5)), P).Arrays.empty());
}

TEST(RecordedChoices, SayNothingOfKernelsOfOneName) {
  Plan P = planOf("sum");
  P.Kernels.push_back(P.Kernels[0]);
  P.Kernels[1].Facts.Text.Definition.File = "/b.cu";
  EXPECT_TRUE(decisionsFrom(read(line("sum", 10, 5)), P).Arrays.empty());
}

TEST(RecordedChoices, AreLinesOfJson) {
  EXPECT_EQ(read("\n" + line("sum", 10, 5) + "\n").size(), 1u);
  for (const char *Bad : {"sum", "{}", "{\"kernel\": \"sum\"}", "[1]"}) {
    auto Read = readChoices(Bad);
    EXPECT_FALSE(Read) << Bad;
    llvm::consumeError(Read.takeError());
  }
}
