//===-- DynamicTest.cpp - dynamic shared memory ---------------------------===//
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

namespace {

// A kernel that is launched with a block that nobody knows, and an array of
// `Elements` words in it.
TestUnit unbounded(uint64_t Elements = 8) {
  TestUnit U;
  Launch &L = U.launch(0);
  forgetBlock(L);
  L.Source = "variable 'threads'";
  U.array(makeArray("a", Elements));
  giveText(U.Result);
  return U;
}

// Another kernel that is launched with a block that nobody knows, and an array
// of `Elements` words in it.
void addUnboundedKernel(TestUnit &U, const std::string &Array,
                        uint64_t Elements) {
  U.Result.Facts.Kernels.push_back(makeKernel("other", 50));
  Launch L = makeLaunch(0, "other", 101);
  forgetBlock(L);
  U.Result.Facts.Launches.push_back(L);
  TestArray F = makeArray(Array, Elements, 4, 52);
  F.Kernels = {"other"};
  U.array(F);
  giveText(U.Result);
}

} // namespace

TEST(Dynamic, AnUnknownBlockIsWhatLaunchesBring) {
  Plan P = unbounded().plan();
  const Verdict &V = find(P, "a").Verdict;
  EXPECT_EQ(V.Kind, VerdictKind::Stripe);
  EXPECT_TRUE(V.Storage.Dynamic);
  EXPECT_EQ(V.Storage.WarpBytes, 8u * 4 * 32);
  const KernelPlan &K = P.Kernels.front();
  EXPECT_EQ(K.WarpBytes, V.Storage.WarpBytes);
  EXPECT_TRUE(K.hasRow());
  EXPECT_FALSE(K.HasVersion);
}

// Its launches say 1 and bring too little.
TEST(Dynamic, TheBlockOfAnAttributeIsNotWhatLaunchesBring) {
  TestUnit U = unbounded();
  U.kernel().BoundsExcludedBy = BlockSizeAttribute.str();
  const Plan P = U.plan();
  EXPECT_EQ(reasonOf(P, "a"), Reason::BlockSizeUnknown);
  EXPECT_THAT(find(P, "a").Verdict.Detail,
              HasSubstr("no launch of kernel 'k' says its block"));
}

// The launch sees to the size of blocks.
TEST(Dynamic, AFunctionNeedsNoTest) {
  TestUnit U = unbounded();
  U.Arrays.front().Function.IsKernel = false;
  EXPECT_TRUE(find(U.plan(), "a").Verdict.Storage.Dynamic);
  EXPECT_FALSE(find(U.plan(), "a").Verdict.Storage.TestsBlock);
  U.Result.Facts.Launches.front() = makeLaunch(64);
  EXPECT_TRUE(find(U.plan(), "a").Verdict.Storage.TestsBlock);
}

// With more registers than before, a block could no longer start.
TEST(Dynamic, RegistersStayWithinWhatBlocksNeed) {
  TestUnit U = unbounded();
  EXPECT_TRUE(U.plan().Kernels.front().AddLaunchBounds);
  EXPECT_EQ(U.plan().Kernels.front().Block.ToAdd, 1024u);
  U.Result.Resources["k"].StackFrame = 64;
  U.Result.Resources["k"].Registers =
      90; // 96 each: 5 warps in each of 4 parts.
  EXPECT_EQ(U.plan().Kernels.front().Block.ToAdd, 640u);
  U.Result.Resources["k"].Registers = 255;
  EXPECT_EQ(U.plan().Kernels.front().Block.ToAdd, 256u);
  U.kernel().Bounds = LaunchBounds{512, "512"};
  EXPECT_FALSE(U.plan().Kernels.front().AddLaunchBounds);
}

TEST(Dynamic, AKnownBlockHasStaticStorage) {
  TestUnit U;
  U.launch(128);
  U.array();
  giveText(U.Result);
  Plan P = U.plan();
  EXPECT_FALSE(find(P, "a").Verdict.Storage.Dynamic);
  EXPECT_FALSE(P.Kernels.front().hasRow());
}

// 1024 threads of 13 words are more than 48 KB, so only a version is for less.
TEST(Dynamic, ABlockOfUnknownSizeMayBeTheLargest) {
  TestUnit U = unbounded(13);
  Plan P = U.plan();
  EXPECT_TRUE(P.Kernels.front().HasVersion);
  EXPECT_EQ(P.Kernels.front().Block.Threads, UsualBlock);
  U.kernel().Text.VersionProblem = "it says static";
  EXPECT_EQ(reasonOf(U.plan()), Reason::BlockSizeUnknown);
  EXPECT_THAT(find(U.plan(), "a").Verdict.Detail,
              HasSubstr("53248 bytes per block of 1024 threads"));
  PlanOptions Options;
  Options.SharedLimit = 100 * 1024;
  P = U.plan(Options);
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_FALSE(P.Kernels.front().HasVersion);
}

// Blocks of 1024 threads would need too much. What ran had 64.
TEST(Dynamic, AGivenBlockGetsAVersionWhereTheLargestHasNoRoom) {
  const PlanOptions Options = decidedBlock(64);
  const Plan P = unbounded(32).plan(Options);
  EXPECT_TRUE(P.Kernels.front().HasVersion);
  EXPECT_EQ(P.Kernels.front().Block.Threads, 64u);
  EXPECT_EQ(P.KernelOutcomes.at(0).State, DecisionState::Used);
  // With room for any block, launches bring what they need.
  const Plan Small = unbounded().plan(Options);
  EXPECT_FALSE(Small.Kernels.front().HasVersion);
  EXPECT_GT(Small.Kernels.front().WarpBytes, 0u);
  EXPECT_EQ(Small.KernelOutcomes.at(0).State, DecisionState::Used);
}

TEST(Dynamic, TheArchitectureLimitsWhatLaunchesBring) {
  PlanOptions Options;
  Options.SharedLimit = 227 * 1024;
  EXPECT_FALSE(unbounded(32).plan(Options).Kernels.front().HasVersion);
  Options.GpuArch = "sm_86";
  EXPECT_TRUE(unbounded(32).plan(Options).Kernels.front().HasVersion);
}

TEST(Dynamic, MoreThanStaticStorageOnlyWhereItIsAllowed) {
  TestUnit U;
  U.launch(256);
  U.array(makeArray("a", 64));
  giveText(U.Result);
  EXPECT_EQ(reasonOf(U.plan()), Reason::OverBudget);
  PlanOptions Options;
  Options.SharedLimit = 227 * 1024;
  Plan P = U.plan(Options);
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_TRUE(find(P, "a").Verdict.Storage.Dynamic);
  EXPECT_FALSE(P.Kernels.front().HasVersion);
}

// Unasked, the kernel itself gets 48 KB at most.
TEST(Dynamic, WhatTheKernelAsksForItselfMayBeUnknown) {
  TestUnit U = unbounded();
  U.Result.Facts.Launches[0].DynamicSharedBytes.reset();
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_FALSE(P.Kernels.front().HasVersion);
  PlanOptions Options;
  Options.GpuArch = "sm_75"; // 64 KB leave 16 bytes for each of 1024 threads.
  EXPECT_TRUE(U.plan(Options).Kernels.front().HasVersion);
}

// --- What stands against it --------------------------------------------------

TEST(Dynamic, StorageInPlaceNeedsARow) {
  auto WhyNot = [](void (*Change)(TestUnit &)) {
    TestUnit U = unbounded();
    EXPECT_EQ(U.plan().Kernels.front().WhyNoRow, "");
    EXPECT_FALSE(U.plan().Kernels.front().HasVersion);
    Change(U);
    const KernelPlan K = U.plan().Kernels.front();
    EXPECT_TRUE(K.HasVersion || !K.hasRow());
    return K.WhyNoRow;
  };
  EXPECT_EQ(WhyNot([](TestUnit &U) { U.mention(); }), "'b.py' names it");
  EXPECT_EQ(WhyNot([](TestUnit &U) { U.shared().Asks = AskedSize::Dynamic; }),
            "it asks how much shared memory it has");
  EXPECT_EQ(WhyNot([](TestUnit &U) { U.kernel().Text.Problem = "no text"; }),
            "no text");
  EXPECT_EQ(WhyNot([](TestUnit &U) {
              U.kernel().Text.TemplateHead = "template <class T>";
              U.kernel().BodyBegin = {"/a.cu", 150, 0};
            }),
            "it is a template");
  EXPECT_EQ(WhyNot([](TestUnit &U) { U.Result.Facts.Launches.clear(); }),
            "no launch of it was seen");
  EXPECT_EQ(
      WhyNot([](TestUnit &U) { U.kernel().BoundsInsertion = TextRange(); }),
      "its name comes from a macro");
  EXPECT_EQ(WhyNot([](TestUnit &U) { U.launch(64).OnDevice = true; }),
            "the launch at a.cu:101 passes no host stub");
}

// Nothing has to stand before it then.
TEST(Dynamic, ARowNeedsNoNameWhereThereAreBounds) {
  TestUnit U = unbounded();
  U.kernel().BoundsInsertion = TextRange();
  U.kernel().Bounds = LaunchBounds{64, "64"};
  EXPECT_EQ(U.plan().Kernels.front().WhyNoRow, "");
}

TEST(Dynamic, KernelsWithoutARowSayWhy) {
  TestUnit U = unbounded();
  U.launch(64).OnDevice = true;
  U.kernel().Text.VersionProblem = "it says static";
  EXPECT_EQ(reasonOf(U.plan()), Reason::BlockSizeUnknown);
  EXPECT_THAT(
      find(U.plan(), "a").Verdict.Detail,
      EndsWith("nor can it be dynamic shared memory: the launch at a.cu:101 "
               "passes no host stub; nor can it have a version: it says "
               "static"));
}

TEST(Dynamic, AnArrayThatNeedsMoreAlignment) {
  TestUnit U = unbounded();
  TestArray &F = U.Arrays[0];
  F.Instances = {makeInstance(F, "k", {"k"})};
  F.Instances[0].SlotAlignment = 32;
  U.kernel().Text.VersionProblem = "it says static";
  EXPECT_THAT(find(U.plan(), "a").Verdict.Detail,
              HasSubstr("'a' needs an alignment of 32 bytes"));
}

// --- Places ------------------------------------------------------------------

TEST(Dynamic, ArraysOfOneKernelLieBesideEachOther) {
  TestUnit U = unbounded(4);
  U.array(makeArray("b", 6, 4, 20));
  Plan P = U.plan();
  EXPECT_EQ(find(P, "a").Verdict.Storage.WarpOffset, 0u);
  EXPECT_EQ(find(P, "b").Verdict.Storage.WarpOffset, 4u * 4 * 32);
  EXPECT_EQ(P.Kernels.front().WarpBytes, 10u * 4 * 32);
}

// `shared` is reached by both kernels, and each has an array of its own.
TEST(Dynamic, ArraysThatNoKernelReachesBothShareAPlace) {
  TestUnit U = unbounded(4);
  addUnboundedKernel(U, "b", 5);
  TestArray Shared = makeArray("shared", 2, 4, 70);
  Shared.Kernels = {"k", "other"};
  Shared.Function.IsKernel = false;
  U.array(Shared);
  Plan P = U.plan();
  EXPECT_EQ(find(P, "a").Verdict.Storage.WarpOffset, 0u);
  EXPECT_EQ(find(P, "b").Verdict.Storage.WarpOffset, 0u);
  EXPECT_EQ(find(P, "shared").Verdict.Storage.WarpOffset, 5u * 4 * 32);
  for (const KernelPlan &K : P.Kernels)
    EXPECT_EQ(K.WarpBytes, 7u * 4 * 32);
}

TEST(Dynamic, OneKernelThatCannotKeepsItsGroupStatic) {
  TestUnit U = unbounded(4);
  U.Result.Facts.Kernels.push_back(makeKernel("other", 50));
  U.Result.Facts.Launches.push_back(makeLaunch(64, "other", 101));
  U.Arrays[0].Kernels = {"k", "other"};
  giveText(U.Result);
  U.Result.Facts.Launches[1].OnDevice = true;
  for (Kernel &K : U.Result.Facts.Kernels)
    K.Text.VersionProblem = "it says static";
  EXPECT_THAT(find(U.plan(), "a").Verdict.Detail,
              HasSubstr("kernel 'other': the launch at a.cu:101"));
}

// They may be active at once: in one thread, or in others of its warp.
TEST(Dynamic, InstancesThatOneKernelReachesWouldShareAPlace) {
  TestUnit U = unbounded(4);
  TestArray &F = U.Arrays[0];
  F.Function.IsKernel = false;
  F.Instances = {makeInstance(F, "f<4>", {"k"}), makeInstance(F, "f<8>", {})};
  EXPECT_EQ(reasonOf(U.plan()), Reason::DynamicIndex);
  F.KernelsOf["f<8>"] = {"k"};
  EXPECT_EQ(reasonOf(U.plan()), Reason::BlockSizeUnknown);
  EXPECT_THAT(find(U.plan(), "a").Verdict.Detail,
              HasSubstr("several instances of its function"));
}

// Predictions are for that one, instead of one of 256 threads.
TEST(Dynamic, ABlockThatWasSeenIsTheUsualOne) {
  TestUnit U = unbounded();
  EXPECT_EQ(usualBlock(Form(), {}), UsualBlock);
  Form Seen;
  Seen.SeenThreads = 128;
  EXPECT_EQ(usualBlock(Seen, {}), 128u);
  Seen.Block.Threads = 64;
  EXPECT_EQ(usualBlock(Seen, {}), 64u);
  const MergedRun Run = mergeUnits({U.result()}, decidedBlock(128));
  EXPECT_EQ(formsOf(Run, decidedBlock(128), {false})[0].SeenThreads, 128u);
}

TEST(Dynamic, OnlyArraysOfAFullGroupAreTakenBack) {
  TestUnit U = unbounded(6);
  U.array(makeArray("b", 7, 4, 20));
  addUnboundedKernel(U, "c", 11);
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P, "c"), Reason::DynamicIndex);
  for (const KernelPlan &K : P.Kernels)
    EXPECT_GT(K.WarpBytes, 0u);
}

// So compilers see that arrays do not overlap.
TEST(Dynamic, StorageLiesBehindOtherMemoryOnlyWhereThereIsSome) {
  EXPECT_FALSE(find(unbounded().plan(), "a").Verdict.Storage.Behind);
  TestUnit Asks = unbounded(), Uses = unbounded();
  Asks.Result.Facts.Launches[0].DynamicSharedBytes = 64; // For nothing.
  EXPECT_FALSE(find(Asks.plan(), "a").Verdict.Storage.Behind);
  Uses.shared().UsesDynamic = true;
  EXPECT_TRUE(find(Uses.plan(), "a").Verdict.Storage.Behind);
}

TEST(Dynamic, StorageIsNoneOfAKernelThatAsksForItsSize) {
  TestUnit U = unbounded();
  U.shared().Asks = AskedSize::Dynamic;
  EXPECT_FALSE(find(U.plan(), "a").Verdict.Storage.Dynamic);
  EXPECT_TRUE(find(unbounded().plan(), "a").Verdict.Storage.Dynamic);
}

TEST(Dynamic, WhatNvccRejectsNeedsNoRow) {
  const Plan P = planWithFileRejected(unbounded());
  EXPECT_FALSE(P.Kernels.front().hasRow());
  EXPECT_EQ(P.Kernels.front().WarpBytes, 0u);
  EXPECT_EQ(P.Kernels.front().SharedAfter, P.Kernels.front().SharedBefore);
}
