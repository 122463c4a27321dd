//===-- VersionTest.cpp - arrays that move in versions of functions -------===//
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
using ::testing::HasSubstr;

namespace {

// An array of `k` of which a version is possible.
TestArray versionable(const std::string &Name = "a", unsigned Line = 10) {
  TestArray F = makeArray(Name, 16, 4, Line);
  F.Version.Rest = {"/a.cu", 1000, 100};
  return F;
}

// A kernel that other files may launch.
TestUnit visible() {
  TestUnit U;
  U.array(versionable());
  return U;
}

PlanOptions amongOthers() {
  PlanOptions Options;
  Options.Others = Outside::Files;
  return Options;
}

} // namespace

// The host needs the array where it was, but no block can be too large.
TEST(DeviceOnly, IsWhatMovesForTheHostTooWithoutAVersion) {
  TestUnit U;
  U.array(versionable()).Function.HostDevice = true;
  U.launch(128);
  Plan P = U.plan();
  EXPECT_TRUE(find(P, "a").Verdict.Storage.DeviceOnly);
  EXPECT_FALSE(find(P, "a").Verdict.Storage.InVersion);
  P = U.plan(amongOthers());
  EXPECT_FALSE(find(P, "a").Verdict.Storage.DeviceOnly);
  EXPECT_TRUE(find(P, "a").Verdict.Storage.InVersion);
}

TEST(Versions, AreForKernelsThatOthersMayLaunch) {
  TestUnit U = visible();
  U.launch(128);
  const Plan P = U.plan(amongOthers());
  EXPECT_TRUE(find(P, "a").Verdict.Storage.InVersion);
  EXPECT_EQ(find(P, "a").Verdict.Storage.Threads, 128u);
  EXPECT_TRUE(P.Kernels.front().HasVersion);
  // The whole program is in sight.
  EXPECT_FALSE(find(U.plan(), "a").Verdict.Storage.InVersion);
  EXPECT_EQ(find(U.plan(), "a").Verdict.Kind, VerdictKind::Stripe);
}

PlanOptions withBlockOf96(Outside Others) {
  PlanOptions Options = decidedBlock(96);
  Options.Others = Others;
  return Options;
}

// A decision is no promise, so that no launch bounds come of it.
TEST(Versions, AreForTheBlockThatWasDecided) {
  for (Outside Who : {Outside::Files, Outside::Nobody}) {
    const Plan P = visible().plan(withBlockOf96(Who));
    EXPECT_TRUE(find(P, "a").Verdict.Storage.InVersion);
    EXPECT_EQ(find(P, "a").Verdict.Storage.Threads, 96u);
    EXPECT_EQ(P.KernelOutcomes.at(0).State, DecisionState::Used);
    EXPECT_EQ(P.Kernels.front().Block.ToAdd, LargestBlock);
  }
  PlanOptions Options = withBlockOf96(Outside::Nobody);
  Options.KernelDecisions[0].Kernel = "other";
  EXPECT_EQ(find(visible().plan(Options), "a").Verdict.Storage.Threads,
            UsualBlock);
}

TEST(Versions, AreNotForABlockThatWasDecidedWhereItIsKnown) {
  TestUnit U = visible();
  U.launch(128);
  const Plan P = U.plan(withBlockOf96(Outside::Nobody));
  EXPECT_EQ(find(P, "a").Verdict.Storage.Threads, 128u);
  EXPECT_EQ(P.KernelOutcomes.at(0).State, DecisionState::Unfulfilled);
  EXPECT_EQ(P.KernelOutcomes.at(0).Detail, "its block size is known");
}

TEST(Versions, AreNotForKernelsThatNobodyElseCanName) {
  TestUnit U = visible();
  U.launch(128);
  U.kernel().Text.Internal = true;
  EXPECT_FALSE(find(U.plan(amongOthers()), "a").Verdict.Storage.InVersion);
}

TEST(Versions, AreNotForKernelsWithLaunchBounds) {
  TestUnit U = visible();
  U.kernel().Bounds = LaunchBounds{256, "256"};
  EXPECT_FALSE(find(U.plan(amongOthers()), "a").Verdict.Storage.InVersion);
  EXPECT_EQ(find(U.plan(amongOthers()), "a").Verdict.Kind, VerdictKind::Stripe);
}

TEST(Versions, AreForBlocksOfSizesThatNobodyKnows) {
  TestUnit U = visible();
  U.launch(0).Threads.reset();
  EXPECT_TRUE(find(U.plan(), "a").Verdict.Storage.InVersion);
  EXPECT_EQ(find(U.plan(), "a").Verdict.Storage.Threads, UsualBlock);
}

TEST(Versions, AreForTheLargestBlockInSight) {
  TestUnit U = visible();
  U.launch(64);
  U.launch(96);
  EXPECT_EQ(find(U.plan(amongOthers()), "a").Verdict.Storage.Threads, 96u);
  // One whose size varies may be a usual one.
  U.launch(0).Threads.reset();
  EXPECT_EQ(find(U.plan(amongOthers()), "a").Verdict.Storage.Threads,
            UsualBlock);
  U.launch(512);
  EXPECT_EQ(find(U.plan(amongOthers()), "a").Verdict.Storage.Threads, 512u);
}

TEST(Versions, AreForTheBlockThatIsDecided) {
  TestUnit U = visible();
  U.launch(256);
  PlanOptions Options = amongOthers();
  Options.Defaults["/a.cu"].BlockSize = 128;
  Options.Defaults["/a.cu"].From = "/.bankstripe.yaml";
  EXPECT_EQ(find(U.plan(Options), "a").Verdict.Storage.Threads, 128u);
}

// Whoever launches the kernel need not know what was decided.
TEST(Versions, AreForTheBlockThatIsDecidedWhereNoLaunchTells) {
  TestUnit U = visible();
  U.launch(0).Threads.reset();
  PlanOptions Options = amongOthers();
  Options.BlockSize = 128;
  EXPECT_TRUE(find(U.plan(Options), "a").Verdict.Storage.InVersion);
  EXPECT_EQ(find(U.plan(Options), "a").Verdict.Storage.Threads, 128u);
  EXPECT_EQ(U.plan(Options).Kernels.front().Block.ToAdd, 1024u);
  // The user knows all launches of a whole program.
  Options.Others = Outside::Nobody;
  EXPECT_EQ(U.plan(Options).Kernels.front().Block.ToAdd, 128u);
}

// With more registers than before, a block could no longer start.
TEST(Versions, LeaveLaunchableWhatWasLaunchable) {
  TestUnit U = visible();
  U.launch(64);
  KernelPlan K = U.plan(amongOthers()).Kernels.front();
  EXPECT_TRUE(K.AddLaunchBounds);
  EXPECT_EQ(K.Block.ToAdd, 1024u);
  U.Result.Resources["k"].Registers = 128;
  EXPECT_EQ(U.plan(amongOthers()).Kernels.front().Block.ToAdd, 512u);
}

TEST(Versions, AreNoneWithoutPlaceForLaunchBounds) {
  TestUnit U = visible();
  U.kernel().BoundsInsertion = TextRange();
  const Plan P = U.plan(amongOthers());
  EXPECT_EQ(reasonOf(P), Reason::BlockSizeUnknown);
  EXPECT_THAT(find(P, "a").Verdict.Detail,
              HasSubstr("nor can it have a version: no launch bounds"));
}

TEST(Versions, AreNoneOfInstancesWithOtherBounds) {
  TestUnit U = visible();
  U.Result.Facts.Kernels.push_back(U.kernel());
  U.Result.Facts.Kernels.back().Id = "k2";
  EXPECT_TRUE(find(U.plan(amongOthers()), "a").Verdict.Storage.InVersion);
  U.Result.Resources["k"].StackFrame = 64;
  U.Result.Resources["k"].Registers = 128;
  EXPECT_EQ(reasonOf(U.plan(amongOthers())), Reason::BlockSizeUnknown);
}

// A launch out of sight may ask for all that there is.
TEST(Versions, AreNoneOfKernelsWithDynamicMemoryOfTheirOwn) {
  TestUnit U = visible();
  U.launch(64);
  U.shared().UsesDynamic = true;
  const Plan P = U.plan(amongOthers());
  EXPECT_EQ(reasonOf(P), Reason::BlockSizeUnknown);
  EXPECT_THAT(find(P, "a").Verdict.Detail, HasSubstr("have a version"));
}

TEST(Versions, AreNoneOfCooperativeKernels) {
  TestUnit U = visible();
  U.launch(64).Cooperative = true;
  EXPECT_EQ(reasonOf(U.plan(amongOthers())), Reason::BlockSizeUnknown);
}

TEST(Versions, AreNoneOfFunctionsThatCannotStandTwice) {
  TestUnit U;
  U.array(versionable()).Version.Problem = "it has the label 'again'";
  const Plan P = U.plan(amongOthers());
  EXPECT_EQ(reasonOf(P), Reason::BlockSizeUnknown);
  EXPECT_THAT(find(P, "a").Verdict.Detail,
              HasSubstr("nor can 'k' have a version: it has the label"));
}

// They are what no launch depends on.
TEST(Versions, HoldSharedVariablesTwice) {
  TestUnit U = visible();
  U.launch(128);
  U.array(versionable("b", 11));
  for (TestArray &F : U.Arrays)
    F.Version.SharedBytes = 1000;
  U.shared().StaticBytes = 1000;
  const KernelPlan K = U.plan(amongOthers()).Kernels.front();
  EXPECT_EQ(K.SharedBefore, 1000u);
  EXPECT_EQ(K.SharedAfter, 1000u + 1000 + 2 * 16 * 4 * 128);
  EXPECT_EQ(U.plan().Kernels.front().SharedAfter, 1000u + 2 * 16 * 4 * 128);
}

TEST(Versions, DoNotFitWhereSharedVariablesDoNotTwice) {
  TestUnit U = visible();
  U.launch(128);
  U.Arrays.front().Version.SharedBytes = 40 * 1024;
  U.shared().StaticBytes = 40 * 1024;
  EXPECT_EQ(reasonOf(U.plan(amongOthers())), Reason::OverBudget);
}

// A function chooses by itself, for whichever kernel calls it.
TEST(Versions, OfAFunctionAreForTheLargestOfItsKernels) {
  TestUnit U;
  U.Result.Facts.Kernels.push_back(makeKernel("static", 50));
  U.Result.Facts.Kernels.back().Text.Internal = true;
  U.Result.Facts.Launches = {makeLaunch(64), makeLaunch(192, "static", 101)};
  TestArray F = versionable();
  F.Function.IsKernel = false;
  F.Function.Name = F.Function.Id = "f";
  F.Kernels = {"k", "static"};
  U.array(F);
  const Verdict V = find(U.plan(amongOthers()), "a").Verdict;
  EXPECT_TRUE(V.Storage.InVersion);
  EXPECT_EQ(V.Storage.Threads, 192u);
}
