//===-- VersionsTest.cpp - kernels that stay, with a version beside -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// A kernel with an array, which other files may launch.
class Versions : public ::testing::Test {
protected:
  Versions() {
    U.array();
    giveText(U.Result);
    Options.Others = Outside::Files;
  }

  Plan plan() const { return U.plan(Options); }
  KernelPlan kernel() const { return plan().Kernels.front(); }
  Verdict verdict() const { return find(plan(), "a").Verdict; }
  /// Another instance of `k`, and what it makes of the array.
  Kernel &addInstance() {
    Kernel K = U.kernel();
    K.Id = "other";
    TestArray &A = U.Arrays.front();
    A.Instances = {makeInstance(A, "k", {"k"}),
                   makeInstance(A, "other", {"other"})};
    return U.Result.Facts.Kernels.emplace_back(std::move(K));
  }
  /// Another kernel, without an array.
  void addKernel(const std::string &Name) {
    Kernel K = makeKernel(Name, 50);
    K.Text = KernelText();
    K.Text.Definition = {"/a.cu", 5000, 90};
    U.Result.Facts.Kernels.push_back(std::move(K));
  }

  TestUnit U;
  PlanOptions Options;
};

// A kernel whose launches are all known changes in place.
void expectInPlace(const Plan &P) {
  EXPECT_FALSE(P.Kernels.front().HasVersion);
  EXPECT_TRUE(P.Kernels.front().AddLaunchBounds);
  EXPECT_EQ(find(P, "a").Verdict.Kind, VerdictKind::Stripe);
  EXPECT_FALSE(find(P, "a").Verdict.Storage.Dynamic);
}

} // namespace

// --- Which kernels -----------------------------------------------------------

TEST_F(Versions, AreForKernelsThatOthersMayLaunch) {
  U.launch(128);
  const KernelPlan K = kernel();
  EXPECT_TRUE(K.HasVersion);
  EXPECT_TRUE(K.hasRow());
  EXPECT_FALSE(K.AddLaunchBounds);
  EXPECT_EQ(K.WarpBytes, 16u * 4 * 32);
  EXPECT_EQ(verdict().Kind, VerdictKind::Stripe);
  EXPECT_TRUE(verdict().Storage.Dynamic);
  EXPECT_FALSE(verdict().Storage.Behind);
  Options.Others = Outside::Nobody;
  expectInPlace(plan());
}

TEST_F(Versions, StandBesideTheirOriginals) {
  U.launch(128);
  EXPECT_TRUE(keepsOriginals(plan()));
  Options.Others = Outside::Nobody; // It changes in place.
  EXPECT_FALSE(keepsOriginals(plan()));
}

TEST_F(Versions, AreNotForKernelsThatNobodyElseCanName) {
  U.launch(128);
  U.kernel().Text.Internal = true;
  expectInPlace(plan());
}

TEST_F(Versions, AreForKernelsThatTextNamesWithoutALaunch) {
  U.launch(128);
  Options.Others = Outside::Nobody;
  U.mention();
  EXPECT_TRUE(kernel().HasVersion);
}

TEST_F(Versions, AreForKernelsThatNothingInSightLaunches) {
  Options.Others = Outside::Nobody;
  EXPECT_TRUE(kernel().HasVersion);
}

TEST_F(Versions, AreForKernelsWithMemoryThatNobodyKnows) {
  U.kernel().Bounds = LaunchBounds{128, "128"};
  EXPECT_FALSE(kernel().HasVersion);
  EXPECT_FALSE(verdict().Storage.Dynamic);
  U.shared().UsesDynamic = true;
  EXPECT_TRUE(kernel().HasVersion);
  EXPECT_TRUE(verdict().Storage.Behind);
}

TEST_F(Versions, AreForMoreThanStaticMemoryWhereLaunchesMayBringIt) {
  U.kernel().Bounds = LaunchBounds{1024, "1024"};
  EXPECT_FALSE(kernel().HasVersion);
  EXPECT_EQ(reasonOf(plan()), Reason::OverBudget);
  Options.SharedLimit = 200 * 1024;
  EXPECT_TRUE(kernel().HasVersion);
  EXPECT_EQ(reasonOf(plan()), Reason::DynamicIndex);
}

// A slot takes a few bytes more than the smallest stripe.
TEST_F(Versions, AreForSlotsThatHaveNoRoomInPlace) {
  Options.Others = Outside::Nobody;
  Options.SharedLimit = 66 * 1024;
  forgetBlock(U.launch(64));
  U.Arrays.front().Obstacles = {obstacle(Reason::PassedToFunction)};
  EXPECT_TRUE(kernel().HasVersion);
  EXPECT_TRUE(verdict().usesShared());
}

TEST_F(Versions, AreNotForArraysThatStay) {
  U.Result.Evidence.Arrays.front().Where = Residency::Registers;
  EXPECT_FALSE(kernel().HasVersion);
  EXPECT_FALSE(kernel().hasRow());
}

TEST_F(Versions, AreNotForArraysWithoutRoom) {
  U.Arrays.front() = makeArray("a", 512);
  EXPECT_FALSE(kernel().HasVersion);
  EXPECT_EQ(reasonOf(plan()), Reason::OverBudget);
}

TEST_F(Versions, HaveRoomBesideMemoryOfTheKernel) {
  U.shared().UsesDynamic = true;
  U.launch(256).DynamicSharedBytes = 30 * 1024;
  EXPECT_TRUE(kernel().HasVersion);
  U.Result.Facts.Launches.front().DynamicSharedBytes = 40 * 1024;
  EXPECT_FALSE(kernel().HasVersion);
  EXPECT_EQ(reasonOf(plan()), Reason::OverBudget);
}

// A launch that computes what it asks for decides with that.
TEST_F(Versions, HaveRoomBesideMemoryThatIsNotKnown) {
  U.shared().UsesDynamic = true;
  U.launch(256).DynamicSharedBytes = std::nullopt;
  EXPECT_TRUE(kernel().HasVersion);
  EXPECT_EQ(kernel().DynamicSharedBytes, 0u);
}

// Its launches need no bounds, however much they bring.
TEST_F(Versions, LeaveTheOriginalAsItWas) {
  Options.Others = Outside::Nobody;
  Options.SharedLimit = 100 * 1024;
  forgetBlock(U.launch(1));
  U.Arrays.front() = makeArray("a", 64);
  EXPECT_TRUE(kernel().HasVersion);
  EXPECT_FALSE(kernel().AddLaunchBounds);
  EXPECT_EQ(kernel().WarpBytes, 64u * 4 * 32);
}

// A guess: launches of larger ones run the original.
TEST_F(Versions, AreForHalfTheUsualBlockWhereAllArraysHaveRoomThen) {
  Options.Others = Outside::Nobody;
  Options.SharedLimit = 100 * 1024;
  forgetBlock(U.launch(1));
  U.Arrays.front() = makeArray("a", 64);
  EXPECT_EQ(kernel().Block.Threads, 256u);
  U.array(makeArray("b", 64, 4, 11));
  EXPECT_EQ(kernel().Block.Threads, 128u);
  EXPECT_EQ(kernel().WarpBytes, 2 * 64u * 4 * 32);
  U.array(makeArray("c", 128, 4, 12)); // Nor have they there.
  EXPECT_EQ(kernel().Block.Threads, 256u);
  U.Arrays.pop_back();
  U.Result.Facts.Launches.front().Threads = 256;
  EXPECT_EQ(kernel().Block.Threads, 256u);
  EXPECT_EQ(kernel().WarpBytes, 64u * 4 * 32);
}

TEST_F(Versions, AreNotForBitsAlone) {
  TestArray Flags = makeArray("a", 9, 1);
  Flags.AsBits = true;
  U.Arrays.front() = Flags;
  EXPECT_EQ(verdict().Kind, VerdictKind::Bits);
  EXPECT_FALSE(kernel().HasVersion);
  U.array(makeArray("b", 16, 4, 11));
  EXPECT_EQ(verdict().Kind, VerdictKind::Bits);
  EXPECT_TRUE(kernel().HasVersion);
}

// With a row, its launches bring the storage to the kernel itself.
TEST_F(Versions, AreForKernelsWithoutBoundsAndARow) {
  U.launch(128);
  Options.Others = Outside::Nobody;
  U.kernel().BoundsExcludedBy = "__maxnreg__";
  EXPECT_FALSE(kernel().HasVersion);
  EXPECT_GT(kernel().WarpBytes, 0u);
  U.Result.Facts.Launches.front().OnDevice = true;
  EXPECT_TRUE(kernel().HasVersion);
}

TEST_F(Versions, EndWhereNvccRejectsThem) {
  EXPECT_TRUE(kernel().HasVersion);
  const Plan P = planWithFileRejected(U, Options);
  EXPECT_FALSE(P.Kernels.front().HasVersion);
  EXPECT_FALSE(P.Kernels.front().hasRow());
}

// --- For which blocks --------------------------------------------------------

TEST_F(Versions, AreForTheUsualBlockWhereNobodyKnowsAny) {
  EXPECT_EQ(kernel().Block.Threads, UsualBlock);
  EXPECT_EQ(kernel().Block.Source, BlockSizeSource::Unknown);
  EXPECT_EQ(verdict().SharedBytes, 16u * 4 * UsualBlock);
}

TEST_F(Versions, AreForTheLargestBlockInSight) {
  U.launch(64);
  U.launch(96);
  forgetBlock(U.launch(1));
  EXPECT_EQ(kernel().Block.Threads, 96u);
  EXPECT_EQ(kernel().Block.Source, BlockSizeSource::Launches);
}

TEST_F(Versions, AreForTheBlockOfLaunchBounds) {
  U.launch(64);
  U.kernel().Bounds = LaunchBounds{512, "512"};
  U.shared().UsesDynamic = true;
  EXPECT_TRUE(kernel().HasVersion);
  EXPECT_EQ(kernel().Block.Threads, 512u);
  EXPECT_EQ(kernel().Block.Source, BlockSizeSource::LaunchBounds);
}

// Whoever launches the kernel need not know what was decided, so that no launch
// bounds come of it.
TEST_F(Versions, AreForTheBlockThatIsDecided) {
  U.launch(512);
  Options.KernelDecisions = decidedBlock(96).KernelDecisions;
  const Plan P = plan();
  EXPECT_EQ(P.Kernels.front().Block.Threads, 96u);
  EXPECT_EQ(P.Kernels.front().Block.Source, BlockSizeSource::Option);
  EXPECT_FALSE(P.Kernels.front().AddLaunchBounds);
  EXPECT_EQ(P.KernelOutcomes.at(0).State, DecisionState::Used);
  Options.KernelDecisions[0].Kernel = "other";
  EXPECT_EQ(kernel().Block.Threads, 512u);
  Options.Defaults["/a.cu"].BlockSize = 128;
  Options.Defaults["/a.cu"].From = "/.bankstripe.yaml";
  EXPECT_EQ(kernel().Block.Threads, 128u);
  Options.BlockSize = 64;
  EXPECT_EQ(kernel().Block.Threads, 64u);
}

TEST_F(Versions, AreNotForABlockThatIsDecidedWhereItIsKnown) {
  U.launch(128);
  Options = decidedBlock(96);
  expectInPlace(plan());
  EXPECT_EQ(kernel().Block.Threads, 128u);
  EXPECT_EQ(plan().KernelOutcomes.at(0).State, DecisionState::Unfulfilled);
  EXPECT_EQ(plan().KernelOutcomes.at(0).Detail, "its block size is known");
}

// --- Templates ---------------------------------------------------------------

TEST_F(Versions, AreOfAllInstancesOrNone) {
  U.launch(128);
  Options.Others = Outside::Nobody;
  Kernel &Other = addInstance(); // Nothing in sight launches it.
  auto Both = [&] {
    const Plan P = plan();
    return std::pair(P.Kernels[0].HasVersion, P.Kernels[1].HasVersion);
  };
  EXPECT_EQ(Both(), std::pair(true, true));
  EXPECT_EQ(plan().Kernels[0].Block.Threads, 128u);
  EXPECT_EQ(plan().Kernels[1].Block.Threads, UsualBlock);
  U.Arrays.front().KernelsOf["k"].clear(); // It is the same text all the same.
  EXPECT_EQ(Both(), std::pair(true, true));
  U.Result.Evidence.Waiting = {"other"};
  EXPECT_TRUE(plan().Kernels[0].Waits);
  U.Result.Evidence.Waiting.clear();
  Other.Text.VersionProblem = "it says static";
  EXPECT_EQ(Both(), std::pair(false, false));
  EXPECT_EQ(reasonOf(plan()), Reason::BlockSizeUnknown);
}

// --- Kernels that wait -------------------------------------------------------

TEST_F(Versions, MayWait) {
  U.Result.Evidence.Waiting = {"k"};
  U.launch(128);
  for (Outside Who : {Outside::Files, Outside::Nobody}) {
    Options.Others = Who;
    EXPECT_TRUE(kernel().HasVersion);
    EXPECT_TRUE(kernel().Waits);
    EXPECT_TRUE(verdict().usesShared());
  }
  U.Result.Evidence.Waiting.clear();
  Options.Others = Outside::Files;
  EXPECT_FALSE(kernel().Waits);
}

// --- Why there is none -------------------------------------------------------

TEST_F(Versions, AreNoneOfKernelsThatWaitSayingWhy) {
  U.Result.Evidence.Waiting = {"k"};
  U.kernel().Text.VersionProblem = "it says static";
  EXPECT_EQ(verdict().Why, Reason::WaitsForBlocks);
  EXPECT_EQ(verdict().Detail, "it can have no version: it says static");
}

TEST_F(Versions, AreNoneSayingWhy) {
  auto Why = [&](auto Change) {
    const TestUnit Before = U;
    EXPECT_TRUE(kernel().HasVersion);
    Change(U);
    EXPECT_FALSE(kernel().HasVersion);
    const Verdict Found = verdict();
    EXPECT_FALSE(Found.usesShared());
    U = Before;
    return Found.Detail;
  };
  auto Is = [](const std::string &Text) {
    return EndsWith("; nor can it have a version: " + Text);
  };
  EXPECT_THAT(
      Why([](TestUnit &U) { U.kernel().Text.Problem = "it is a secret"; }),
      Is("it is a secret"));
  EXPECT_THAT(Why([](TestUnit &U) {
                U.kernel().Text.VersionProblem = "it says static";
              }),
              Is("it says static"));
  EXPECT_THAT(Why([](TestUnit &U) { U.kernel().MayEdit = false; }),
              Is("it is outside the given paths"));
  EXPECT_THAT(Why([](TestUnit &U) {
                U.kernel().BoundsExcludedBy = BlockSizeAttribute.str();
              }),
              Is("its launches do not say its block"));
  EXPECT_THAT(Why([](TestUnit &U) { U.shared().Asks = AskedSize::Dynamic; }),
              Is("it asks how much shared memory it has"));
  EXPECT_THAT(Why([](TestUnit &U) {
                U.kernel().Text.TemplateHead = "template <class T>";
              }),
              Is("a macro begins its body"));
}

TEST_F(Versions, OfTemplatesNeedTheBeginningOfTheirBodies) {
  U.kernel().Text.TemplateHead = "template <class T>";
  U.kernel().BodyBegin = {"/a.cu", 150, 0};
  EXPECT_TRUE(kernel().HasVersion);
}

// Whoever loads a module launches what is in it by itself.
TEST_F(Versions, AreNoneInModules) {
  U.launch(128);
  Options.Others = Outside::Loaders;
  EXPECT_FALSE(kernel().HasVersion);
  EXPECT_EQ(reasonOf(plan()), Reason::BlockSizeUnknown);
  EXPECT_THAT(verdict().Detail, Not(HasSubstr("version")));
  Options.BlockSize = 128; // All that a person can say of it.
  expectInPlace(plan());
}

// What launches bring is aligned to 128 bytes, behind the kernel's own to 16.
TEST_F(Versions, AreNotForArraysThatNeedMoreAlignment) {
  TestArray &A = U.Arrays.front();
  A.Instances = {makeInstance(A, "k", {"k"})};
  for (bool UsesDynamic : {false, true}) {
    U.shared().UsesDynamic = UsesDynamic;
    const unsigned Most = UsesDynamic ? 16 : 128;
    A.Instances.front().SlotAlignment = Most;
    EXPECT_TRUE(kernel().HasVersion);
    A.Instances.front().SlotAlignment = 2 * Most;
    EXPECT_FALSE(kernel().HasVersion);
    EXPECT_FALSE(verdict().usesShared());
    EXPECT_THAT(verdict().Detail,
                HasSubstr("aligned to " + std::to_string(Most) + " bytes"));
  }
}
