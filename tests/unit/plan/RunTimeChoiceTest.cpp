//===-- RunTimeChoiceTest.cpp - kernels that are chosen at run time -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// A kernel with an array, all of whose launches are in sight and can choose.
class RunTimeChoice : public ::testing::Test {
protected:
  RunTimeChoice() {
    U.launch(128);
    U.array();
    giveText(U.Result);
    letChoose(launch());
    Options.Choose = true;
  }

  static void letChoose(Launch &L) {
    L.Text.Choice = {L.Text.Name, "blocks", "0"};
  }
  Launch &launch() { return U.Result.Facts.Launches.front(); }
  /// Another launch, of which \p Line is the place.
  Launch &add(unsigned Line) {
    Launch L = launch();
    L.Where = onLine(Line);
    L.Text.Name.Offset = L.Text.Choice.Callee.Offset = 100 * Line;
    return U.Result.Facts.Launches.emplace_back(std::move(L));
  }
  /// What the kernel does with its array.
  void work(ArrayWork Accesses) {
    Options.MinSpeedup = 1.05;
    KernelWork W;
    W.Instructions = 1000;
    W.Arrays[0] = Accesses;
    U.Result.Evidence.Work["k"] = U.Result.Evidence.ShortWork["k"] = W;
  }
  KernelPlan kernel() const { return U.plan(Options).Kernels.front(); }

  TestUnit U;
  PlanOptions Options;
};

constexpr ArrayWork Much = {{}, updated(300), {}},
                    Little = {updated(4), {}, {}};

} // namespace

TEST_F(RunTimeChoice, IsBetweenTheKernelAndAVersionBesideIt) {
  const Plan P = U.plan(Options);
  EXPECT_TRUE(P.Kernels.front().Chooses);
  EXPECT_TRUE(P.Kernels.front().Redirected);
  EXPECT_EQ(P.Launches.size(), 1u);
  Options.Choose = false;
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_FALSE(kernel().Redirected);
}

TEST_F(RunTimeChoice, IsAlsoForKernelsThatOthersMayLaunch) {
  Options.Others = Outside::Files;
  EXPECT_TRUE(kernel().Chooses);
}

TEST_F(RunTimeChoice, IsOfLaunchesThatCanChoose) {
  EXPECT_EQ(kernel().WhyNoChoice, "");
  launch().Text.Choice = {};
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_TRUE(kernel().MovesArrays);
  EXPECT_EQ(kernel().WhyNoChoice, "no launch in sight can choose");
  Options.Choose = false;
  EXPECT_EQ(kernel().WhyNoChoice, "");
}

// It would lose what it gains as it is.
TEST_F(RunTimeChoice, IsNotWhereALaunchThatCannotChooseGains) {
  add(110).Text.Choice = {};
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_TRUE(kernel().MovesArrays);
  EXPECT_EQ(kernel().WhyNoChoice,
            "launches that cannot choose would lose their gain");
}

TEST_F(RunTimeChoice, LeavesLaunchesThatCannotChooseAlone) {
  work(Little);
  add(110).Text.Choice = {};
  const Plan P = U.plan(Options);
  EXPECT_TRUE(P.Kernels.front().Chooses);
  ASSERT_EQ(P.Launches.size(), 1u);
  EXPECT_TRUE(P.Launches.front().Text.Choice.Callee.isValid());
}

TEST_F(RunTimeChoice, IsOfTextThatCanAlwaysChoose) {
  work(Little);
  Launch Other = launch(); // As another unit sees a header.
  Other.Text.SeesDefinition = false;
  U.Result.Facts.Launches.push_back(Other);
  EXPECT_FALSE(kernel().Chooses);
}

TEST_F(RunTimeChoice, TriesWhatIsNotExpectedToPay) {
  work(Little);
  const Plan P = U.plan(Options);
  ASSERT_TRUE(P.Kernels.front().Predicted);
  EXPECT_LT(P.Kernels.front().Predicted->Speedup, 1.05);
  EXPECT_TRUE(P.Kernels.front().Chooses);
  EXPECT_TRUE(find(P, "a").Verdict.usesShared());
  Options.Choose = false;
  EXPECT_EQ(reasonOf(U.plan(Options)), Reason::NotProfitable);
}

TEST_F(RunTimeChoice, IsNotForSureGains) {
  work(Much);
  ASSERT_GE(kernel().Predicted->Worst, 1);
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_EQ(kernel().WhyNoChoice,
            "it gains even in the worst case of the prediction");
  EXPECT_TRUE(kernel().MovesArrays);
}

TEST_F(RunTimeChoice, IsForGainsThatMayBeLosses) {
  work(Much);
  U.Result.Evidence.Work["k"].Gathered = 40;
  U.Result.Evidence.ShortWork["k"].Gathered = 400;
  U.Result.Evidence.ShortWork["k"].Arrays.clear();
  ASSERT_LT(kernel().Predicted->Worst, 1);
  EXPECT_TRUE(kernel().Chooses);
}

TEST_F(RunTimeChoice, IsNotForKernelsThatPoll) {
  work(Little);
  U.Result.Evidence.Work["k"].Polls = true;
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_EQ(kernel().WhyNoChoice,
            "none of its arrays would move; each array says why");
}

TEST_F(RunTimeChoice, IsNotForWorkThatNobodySaw) {
  work(Little);
  U.Result.Evidence.Work.clear();
  EXPECT_FALSE(kernel().Chooses);
}

TEST_F(RunTimeChoice, IsNotForWhatPeopleDecided) {
  Options.Decisions = {decision(Layout::Stripe)};
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_EQ(kernel().WhyNoChoice, "it is decided what becomes of 'a'");
  EXPECT_TRUE(kernel().MovesArrays);
  Options.Decisions = {decision(Layout::Keep)};
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_FALSE(kernel().MovesArrays);
}

// The kernel would get them, too.
TEST_F(RunTimeChoice, IsNotForFunctionsWithoutCopies) {
  TestArray F = makeArray("b", 16, 4, 20);
  F.Function.IsKernel = false;
  F.Function.Name = F.Function.Id = "f";
  U.array(F);
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_EQ(kernel().WhyNoChoice,
            "'b' is in f, which has no copy for a version");
}

TEST_F(RunTimeChoice, IsNotForKernelsWithAttributes) {
  U.kernel().AttributeSetAt = onLine(50);
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_EQ(kernel().WhyNoChoice, "the program sets its attributes");
}

TEST_F(RunTimeChoice, IsNotForKernelsThatWaitForBlocks) {
  launch().GridAsked = true;
  EXPECT_TRUE(kernel().Chooses);
  U.Result.Evidence.Waits.Waiting.insert("k");
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_EQ(kernel().WhyNoChoice,
            "it waits for other blocks, all of which must be resident");
}

TEST_F(RunTimeChoice, IsNotForBodiesThatCannotStandTwice) {
  U.kernel().Text.VersionProblem = "its variable 'calls' is static";
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_EQ(kernel().WhyNoChoice,
            "it has no version: its variable 'calls' is static");
  EXPECT_TRUE(kernel().MovesArrays);
}

TEST_F(RunTimeChoice, IsNotForLaunchesOnTheDevice) {
  launch().OnDevice = true;
  EXPECT_FALSE(kernel().Chooses);
}

// Whoever finds the original by its name may have allowed it more than launches
// get unasked.
TEST_F(RunTimeChoice, IsNotWhereOthersMayAllowMoreMemory) {
  launch().DynamicSharedBytes.reset();
  Options.SharedLimit = 200 * 1024;
  EXPECT_TRUE(kernel().Chooses);
  Options.Others = Outside::Loaders;
  EXPECT_FALSE(kernel().Chooses);
}

TEST_F(RunTimeChoice, AsksForStorageWhereNobodyKnowsTheBlocks) {
  launch().Threads.reset();
  Options.SharedLimit = 200 * 1024;
  EXPECT_TRUE(kernel().Chooses);
  EXPECT_NE(kernel().WarpBytes, 0u);
}

// Instances share their text.
TEST_F(RunTimeChoice, IsOfAllInstancesOrNone) {
  Kernel Other = U.kernel();
  Other.Id = "other";
  U.Result.Facts.Kernels.push_back(Other);
  add(110).KernelId = "other";
  auto &A = U.Arrays.front();
  A.Instances = {makeInstance(A, "k", {"k"}),
                 makeInstance(A, "other", {"other"})};
  auto Both = [&] {
    const Plan P = U.plan(Options);
    return std::pair(P.Kernels[0].Chooses, P.Kernels[1].Chooses);
  };
  EXPECT_EQ(Both(), std::pair(true, true));
  U.Result.Facts.Launches.back().Text.Choice = {};
  EXPECT_EQ(Both(), std::pair(false, false));
  U.Result.Facts.Launches.pop_back(); // No launch of it was seen.
  EXPECT_EQ(Both(), std::pair(true, true));
}

TEST_F(RunTimeChoice, EndsWhereNvccSaysThatNothingIsWon) {
  const Plan P = planWithFramesKept(U, {"k"}, Options);
  EXPECT_FALSE(P.Kernels.front().Chooses);
  EXPECT_FALSE(P.Kernels.front().Redirected);
  EXPECT_TRUE(P.Launches.empty());
}
