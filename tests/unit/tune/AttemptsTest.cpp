//===-- AttemptsTest.cpp - which layouts are measured, and when -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

namespace {

// Kernel `k` with arrays of so many elements: `a`, `b`, `c`.
TestUnit unitWith(const std::vector<uint64_t> &Elements) {
  TestUnit U;
  U.launch(64);
  std::string Name = "a";
  unsigned Line = 10;
  for (uint64_t Count : Elements) {
    U.array(makeArray(Name, Count, 4, Line++));
    ++Name[0];
  }
  return U;
}

// `k` with `a`, and `other` with `b`.
TestUnit twoKernels() {
  TestUnit U = unitWith({16});
  U.Result.Facts.Kernels.push_back(makeKernel("other", 50));
  U.Result.Facts.Launches.push_back(makeLaunch(64, "other"));
  TestArray B = makeArray("b", 16, 4, 60);
  B.Kernels = {makeKernel("other").Id};
  U.array(B);
  return U;
}

} // namespace

TEST(Search, FastestLayoutIsBest) {
  Simulation S(unitWith({16}));
  S.Speedup = [](const Version &V) {
    return V.of("a") == "slot" ? 2.0 : V.of("a") == "stripe" ? 1.5 : 1.0;
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "slots");
  EXPECT_THAT(S.attemptsOf("k"), Contains("stripes"));
}

// `b` has no place beside `a`, and one where `a` stays.
TEST(Search, TheOriginalMovesNothingThatFitsOnlyWithoutTheOthers) {
  TestUnit U = unitWith({8, 8});
  forgetBlock(U.Result.Facts.Launches.front()); // 1024 at most.
  giveText(U.Result);
  U.kernel().Text.VersionProblem = "it says static";
  PlanOptions Options;
  Options.MinSpeedup = 0;
  const Plan Movable = U.plan(Options);
  ASSERT_TRUE(Movable.Arrays[0].Verdict.usesHelper());
  ASSERT_EQ(Movable.Arrays[1].Verdict.Why, Reason::BlockSizeUnknown);
  PlanOptions Staying = Options;
  Staying.Decisions.push_back(decisionAbout(Movable, 0, Layout::Keep));
  EXPECT_TRUE(U.plan(Staying).Kernels.front().MovesArrays);
  EXPECT_FALSE(
      U.plan(planningFor({}, Movable, Options)).Kernels.front().MovesArrays);
}

TEST(Search, BitsAreTriedWhereAnArrayCanBeThem) {
  TestUnit U;
  U.launch(128);
  TestArray Flags = makeArray("a", 9, 1);
  Flags.AsBits = true;
  U.array(Flags);
  U.array(makeArray("b", 16, 4, 11));
  Simulation S(U);
  S.Speedup = [](const Version &V) {
    return (V.of("a") == "bits" ? 1.5 : 1.0) *
           (V.of("b") == "unchanged" ? 1.2 : 1.0);
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "bits without 'b'");
  EXPECT_THAT(S.attemptsOf("k"), Contains("bits"));
}

TEST(Search, SplitsAreTriedOfWhatIsLongEnough) {
  Simulation S(unitWith({31, 8, 7}));
  S.Speedup = [](const Version &V) { return V.of("a") == "split" ? 1.5 : 1.0; };
  S.tune();
  EXPECT_THAT(S.attemptsOf("k"), Contains("split after 4"));
  EXPECT_THAT(S.attemptsOf("k"), Contains("split after 8"));
  EXPECT_THAT(S.attemptsOf("k"), Not(Contains("split after 16")));
}

TEST(Search, OriginalStaysWhereNothingIsFaster) {
  Simulation S(unitWith({16}));
  S.Speedup = [](const Version &V) {
    return V.of("a") == "unchanged" ? 1.0 : 0.9;
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "");
}

TEST(Search, WhatChanceCanDoIsNotWorthAChange) {
  Simulation S(unitWith({16}));
  S.Speedup = [](const Version &V) {
    // Two builds of the original are 5 % apart.
    return V.of("a") == "unchanged" ? 0.95 : 1.04;
  };
  S.tune();
  EXPECT_NEAR(S.groupOf("k").Noise, 0.05, 1e-9);
  EXPECT_EQ(S.bestOf("k"), "");
}

TEST(Search, SubsetsAreTried) {
  Simulation S(unitWith({64, 8}));
  // `a` costs all the warps, `b` is what gains.
  S.Speedup = [](const Version &V) {
    const double Resources = V.of("a") != "unchanged" ? 0.5 : 1.0;
    return Resources * (V.of("b") == "stripe" ? 1.8 : 1.0);
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "stripes without 'a'");
}

TEST(Search, OfEquallyFastOnesTheFewestArraysMove) {
  Simulation S(unitWith({64, 8}));
  S.Speedup = [](const Version &V) {
    return (V.of("b") == "stripe" ? 1.8 : 1.0) *
           (V.of("a") == "stripe" ? 1.001 : 1.0);
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "stripes without 'a'");
}

// Whatever is moved besides costs more than it gains.
TEST(Search, AnArrayAloneIsTried) {
  Simulation S(unitWith({64, 32, 8}));
  S.Speedup = [](const Version &V) {
    const double Costs = (V.of("a") == "unchanged" ? 1 : 0.5) *
                         (V.of("b") == "unchanged" ? 1 : 0.5);
    return Costs * (V.of("c") == "slot" ? 1.7 : 1);
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "slots without 'a', 'b'");
}

// What is left of a mixture is named as one.
TEST(Search, WithoutAnArrayOthersKeepTheirNames) {
  Simulation S(unitWith({64, 32, 8}));
  S.Speedup = [](const Version &V) {
    return 1 + (V.of("a") == "unchanged" ? 0.2 : 0) +
           (V.of("b") == "stripe" ? 0.3 : 0) + (V.of("c") == "slot" ? 0.6 : 0) +
           (V.of("b") == "stripe" && V.of("c") == "slot" ? 0.5 : 0);
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "slots without 'a', 'b' as stripe");
}

// Two that differ from all others are named, each with its own layout.
TEST(Search, AMixtureIsNamedByWhatMostHave) {
  Simulation S(unitWith({64, 32, 16, 8, 4}));
  S.Speedup = [](const Version &V) {
    double Gain = 1;
    for (const char *Name : {"c", "d", "e"})
      Gain += V.of(Name) == "slot" ? 0.5 : 0;
    for (const char *Name : {"a", "b"})
      Gain += V.of(Name) == "stripe" ? 0.3 : V.of(Name) == "slot" ? 0.1 : 0;
    return Gain;
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "slots, 'a' as stripe, 'b' as stripe");
}

// All of them are fastest as slots, but one alone is worth more as a stripe.
TEST(Search, AnArrayAloneIsTriedInEachLayout) {
  Simulation S(unitWith({64, 32, 8}));
  S.Speedup = [](const Version &V) {
    const bool IsAlone = V.of("a") == "unchanged" && V.of("b") == "unchanged";
    return V.of("c") == "stripe" ? (IsAlone ? 1.7 : 0.5)
                                 : (V.of("c") == "slot" ? 0.9 : 1.0);
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "stripes without 'a', 'b'");
}

// What is predicted is the fastest at first, with one array that is not worth
// it.
TEST(Search, APredictionDoesNotHideTheOthers) {
  Simulation S(unitWith({64, 8}));
  S.Foreseen = [](const TuneGroup &, const Arrangement &A) {
    return A.at(1) == Layout::Keep ? 1.5 : 0.8;
  };
  S.Speedup = [](const Version &V) {
    return V.of("a") != "unchanged" ? 0.9 : V.of("b") == "stripe" ? 1.3 : 1.0;
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "stripes without 'a'");
}

TEST(Search, TheOriginalComesFirstThenTheDefaultThenWhatIsPredictedToGain) {
  Simulation S(unitWith({64}));
  S.Foreseen = [](const TuneGroup &, const Arrangement &A) {
    return A.at(0) == Layout::Slot ? 3.0 : 0.8;
  };
  const auto Names = S.tune();
  EXPECT_EQ(Names[0], "as it is");
  EXPECT_EQ(Names[1], "stripes");
  EXPECT_EQ(Names[2], "slots");
}

// Also where the time is up right then.
TEST(Search, TheBestIsNoWorseThanTheDefault) {
  Simulation S(unitWith({64, 8, 32}));
  S.Foreseen = [](const TuneGroup &, const Arrangement &A) {
    return A.at(0) == Layout::Stripe && A.at(1) == Layout::Stripe ? 0.5 : 3.0;
  };
  S.Speedup = [](const Version &V) {
    return V.of("a") == "stripe" && V.of("b") == "stripe" ? 2.0 : 0.9;
  };
  S.tune(/*Seconds=*/2);
  EXPECT_EQ(S.bestOf("k"), "stripes");
}

// Of sixteen arrays some gain, some lose and most do neither.
static double manyArrays(const Version &V) {
  double Log = 0;
  for (unsigned I = 0; I < 16; ++I) {
    const std::string Name(1, static_cast<char>('a' + I));
    const double Effect = I % 7 == 0 ? 0.1 : I % 5 == 0 ? -0.06 : 0.004;
    const std::string Kind = V.of(Name);
    Log += Kind == "unchanged" ? 0 : Kind == "slot" ? Effect / 2 : Effect;
  }
  return std::exp(Log);
}

TEST(Search, MostIsFoundInTheTimeThatThereIs) {
  const TestUnit U = unitWith(std::vector<uint64_t>(16, 8));
  double Found[2];
  for (const double Seconds : {0.0, 60.0}) {
    Simulation S(U);
    S.SecondsOfAVersion = 1.5;
    S.Speedup = manyArrays;
    S.tune(Seconds);
    const TuneGroup &G = S.groupOf("k");
    Found[Seconds > 0] = std::log(*G.fastest()->Speedup);
    EXPECT_EQ(G.Untried.empty(), Seconds == 0);
  }
  EXPECT_GE(Found[1], 0.95 * Found[0]);
}

// Nothing is spent on what cannot reach the best any more.
TEST(Search, WhatTheSlopeRulesOutIsNotTried) {
  const TestUnit U = unitWith(std::vector<uint64_t>(30, 8));
  Simulation S(U);
  S.Speedup = [](const Version &V) {
    double Log = 0;
    for (unsigned I = 0; I < 30; ++I)
      Log -= V.of(std::string(1, static_cast<char>('a' + I))) == "unchanged"
                 ? 0
                 : 0.3;
    return std::exp(Log);
  };
  EXPECT_LT(S.tune(1000).size(), 90u);
  EXPECT_EQ(S.bestOf("k"), "");
}

// The kernel that takes most of the run comes first.
TEST(Search, TimeGoesWhereTheProgramSpendsIt) {
  Simulation S(twoKernels());
  S.ShareOf = [](const std::string &Kernel) {
    return Kernel == "other" ? 0.95 : 0.05;
  };
  S.tune(5);
  EXPECT_GT(S.attemptsOf("other").size(), S.attemptsOf("k").size());
}

TEST(Search, KernelsThatShareNothingAreDecidedByThemselves) {
  Simulation S(twoKernels());
  S.Speedup = [](const Version &V) {
    if (V.Kernel == "k")
      return V.of("a") == "stripe" ? 2.0 : 1.0;
    return V.of("b") == "stripe" ? 0.5 : 1.0;
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "stripes");
  EXPECT_EQ(S.bestOf("other"), "");
}

TEST(Search, KernelThatIsNotLaunchedIsInNoGroup) {
  TestUnit U = twoKernels();
  for (TestArray &F : U.Arrays)
    if (F.Name == "a")
      F.Kernels.push_back(makeKernel("other").Id);
  const Plan P = U.plan();
  const auto Groups =
      tuneGroups(P, [](const KernelPlan &K) { return K.Facts.Name == "k"; });
  ASSERT_EQ(Groups.size(), 1u);
  EXPECT_EQ(Groups[0].Kernels.size(), 1u);
  ASSERT_EQ(Groups[0].Arrays.size(), 1u);
  EXPECT_EQ(P.Arrays[Groups[0].Arrays[0]].Array.Name, "a");
}

TEST(Search, WrongResultIsNeverBest) {
  Simulation S(unitWith({16}));
  S.Speedup = [](const Version &V) {
    return V.of("a") == "stripe" ? -5.0 : V.of("a") == "slot" ? 1.5 : 1.0;
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "slots");
  for (const Attempt &A : S.groupOf("k").Attempts)
    if (A.Name == "stripes")
      EXPECT_EQ(A.Problem, "wrong");
}

TEST(Search, DecisionsOfPeopleAreNotQuestioned) {
  TestUnit U = unitWith({16, 8});
  PlanOptions Options;
  Options.Decisions.push_back(decisionAbout(U.plan(), 0, Layout::Slot));
  Simulation S(U, Options);
  S.Speedup = [](const Version &V) { return V.of("a") == "slot" ? 2.0 : 1.0; };
  S.tune();
  EXPECT_THAT(S.groupOf("k").Arrays, ElementsAre(1));
  EXPECT_EQ(S.groupOf("k").Noise, 0);
  EXPECT_EQ(S.groupOf("k").Base, 2);
}

// A table of constants is not in its place in the original.
TEST(Search, TablesAreTriedLikeOtherArrays) {
  TestUnit U;
  U.launch(64);
  TestArray Table = makeArray("t", 16);
  Table.NeverWritten = true;
  Table.Init = InitializerKind::List;
  U.array(Table);
  Simulation S(U);
  S.Speedup = [](const Version &V) {
    return V.of("t") == "constant" ? 0.4 : 1.0;
  };
  S.tune();
  EXPECT_THAT(S.attemptsOf("k"), ElementsAre("as it is", "stripes"));
  EXPECT_EQ(S.groupOf("k").Noise, 0);
  const DecisionsFile D = decisionsOf(S.result());
  ASSERT_EQ(D.Arrays.size(), 1U);
  EXPECT_EQ(D.Arrays[0].Wanted, Layout::Keep);
}

TEST(Search, NothingToMoveIsNothingToTry) {
  EXPECT_THAT(Simulation(TestUnit()).tune(), IsEmpty());
}

// A kernel whose launches have text, and whose memory costs a third.
static TestUnit costly() {
  TestUnit U = unitWith({16});
  giveText(U.Result);
  return U;
}

static double costlySpeedup(const Version &V) {
  const Carveout &C = V.P.Kernels[0].Carved;
  const double Resources =
      C.How == Carveout::Rule::Fixed && C.Percent == 30 ? 0.9 : 0.6;
  return V.of("a") == "stripe" ? 1.8 * Resources : 1.0;
}

TEST(Search, CarveoutsAreTried) {
  Simulation S(costly());
  S.Speedup = costlySpeedup;
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "stripes, carveout 30");
  const DecisionsFile D = decisionsOf(S.result());
  ASSERT_EQ(D.Kernels.size(), 1U);
  EXPECT_EQ(D.Kernels[0].Kernel, "k");
  EXPECT_EQ(textOf(D.Kernels[0].Wanted.value()), "30");
  EXPECT_EQ(D.Kernels[0].BlockSize, std::nullopt);
}

// Slots are nearly as fast, and fastest with most of the L1 left.
TEST(Search, CarveoutsAreTriedWithAllThatIsAboutAsFast) {
  Simulation S(costly());
  S.Speedup = [](const Version &V) {
    const bool IsSmall =
        V.P.Kernels[0].Carved == Carveout{Carveout::Rule::Fixed, 30};
    return V.of("a") == "stripe" ? (IsSmall ? 0.6 : 1.5)
           : V.of("a") == "slot" ? (IsSmall ? 1.8 : 1.45)
                                 : 1.0;
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "slots, carveout 30");
}

// The driver's choice is all that stripes lose by.
TEST(Search, StripesAreTriedWithACarveoutThoughTheyAreSlow) {
  Simulation S(costly());
  S.Speedup = [](const Version &V) {
    const bool IsCarved =
        V.P.Kernels[0].Carved == Carveout{Carveout::Rule::Auto};
    return V.of("a") == "stripe" ? (IsCarved ? 1.4 : 0.6)
           : V.of("a") == "slot" ? 1.05
                                 : 1.0;
  };
  S.tune();
  EXPECT_EQ(S.bestOf("k"), "stripes, carveout auto");
}

TEST(Search, TheLongerAProgramTheFewerRuns) {
  EXPECT_EQ(runsToTry(1, 5), 5U);
  EXPECT_EQ(runsToTry(2, 5), 0U);
  EXPECT_EQ(runsToConfirm(4, 5, HUGE_VAL), 2U);
  EXPECT_EQ(runsToConfirm(4, 1, HUGE_VAL), 1U);
  EXPECT_EQ(runsToConfirm(20, 5, HUGE_VAL), 0U);
}

// Two runs for times, of each, and two for what they compute.
TEST(Time, TheLessThereIsTheFewerRuns) {
  EXPECT_EQ(runsToConfirm(3, 5, 18), 2U);
  EXPECT_EQ(runsToConfirm(3, 5, 17), 0U);
  EXPECT_EQ(runsToConfirm(3, 1, 12), 1U);
  EXPECT_EQ(runsToConfirm(3, 5, -1), 0U);
}

TEST(Search, NoCarveoutIsTriedWhereLaunchesPassNoStub) {
  TestUnit U = costly();
  for (Launch &L : U.Result.Facts.Launches)
    L.OnDevice = true;
  auto Tried = [&] {
    Simulation S(U);
    S.Speedup = costlySpeedup;
    return S.tune();
  };
  EXPECT_THAT(Tried(), Not(Contains(HasSubstr("carveout"))));
  U.mention(); // Now it has a version.
  EXPECT_THAT(Tried(), Contains(HasSubstr("carveout")));
}

// Of 120 seconds the build took 20 and the run 30.
TEST(Time, ComparisonIsReservedWhatItTakes) {
  EXPECT_GE(secondsToConfirm(20, 30, 70), 20 + 30);
  EXPECT_EQ(secondsToConfirm(1, 2, 100), 1 + 2 * 6);
}

// With two runs it would take 30 of the 40 seconds that are left.
TEST(Time, ComparisonByFewerRunsLeavesTimeForTheSearch) {
  EXPECT_EQ(secondsToConfirm(12, 3, 40), 12 + 3 * 2);
  EXPECT_EQ(secondsToConfirm(12, 3, 70), 12 + 3 * 6);
}

TEST(Time, WhatCannotBeComparedLeavesTimeForTheSearch) {
  EXPECT_EQ(secondsToConfirm(40, 30, 50), 25);
  EXPECT_EQ(longestRun(60, 50), 25);
}

TEST(Time, RunThatCanBeComparedIsNotEnded) {
  const double Run = longestRun(20, 100);
  EXPECT_GT(Run, 30);
  EXPECT_LT(secondsToConfirm(20, Run, 100 - Run), 100 - Run);
  EXPECT_GE(secondsToConfirm(20, 0.99 * Run, 100 - 0.99 * Run), 20 + Run);
}
