//===-- RunTimeChoiceTest.cpp - kernels that launches decide about --------===//
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

/// A kernel with an array that can have a version.
class RunTimeChoice : public ::testing::Test {
protected:
  RunTimeChoice() {
    U.launch(128);
    U.array();
    giveText(U.Result);
    Options.Choose = true;
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
  EXPECT_TRUE(P.Kernels.front().HasVersion);
  EXPECT_EQ(P.Kernels.front().WhyNoChoice, "");
  EXPECT_TRUE(find(P, "a").Verdict.Storage.Dynamic);
  Options.Choose = false;
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_FALSE(kernel().HasVersion);
  EXPECT_EQ(kernel().WhyNoChoice, "");
}

TEST_F(RunTimeChoice, IsNotInModules) {
  Options.Others = Outside::Loaders;
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_EQ(kernel().WhyNoChoice,
            "it has no version: a module has no host stubs");
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

// A launch that computes how much shared memory it asks for may ask for any.
TEST_F(RunTimeChoice, IsPredictedForTheWorseOfLittleAndMuchMemory) {
  work(Much);
  U.Arrays.front() = makeArray("a", 64);
  U.shared().UsesDynamic = true;
  Options.SharedLimit = 200 * 1024;
  auto Worst = [&](std::optional<uint64_t> Bytes) {
    U.Result.Facts.Launches.front().DynamicSharedBytes = Bytes;
    return kernel().Predicted->Worst;
  };
  const double Little = Worst(0), Large = Worst(StaticSharedLimit);
  EXPECT_NE(Little, Large);
  EXPECT_DOUBLE_EQ(Worst(std::nullopt), std::min(Little, Large));
}

TEST_F(RunTimeChoice, IsAlsoForSureGains) {
  work(Much);
  EXPECT_GE(kernel().Predicted->Worst, 1);
  EXPECT_TRUE(kernel().Chooses);
}

TEST_F(RunTimeChoice, IsNotForKernelsThatPoll) {
  work(Little);
  U.Result.Evidence.Work["k"].Polls = true;
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_EQ(kernel().WhyNoChoice,
            "none of its arrays would move; each array says why");
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

// A version would call the function as it was.
TEST_F(RunTimeChoice, IsNotWhereAVersionWouldLackAnArray) {
  TestArray F = makeArray("b", 16, 4, 20);
  F.Function.IsKernel = false;
  F.Function.Name = F.Function.Id = "f";
  U.array(F);
  const Plan P = U.plan(Options);
  EXPECT_FALSE(P.Kernels.front().Chooses);
  EXPECT_EQ(P.Kernels.front().WhyNoChoice, "a version of it would lack 'b'");
  EXPECT_TRUE(find(P, "a").Verdict.usesShared());
  EXPECT_TRUE(find(P, "b").Verdict.usesShared());
}

TEST_F(RunTimeChoice, IsOfVersionsThatMayWait) {
  U.Result.Evidence.Waiting.insert("k");
  EXPECT_TRUE(kernel().Chooses);
  EXPECT_TRUE(kernel().Waits);
}

TEST_F(RunTimeChoice, IsNotForBodiesThatCannotStandTwice) {
  U.kernel().Text.VersionProblem = "its variable 'calls' is static";
  EXPECT_FALSE(kernel().Chooses);
  EXPECT_EQ(kernel().WhyNoChoice,
            "it has no version: its variable 'calls' is static");
  EXPECT_TRUE(kernel().MovesArrays);
}

// Instances share their text.
TEST_F(RunTimeChoice, IsOfAllInstancesOrNone) {
  Kernel Other = U.kernel();
  Other.Id = "other";
  U.Result.Facts.Kernels.push_back(Other);
  U.Result.Facts.Launches.push_back(makeLaunch(128, "other", 110));
  auto &A = U.Arrays.front();
  A.Instances = {makeInstance(A, "k", {"k"}),
                 makeInstance(A, "other", {"other"})};
  auto Both = [&] {
    const Plan P = U.plan(Options);
    return std::pair(P.Kernels[0].Chooses, P.Kernels[1].Chooses);
  };
  EXPECT_EQ(Both(), std::pair(true, true));
  A.KernelsOf["other"].clear();
  EXPECT_EQ(Both(), std::pair(false, false));
  EXPECT_EQ(kernel().WhyNoChoice,
            "an instance of it has no array that could move");
}

TEST_F(RunTimeChoice, EndsWhereNvccSaysThatNothingIsWon) {
  const Plan P = planWithFramesKept(U, {"k"}, Options);
  EXPECT_FALSE(P.Kernels.front().Chooses);
  EXPECT_FALSE(P.Kernels.front().HasVersion);
}

// The row is in the copy that nvcc is asked about.
TEST_F(RunTimeChoice, BeginsWithWhatIsPredictedBeforeNvccIsAsked) {
  work(Much);
  const KernelPlan Before = kernel();
  ASSERT_TRUE(Before.Foreseen);
  EXPECT_EQ(Before.Foreseen->Speedup, Before.Predicted->Speedup);
  U.Result.Resources["k"].Registers = 255;
  const KernelPlan After = kernel();
  ASSERT_TRUE(After.Foreseen);
  EXPECT_NE(After.Predicted->Speedup, Before.Predicted->Speedup);
  EXPECT_EQ(After.Foreseen->Speedup, Before.Foreseen->Speedup);
}

namespace {

/// A kernel with an array of 1 KB, which costs it most of its warps.
class WhereResident : public RunTimeChoice {
protected:
  WhereResident() {
    U.Arrays.front() = makeArray("a", 256, 4, 20);
    Options.Choose = false;
    Options.SharedLimit = 227 * 1024;
    work({{}, updated(1000), {}});
    setGlobalLoads(1500);
  }
  void setGlobalLoads(double Loads) {
    for (auto *Work : {&U.Result.Evidence.Work, &U.Result.Evidence.ShortWork})
      (*Work)["k"].Global = Loads;
  }
};

} // namespace

TEST_F(WhereResident, LaunchesRunAVersionThatLosesByFewerWarps) {
  EXPECT_TRUE(kernel().WhereResident);
  EXPECT_TRUE(kernel().HasVersion);
  EXPECT_TRUE(kernel().MovesArrays);
  EXPECT_NEAR(kernel().Predicted->ResourceFactor, 1, 0.1);
}

TEST_F(WhereResident, LaunchesOfWhatGainsAnywayRunIt) {
  setGlobalLoads(0);
  EXPECT_TRUE(kernel().MovesArrays);
  EXPECT_FALSE(kernel().WhereResident);
}

TEST_F(WhereResident, WhatGainsNothingStays) {
  work(Little);
  setGlobalLoads(1000);
  EXPECT_FALSE(kernel().MovesArrays);
  EXPECT_FALSE(kernel().HasVersion);
  EXPECT_FALSE(kernel().WhereResident);
}

TEST_F(WhereResident, KernelsWithoutVersionsStay) {
  U.kernel().Text.VersionProblem = "its variable 'calls' is static";
  EXPECT_FALSE(kernel().MovesArrays);
  EXPECT_FALSE(kernel().WhereResident);
}
