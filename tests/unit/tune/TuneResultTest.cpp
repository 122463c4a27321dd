//===-- TuneResultTest.cpp - what tuning says and writes down -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::HasSubstr;

namespace {

// Kernel `k` with array `a`, for which a stripe is twice as fast.
Simulation tuned(std::function<double(const Version &)> Speedup =
                     [](const Version &V) {
                       return V.of("a") == "stripe" ? 2.0 : 1.0;
                     }) {
  TestUnit U;
  U.launch(64);
  U.array();
  Simulation S(U);
  S.Speedup = std::move(Speedup);
  S.tune();
  return S;
}

std::string printed(const TuneResult &Tuned) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printTuning(OS, Tuned);
  return Text;
}

} // namespace

TEST(TuneResult, DecisionHasTheFigures) {
  const Simulation S = tuned();
  const std::vector<ArrayDecision> D = decisionsOf(S.result()).Arrays;
  ASSERT_EQ(D.size(), 1U);
  EXPECT_EQ(D[0].Array, "a");
  EXPECT_EQ(D[0].Wanted, Layout::Stripe);
  EXPECT_TRUE(D[0].ByTune);
  EXPECT_EQ(D[0].Why, "2.00x on Test GPU");
}

TEST(TuneResult, OriginalThatStaysIsADecisionToo) {
  const Simulation S =
      tuned([](const Version &V) { return V.of("a") == "stripe" ? 0.9 : 0.8; });
  const std::vector<ArrayDecision> D = decisionsOf(S.result()).Arrays;
  ASSERT_EQ(D.size(), 1U);
  EXPECT_EQ(D[0].Wanted, Layout::Keep);
  EXPECT_THAT(D[0].Why, HasSubstr("at best stripes 0.90x"));
}

TEST(TuneResult, NothingIsDecidedAboutWhatWasNotLaunched) {
  TestUnit U;
  U.launch(64);
  U.array();
  Simulation S(U);
  S.IsLaunched = [](const std::string &) { return false; };
  S.tune();
  EXPECT_TRUE(decisionsOf(S.result()).Arrays.empty());
}

TEST(TuneResult, KernelsThatWereNotLaunchedAreNamed) {
  const Simulation S = tuned();
  TuneResult Tuned = S.result();
  Tuned.NotLaunched = {"other"};
  EXPECT_THAT(printed(Tuned),
              HasSubstr("kernel other\n  not measured: the program does "
                        "not launch it"));
}

// Blocks that no source tells, where something moves that depends on them.
TEST(TuneResult, BlocksThatWereSeenAreWrittenDown) {
  const Simulation Faster = tuned();
  TuneResult Tuned = Faster.result();
  Tuned.Blocks = {{Tuned.Movable.Kernels[0].Facts.Id, 96}};
  DecisionsFile D = decisionsOf(Tuned);
  ASSERT_EQ(D.Kernels.size(), 1u);
  EXPECT_EQ(D.Kernels[0].BlockSize, 96u);
  EXPECT_EQ(D.Kernels[0].Wanted, std::nullopt);
  EXPECT_TRUE(D.Kernels[0].ByTune);
  const Simulation Slower = tuned([](const Version &) { return 1.0; });
  TuneResult Nothing = Slower.result();
  Nothing.Blocks = Tuned.Blocks;
  EXPECT_TRUE(decisionsOf(Nothing).Kernels.empty());
}

TEST(TuneResult, TableMarksTheBest) {
  EXPECT_THAT(printed(tuned().result()), HasSubstr("* stripes"));
}

TEST(TuneResult, WhatChangesInPlaceIsOtherBehindTheLauncher) {
  const auto Says = HasSubstr("tune with --versions\n");
  EXPECT_THAT(printed(tuned().result()), Says);
  EXPECT_THAT(printed(tuned([](const Version &) { return 1.0; }).result()),
              ::testing::Not(Says));
  TuneResult Tuned = tuned().result();
  Tuned.Movable.Kernels[0].Facts.Text.Internal = true;
  EXPECT_THAT(printed(Tuned), ::testing::Not(Says));
  Tuned = tuned().result();
  Tuned.Movable.Kernels[0].HasVersion = true;
  EXPECT_THAT(printed(Tuned), ::testing::Not(Says));
}

TEST(TuneResult, OfManyVersionsFewArePrinted) {
  TestUnit U;
  U.launch(64);
  unsigned Line = 10;
  for (const char *Name : {"a", "b", "c", "d"})
    U.array(makeArray(Name, 16, 4, Line++));
  Simulation S(U);
  S.Speedup = [](const Version &V) {
    return V.of("a") == "slot" && V.of("b") == "keep" ? 2.0
           : V.of("a") == "slot"                      ? 1.5
                                                      : 1.2;
  };
  S.tune();
  const TuneResult Tuned = S.result();
  const std::string Text = printed(Tuned);
  EXPECT_LE(llvm::count(Text, '\n'), 13) << Text;
  EXPECT_THAT(Text, HasSubstr("    as it is  "));
  EXPECT_THAT(Text, HasSubstr("  * slots without 'b'"));
  EXPECT_THAT(Text, HasSubstr("    stripes (the default)"));
  EXPECT_THAT(Text, HasSubstr(" more; --verbose prints all\n"));
  std::string All;
  llvm::raw_string_ostream OS(All);
  printTuning(OS, Tuned, /*PrintsAll=*/true);
  EXPECT_GT(llvm::count(All, '\n'), 15) << All;
  EXPECT_THAT(All, ::testing::Not(HasSubstr("--verbose")));
}

TEST(TuneResult, OfFewVersionsAllArePrinted) {
  const std::string Text = printed(tuned().result());
  EXPECT_THAT(Text, HasSubstr("    slots  "));
  EXPECT_THAT(Text, ::testing::Not(HasSubstr("--verbose")));
}

TEST(TuneResult, JsonHasAllAttempts) {
  const Simulation S = tuned();
  const llvm::json::Value V = toJson(S.result());
  const auto *Group = (*V.getAsObject()->getArray("groups"))[0].getAsObject();
  EXPECT_EQ(Group->getString("best"), "stripes");
  const auto &Attempts = *Group->getArray("attempts");
  const auto Stripes = llvm::find_if(Attempts, [](const auto &A) {
    return A.getAsObject()->getString("name") == "stripes";
  });
  ASSERT_NE(Stripes, Attempts.end());
  EXPECT_NEAR(*Stripes->getAsObject()->getNumber("speedup"), 2.0, 1e-9);
}

// What the page says beside each version: the original, and those of a stripe
// and of a slot, which is slower, when these take as much.
std::string standing(KernelUse Stripe, KernelUse Slot, double Speedup = 1.5,
                     bool IsStopped = false) {
  const Simulation S = tuned([&](const Version &V) {
    return V.of("a") == "stripe" ? 2.0 : V.of("a") == "slot" ? Speedup : 1.0;
  });
  std::vector<TuneGroup> Groups = S.result().Groups;
  for (Attempt &A : Groups[0].Attempts)
    if (A.Name == "stripes" || A.Name == "slots")
      A.Uses = {A.Name == "slots" ? Slot : Stripe};
  for (Attempt &A : Groups[0].Attempts)
    A.IsStopped = IsStopped;
  TuneResult Tuned{S.result().Movable, Groups, "Test GPU"};
  const llvm::json::Value V = toJson(Tuned);
  const auto *Group = (*V.getAsObject()->getArray("groups"))[0].getAsObject();
  for (const llvm::json::Value &A : *Group->getArray("attempts"))
    if (A.getAsObject()->getString("name") == "slots")
      return A.getAsObject()->getString("standing")->str();
  return "";
}

TEST(Standing, FewerWarpsAreResources) {
  EXPECT_EQ(standing({48, 40, 0, 400}, {32, 40, 0, 800}),
            "resources: 32 warps per SM instead of 48");
}

TEST(Standing, AsManyWarpsAreAccess) {
  EXPECT_EQ(standing({48, 40, 0, 400}, {48, 44, 0, 400}),
            "access: slower with no fewer warps per SM");
  EXPECT_EQ(standing({48, 40, 0, 400}, {48, 44, 0, 800}),
            "access, or a smaller L1: slower with no fewer warps per SM");
}

TEST(Standing, WhatIsNotKnownIsSaid) {
  EXPECT_EQ(standing({0, 40, 0, 400}, {32, 40, 0, 800}),
            "slower, and it is not known how many warps an SM holds");
}

TEST(Standing, WhatIsClearlySlowerIsStoppedEarly) {
  EXPECT_EQ(standing({48, 40, 0, 400}, {48, 40, 0, 400}, 0.4, true),
            "stopped early, as it is clearly slower; access: slower with no "
            "fewer warps per SM");
  EXPECT_EQ(standing({48, 40, 0, 400}, {48, 40, 0, 400}, 0.4, false),
            "access: slower with no fewer warps per SM");
}

TEST(Standing, WhatFailsHasItsProblem) {
  EXPECT_EQ(standing({}, {}, -1), "wrong");
}

TEST(ReplaceTuned, PeopleKeepTheLastWord) {
  const Simulation S = tuned();
  const DecisionsFile New = decisionsOf(S.result());
  DecisionsFile File = New;
  File.Arrays[0].ByTune = false;
  File.Arrays[0].Wanted = Layout::Slot;
  replaceTuned(File, New);
  ASSERT_EQ(File.Arrays.size(), 1U);
  EXPECT_EQ(File.Arrays[0].Wanted, Layout::Slot);
}

TEST(ReplaceTuned, OlderMeasurementsGo) {
  const Simulation S = tuned();
  const DecisionsFile New = decisionsOf(S.result());
  DecisionsFile File = New;
  File.Arrays[0].Wanted = Layout::Slot;
  replaceTuned(File, New);
  ASSERT_EQ(File.Arrays.size(), 1U);
  EXPECT_EQ(File.Arrays[0].Wanted, Layout::Stripe);
}

TEST(ReplaceTuned, AnotherGpuHasDecisionsOfItsOwn) {
  const Simulation S = tuned();
  TuneResult Tuned = S.result();
  Tuned.Architecture = "sm_90";
  DecisionsFile File = decisionsOf(Tuned);
  ASSERT_EQ(File.Arrays[0].Gpu, "sm_90");
  Tuned.Architecture = "sm_100";
  replaceTuned(File, decisionsOf(Tuned));
  EXPECT_EQ(File.Arrays.size(), 2U);
  replaceTuned(File, decisionsOf(Tuned));
  EXPECT_EQ(File.Arrays.size(), 2U);
}

// What one can do about it stands beside the version.
TEST(TuneResult, WhyAVersionDiffersIsTold) {
  const Simulation S = tuned();
  TuneResult Tuned = S.result();
  Attempt &Last = Tuned.Groups[0].Attempts.back();
  Last.Speedup.reset();
  Last.Problem = "computes something else";
  Last.WrongSpeedup = 1.5;
  for (const auto &[Why, Text] :
       {std::pair(Difference::Fusing,
                  "computes something else only in fused multiply-adds, at "
                  "1.50x; --accept=fmad takes it"),
        std::pair(Difference::Unstable,
                  "so does the original at another optimisation level"),
        std::pair(Difference::Real, "computes something else\n")}) {
    Last.Differs = Why;
    EXPECT_THAT(printed(Tuned), HasSubstr(Text));
  }
}

TEST(TuneResult, WhatWasNotTriedIsNamed) {
  const Simulation S = tuned();
  TuneResult Tuned = S.result();
  Tuned.Groups[0].Untried = {"one", "two", "three", "four", "five"};
  EXPECT_THAT(printed(Tuned),
              HasSubstr("not tried: one; two; three; and 2 more; "
                        "tune again to go on"));
}

TEST(ReplaceTuned, OtherArraysStay) {
  const Simulation S = tuned();
  DecisionsFile File = decisionsOf(S.result());
  File.Arrays[0].Array = "other";
  replaceTuned(File, decisionsOf(S.result()));
  EXPECT_EQ(File.Arrays.size(), 2U);
}

TEST(ReplaceTuned, CarveoutsOfEarlierMeasurementsGo) {
  const Simulation S = tuned();
  DecisionsFile File;
  File.Kernels.resize(2);
  File.Kernels[0].File = File.Kernels[1].File = "/a.cu";
  File.Kernels[0].Kernel = "k";
  File.Kernels[0].ByTune = true;
  File.Kernels[1].Kernel = "other";
  replaceTuned(File, decisionsOf(S.result()));
  ASSERT_EQ(File.Kernels.size(), 1U);
  EXPECT_EQ(File.Kernels[0].Kernel, "other");
}
