//===-- TextTest.cpp - the plan for people --------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compared as a whole, since layout is what this is for.
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "report/Report.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::HasSubstr;

namespace {

std::string text(const Plan &P, Detail Level = Detail::Normal,
                 const ConfirmedResources &R = {}) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printText(OS, P, R, Level);
  return Text;
}

const char Messages[] =
    R"(/src/count.cu:2:8: remark: per-thread array 'seen' (char[16], 16 bytes per thread) moves to a stripe in shared memory: its dynamic indices force it into local memory [stripe, dynamic-index]
    2 |   char seen[16];
      |        ^
note: it takes 8192 bytes of shared memory per block, one element per word; index non-uniform
)";
const char InRegisters[] =
    R"(/src/count.cu:3:7: remark: per-thread array 'pair' (int[2], 8 bytes per thread) is left alone: the optimiser promotes it to registers [registers, stays-in-registers]
    3 |   int pair[2];
      |       ^
)";
const char InSlot[] =
    R"(/src/count.cu:4:7: remark: per-thread array 'list' (int[4], 16 bytes per thread) moves to a slot in shared memory: it is passed to a function by pointer (sort) [slot, passed-to-function]
    4 |   int list[4];
      |       ^
note: it takes 2560 bytes of shared memory per block; index unknown
)";
const char Refused[] =
    R"(/src/count.cu:6:7: warning: per-thread array 'row' (int[4], 16 bytes per thread) probably stays in local memory: decltype or a constant expression looks at it, and would see a reference afterwards [unsupported, decltype]
    6 |   int row[4];
      |       ^
/src/count.cu:7:12: note: write the type, or the number of its elements
    7 |   decltype(row) other;
      |            ^
)";
const char KernelHead[] = R"(
kernel count at count.cu:1
  block size               128 threads, from launch at count.cu:9 (literal); __launch_bounds__ is added
  static shared memory     0 -> 10752 bytes per block
  occupancy                64 -> 60 warps per SM
)";
const char Summary[] = R"(
4 per-thread arrays: 1 stripe, 1 slot, 1 registers, 1 unsupported
)";

KernelResources resources(unsigned StackFrame, unsigned Registers) {
  KernelResources R;
  R.StackFrame = StackFrame;
  R.Registers = Registers;
  return R;
}

TEST(Text, SaysWhatAllLaunchesRestOn) {
  Plan P = samplePlan();
  P.ProgramFiles = 12;
  EXPECT_TRUE(llvm::StringRef(text(P)).ends_with(
      std::string(Summary) + "launches of 12 files were read\n"));
}

TEST(Text, Normal) {
  EXPECT_EQ(text(samplePlan()),
            std::string(Messages) + InSlot + Refused + KernelHead + Summary);
}

TEST(Text, WhatNoKernelReachesIsNotWarnedOf) {
  Plan P = samplePlan();
  P.Arrays = {P.Arrays[3]};
  P.Arrays[0].Kernels.clear();
  EXPECT_TRUE(llvm::StringRef(text(P)).starts_with(
      "/src/count.cu:6:7: remark: per-thread array 'row' (int[4], 16 bytes per "
      "thread) is left alone: decltype"));
}

TEST(Text, VerboseSaysHowMuchOfAFrameNoArrayExplains) {
  Plan P = samplePlan();
  P.Kernels[0].Frame = {72, 24};
  EXPECT_NE(text(P, Detail::Verbose)
                .find("remark: 24 bytes of the stack frame of kernel 'count' "
                      "(72 bytes, by ptxas) belong to no known array"),
            std::string::npos);
  EXPECT_EQ(text(P).find("stack frame"), std::string::npos);
}

TEST(Text, VerboseAlsoShowsRegisters) {
  EXPECT_EQ(text(samplePlan(), Detail::Verbose),
            std::string(Messages) + InRegisters + InSlot + Refused +
                KernelHead + Summary);
}

TEST(Text, QuietIsNothing) { EXPECT_EQ(text(samplePlan(), Detail::Quiet), ""); }

TEST(Text, WhatPtxasSays) {
  ConfirmedResources R;
  R.Before["_Z5countPii"] = resources(64, 24);
  R.After["_Z5countPii"] = resources(0, 24);
  EXPECT_EQ(
      text(samplePlan(), Detail::Normal, R),
      std::string(Messages) + InSlot + Refused + KernelHead +
          "  stack frame              64 -> 0 bytes per thread, by ptxas\n"
          "  registers                24 per thread, by ptxas\n" +
          Summary);
}

// --- Other architectures ----------------------------------------------------

TEST(Text, PredictionsForAnotherArchitectureSayWhereTheyComeFrom) {
  const char Row[] = "  predicted with           constants fitted on an NVIDIA "
                     "H200 (sm_90)\n";
  Plan P = samplePlan();
  P.Kernels[0].Predicted = Prediction();
  P.GpuArch = "sm_90";
  EXPECT_EQ(text(P).find(Row), std::string::npos);
  P.GpuArch = "sm_80";
  EXPECT_NE(text(P).find(Row), std::string::npos);
  // Nothing is said where nothing was predicted.
  P.Kernels[0].Predicted.reset();
  EXPECT_EQ(text(P).find(Row), std::string::npos);
}

// --- Kernels ----------------------------------------------------------------

TEST(Text, PredictionHasARangeAndTwoFactors) {
  EXPECT_THAT(text(predictedPlan()),
              HasSubstr("  predicted speedup        2.25 (0.75 to 4.50): "
                        "resource factor 0.90, access factor 2.50\n"));
}

TEST(Text, OccupancyWithoutRegistersSaysSo) {
  Plan P = samplePlan();
  P.Kernels[0].Registers = 0;
  EXPECT_NE(text(P).find("64 -> 60 warps per SM, registers not "
                         "known\n"),
            std::string::npos);
}

TEST(Text, OccupancyWithoutLimitsSaysSo) {
  Plan P = samplePlan();
  P.Kernels[0].WarpsBefore = P.Kernels[0].WarpsAfter = 0;
  P.GpuArch = "sm_60";
  EXPECT_NE(text(P).find("not known for sm_60\n"), std::string::npos);
  P.GpuArch = "sm_90";
  EXPECT_EQ(text(P).find("occupancy"), std::string::npos);
}

TEST(Text, KernelThatStaysIsLeftOut) {
  Plan P = samplePlan();
  P.Kernels[0].MovesArrays = false;
  EXPECT_EQ(text(P).find("kernel count"), std::string::npos);
  EXPECT_NE(text(P, Detail::Verbose).find("kernel count"), std::string::npos);
}

TEST(Text, KernelWithoutABlockSize) {
  Plan P = samplePlan();
  KernelPlan &K = P.Kernels[0];
  K.SharedAfter = K.SharedBefore;
  K.MovesArrays = false;
  K.Block.Threads = 0;
  K.Block.Text = "";
  K.AddLaunchBounds = false;
  EXPECT_NE(
      text(P, Detail::Verbose).find("  block size               not known\n"),
      std::string::npos);
}

TEST(Text, KernelsWithAVersion) {
  Plan P = samplePlan();
  KernelPlan &K = P.Kernels[0];
  K.AddLaunchBounds = false;
  K.HasVersion = true;
  K.WarpBytes = 640;
  const std::string Begin = "128 threads, from launch at count.cu:9 (literal); "
                            "launches ";
  EXPECT_THAT(text(P), HasSubstr(Begin + "run its version where there is room "
                                         "for their blocks\n"));
  EXPECT_THAT(text(P), HasSubstr("640 bytes per warp, which launches bring\n"));
  K.Chooses = true;
  EXPECT_THAT(text(P),
              HasSubstr(Begin + "choose between it and its version\n"));
}

TEST(Text, AdviceWithoutAPlaceOfItsOwn) {
  Plan P = samplePlan();
  P.Arrays = {sampleArray("list", 4, Reason::Goto)};
  EXPECT_NE(text(P).find("note: write the jump as a loop or a function, "),
            std::string::npos);
}

// Behind the launcher nobody gives paths.
TEST(Text, AdviceToGiveAPathIsForThoseWhoGivePaths) {
  Plan P = samplePlan();
  P.Arrays = {sampleArray("list", 4, Reason::OutsidePaths)};
  for (bool PathsGiven : {true, false}) {
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    printText(OS, P, {}, Detail::Normal, PathsGiven);
    EXPECT_EQ(llvm::StringRef(Text).contains("note: name that file"),
              PathsGiven);
  }
}

TEST(Text, TableTakesNothing) {
  Plan P = samplePlan();
  P.Arrays = {sampleArray("list", 4, Reason::ConstantTable)};
  std::string Text = text(P);
  EXPECT_NE(Text.find("remark: per-thread array 'list'"), std::string::npos);
  EXPECT_NE(Text.find("becomes a static const table"), std::string::npos);
  EXPECT_EQ(Text.find("it takes"), std::string::npos);
}

TEST(Text, OneOfEach) {
  Plan P = samplePlan();
  P.Arrays = {sampleArray("c", 2, Reason::StaysInRegisters)};
  P.Arrays[0].Array.Shape.BytesPerThread = 1;
  P.Kernels.clear();
  std::string Text = text(P, Detail::Verbose);
  EXPECT_NE(Text.find("1 byte per thread"), std::string::npos);
  EXPECT_NE(Text.find("\n1 per-thread array: 1 registers\n"),
            std::string::npos);
}

TEST(Text, NothingFound) { EXPECT_EQ(text(Plan()), "0 per-thread arrays\n"); }

TEST(Text, SourceThatIsNoUtf8) {
  Plan P = samplePlan();
  P.Contents[SampleFile] = "\n  char seen[16]; // \xE9t\xE9\n";
  P.Arrays.resize(1);
  EXPECT_NE(text(P).find("  char seen[16];"), std::string::npos);
}

// Diagnostics with the place only, when the text is gone.
TEST(Text, FileThatIsNotThere) {
  Plan P = samplePlan();
  P.Contents.clear();
  P.Arrays.resize(1);
  EXPECT_NE(text(P).find("per-thread array 'seen'"), std::string::npos);
}

// Standard output is buffered, standard error is not.
TEST(Text, KeepsItsOrderInABufferedStream) {
  std::string Text;
  {
    llvm::raw_string_ostream OS(Text);
    OS.SetBufferSize(1 << 16);
    printText(OS, samplePlan(), {}, Detail::Verbose);
    OS.flush();
  }
  EXPECT_EQ(Text, text(samplePlan(), Detail::Verbose));
}

// A plan with a decision in each state.
Plan decided() {
  Plan P = samplePlan();
  P.Contents["/src/.bankstripe.yaml"] =
      "version: 1\narrays:\n  - file: count.cu\n";
  P.Outcomes = {sampleOutcome(DecisionState::Used, ""),
                sampleOutcome(DecisionState::Stale, "it is gone"),
                sampleOutcome(DecisionState::Unfulfilled, "it cannot be"),
                sampleOutcome(DecisionState::Skipped, "it was not seen")};
  return P;
}

std::string decisions(Detail Level) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printDecisions(OS, decided(), Level);
  return Text;
}

const char Unheeded[] =
    R"(/src/.bankstripe.yaml:3:5: warning: stale decision about 'seen': it is gone
    3 |   - file: count.cu
      |     ^
/src/.bankstripe.yaml:3:5: warning: unfulfilled decision about 'seen': it cannot be
    3 |   - file: count.cu
      |     ^
)";

TEST(Decisions, ThoseThatAreNotUsedAreShown) {
  EXPECT_EQ(decisions(Detail::Normal), Unheeded);
}

TEST(Decisions, AboutKernels) {
  Plan P = decided();
  P.Outcomes.clear();
  P.KernelOutcomes = {sampleKernelOutcome(DecisionState::Used, ""),
                      sampleKernelOutcome(DecisionState::Stale, "it is gone")};
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printDecisions(OS, P, Detail::Normal);
  EXPECT_EQ(Text,
            "/src/.bankstripe.yaml:3:5: warning: stale decision about kernel "
            "'count': it is gone\n    3 |   - file: count.cu\n      |     ^\n");
}

TEST(Text, CarveoutsThatLaunchesSeeTo) {
  Plan P = samplePlan();
  P.Kernels[0].Carved = {Carveout::Rule::Auto, 0};
  EXPECT_NE(text(P, Detail::Normal)
                .find("  carveout                 what the grid of a launch"),
            std::string::npos);
  P.Kernels[0].Carved = {Carveout::Rule::Fixed, 30};
  EXPECT_NE(
      text(P, Detail::Normal).find("  carveout                 30 percent\n"),
      std::string::npos);
}

TEST(Decisions, VerboseAlsoShowsThoseOfOtherFiles) {
  EXPECT_EQ(decisions(Detail::Verbose),
            std::string(Unheeded) +
                "/src/.bankstripe.yaml:3:5: remark: skipped decision about "
                "'seen': it was not seen\n    3 |   - file: count.cu\n      |  "
                "   ^\n");
}

TEST(Decisions, QuietSaysNothing) { EXPECT_EQ(decisions(Detail::Quiet), ""); }

} // namespace
