//===-- BlockBoundTest.cpp - a bound on each kernel's block size ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the bound comes from, and every reason that a kernel has none.
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// The reason that a kernel cannot be planned for.
Reason obstacleOf(const StaticBound &S) {
  if (S.Obstacle)
    return S.Obstacle->Why;
  ADD_FAILURE() << "no obstacle";
  return Reason::UnknownUse;
}

TEST(BlockBound, LaunchBoundsWin) {
  TestUnit U;
  U.kernel().Bounds = LaunchBounds{256, "Threads"};
  U.launch(128);
  StaticBound S = boundOf(U, 64);
  EXPECT_FALSE(S.Obstacle);
  EXPECT_EQ(S.Block.Threads, 256u);
  EXPECT_EQ(S.Block.Source, BlockSizeSource::LaunchBounds);
  EXPECT_EQ(S.Block.Text, "__launch_bounds__ at a.cu:1");
  EXPECT_FALSE(S.AddBounds);
}

TEST(BlockBound, LaunchBoundsNeedNoLaunch) {
  TestUnit U;
  U.kernel().Bounds = LaunchBounds{256, "256"};
  EXPECT_FALSE(boundOf(U).Obstacle);
}

TEST(BlockBound, TheLargestOfAllLaunches) {
  TestUnit U;
  U.launch(64);
  U.launch(256);
  U.launch(128);
  StaticBound S = boundOf(U);
  EXPECT_FALSE(S.Obstacle);
  EXPECT_EQ(S.Block.Threads, 256u);
  EXPECT_EQ(S.Block.Source, BlockSizeSource::Launches);
  EXPECT_EQ(S.Block.Text, "launch at a.cu:101 (literal)");
  EXPECT_TRUE(S.AddBounds);
}

// Its launch bounds tell the functions in it more than their tests could.
TEST(BlockBound, IsAssumedWhereFunctionsTestForIt) {
  TestUnit U;
  U.launch(96);
  U.kernel().BodyBegin = {"/a.cu", 40, 0};
  U.array().Function.IsKernel = false;
  EXPECT_EQ(U.plan().Kernels.front().AssumedBlock, "96");
  U.kernel().BodyBegin = {};
  EXPECT_EQ(U.plan().Kernels.front().AssumedBlock, "");
}

// They may be others for another architecture.
TEST(BlockBound, IsAssumedAsItIsWritten) {
  TestUnit U;
  U.kernel().BodyBegin = {"/a.cu", 40, 0};
  U.array().Function.IsKernel = false;
  U.kernel().Bounds = LaunchBounds{64, "SIZE"};
  EXPECT_EQ(U.plan().Kernels.front().AssumedBlock, "SIZE");
  U.kernel().Bounds = LaunchBounds{64, ""};
  EXPECT_EQ(U.plan().Kernels.front().AssumedBlock, "");
}

TEST(BlockBound, IsNotTestedWhereNoneCanBeLarger) {
  TestUnit U;
  U.launch(1024);
  U.kernel().BodyBegin = {"/a.cu", 40, 0};
  U.array(makeArray("a", 4)).Function.IsKernel = false;
  const Plan P = U.plan();
  EXPECT_TRUE(find(P, "a").Verdict.usesShared());
  EXPECT_FALSE(find(P, "a").Verdict.Storage.TestsBlock);
  EXPECT_EQ(P.Kernels.front().AssumedBlock, "");
}

TEST(BlockBound, IsNotAssumedWhereNothingTestsForIt) {
  TestUnit U;
  U.launch(96);
  U.kernel().BodyBegin = {"/a.cu", 40, 0};
  U.array();
  EXPECT_EQ(U.plan().Kernels.front().AssumedBlock, "");
}

TEST(BlockBound, LaunchesCountBeforeTheOption) {
  TestUnit U;
  U.launch(64);
  StaticBound S = boundOf(U, 512);
  EXPECT_EQ(S.Block.Threads, 64u);
  EXPECT_EQ(S.Block.Source, BlockSizeSource::Launches);
}

TEST(BlockBound, OneUnknownLaunchIsEnough) {
  TestUnit U;
  U.launch(64);
  Launch &L = U.launch(1);
  forgetBlock(L);
  StaticBound S = boundOf(U);
  EXPECT_EQ(obstacleOf(S), Reason::BlockSizeUnknown);
  EXPECT_EQ(infoOf(S.Obstacle->Why).Verdict, VerdictKind::Unchanged);
  EXPECT_EQ(S.Obstacle->Detail,
            "the launch at a.cu:101: variable 'n' is not a constant");
  EXPECT_EQ(S.Obstacle->Where, onLine(101));
}

// As of a cooperative launch, whose blocks must all be resident.
TEST(BlockBound, AMentionMayBeALaunchOfAnyKind) {
  TestUnit U;
  U.launch(64);
  U.mention();
  for (int HasBounds : {0, 1}) {
    if (HasBounds)
      U.kernel().Bounds = LaunchBounds{64, "64"};
    const StaticBound S = boundOf(U);
    EXPECT_EQ(obstacleOf(S), Reason::BlockSizeUnknown);
    EXPECT_EQ(S.Obstacle->Detail, "kernel 'k': 'b.py' names it");
    EXPECT_EQ(S.Obstacle->Where, onLine(1));
  }
}

TEST(BlockBound, ANumberThatAnotherBuildMayHaveOtherwiseIsNone) {
  TestUnit U;
  U.kernel().Bounds = LaunchBounds{64, "", /*IsFixed=*/false};
  EXPECT_EQ(obstacleOf(boundOf(U)), Reason::BlockSizeUnknown);
  U.kernel().Bounds->Text = "SIZE"; // It is written so for the storage, too.
  EXPECT_FALSE(boundOf(U).Obstacle);
}

TEST(BlockBound, NoLaunchSeen) {
  StaticBound S = boundOf(TestUnit());
  EXPECT_EQ(obstacleOf(S), Reason::BlockSizeUnknown);
  EXPECT_EQ(S.Obstacle->Detail, "no launch of kernel 'k' was seen");
  EXPECT_EQ(S.Obstacle->Where, onLine(1));
}

TEST(BlockBound, OptionServesWhereLaunchesDoNotTell) {
  StaticBound S = boundOf(TestUnit(), 192);
  EXPECT_FALSE(S.Obstacle);
  EXPECT_EQ(S.Block.Threads, 192u);
  EXPECT_EQ(S.Block.Source, BlockSizeSource::Option);
  EXPECT_EQ(S.Block.Text, "--block-size=192");
  EXPECT_TRUE(S.AddBounds);
}

TEST(BlockBound, OptionBelowAKnownLaunchIsAConflict) {
  TestUnit U;
  U.launch(256);
  forgetBlock(U.launch(1));
  StaticBound S = boundOf(U, 128);
  EXPECT_EQ(obstacleOf(S), Reason::BlockSizeConflict);
  EXPECT_EQ(S.Obstacle->Where, onLine(100));
  EXPECT_EQ(S.Obstacle->Detail, "the launch at a.cu:100 asks for 256 "
                                "threads, --block-size says 128");
}

TEST(BlockBound, OptionAtAKnownLaunchIsNoConflict) {
  TestUnit U;
  U.launch(256);
  forgetBlock(U.launch(1));
  EXPECT_FALSE(boundOf(U, 256).Obstacle);
}

// The driver refuses such a launch, rewritten or not.
TEST(BlockBound, LaunchBeyondLaunchBoundsChangesNothing) {
  TestUnit U;
  U.kernel().Bounds = LaunchBounds{128, "128"};
  U.launch(256);
  StaticBound S = boundOf(U);
  EXPECT_FALSE(S.Obstacle);
  EXPECT_EQ(S.Block.Threads, 128u);
}

TEST(BlockBound, LaunchBeyondLaunchBoundsIsToldIfItIsSoInAllBuilds) {
  TestUnit U;
  U.kernel().Bounds = LaunchBounds{128, "128"};
  U.launch(128);
  U.launch(256);
  const std::map<Place, unsigned> Second{{onLine(101), 256}};
  EXPECT_EQ(U.plan().Kernels.front().Failing, Second);
  U.kernel().Bounds->IsFixed = false;
  EXPECT_TRUE(U.plan().Kernels.front().Failing.empty());
}

TEST(BlockBound, BoundsCannotBeAddedToAKernelInAMacro) {
  TestUnit U;
  U.kernel().BoundsInsertion = TextRange();
  U.launch(128);
  StaticBound S = boundOf(U);
  EXPECT_EQ(obstacleOf(S), Reason::KernelInMacro);
  EXPECT_EQ(infoOf(S.Obstacle->Why).Verdict, VerdictKind::Unsupported);
  EXPECT_EQ(S.Obstacle->Detail, "k");
}

TEST(BlockBound, BoundsCannotStandBesideSomeAttributes) {
  TestUnit U;
  U.kernel().BoundsExcludedBy = "__maxnreg__";
  U.launch(128);
  StaticBound S = boundOf(U);
  EXPECT_EQ(obstacleOf(S), Reason::BlockSizeUnknown);
  EXPECT_EQ(S.Obstacle->Detail,
            "'__maxnreg__' of kernel 'k' allows no launch bounds");
}

TEST(BlockBound, NoLaunchSaysTheBlockOfAKernelWhoseAttributeDoes) {
  TestUnit U;
  U.kernel().BoundsExcludedBy = BlockSizeAttribute.str();
  U.launch(1);
  StaticBound S = boundOf(U);
  EXPECT_EQ(obstacleOf(S), Reason::BlockSizeUnknown);
  EXPECT_EQ(S.Obstacle->Detail,
            "'__block_size__' of kernel 'k' says it instead of the launches");
}

TEST(BlockBound, BoundsNeedNotBeAddedToAKernelThatHasThem) {
  TestUnit U;
  U.kernel().BoundsInsertion = TextRange();
  U.kernel().Bounds = LaunchBounds{128, "128"};
  EXPECT_FALSE(boundOf(U).Obstacle);
}

TEST(BlockBound, KernelThatWaitsForBlocks) {
  TestUnit U;
  U.kernel().Bounds = LaunchBounds{128, "128"};
  U.launch(128);
  U.Result.Evidence.Waiting = {U.kernel().Id};
  StaticBound S = boundOf(U);
  EXPECT_EQ(obstacleOf(S), Reason::WaitsForBlocks);
  EXPECT_EQ(S.Obstacle->Where, onLine(1));
}

TEST(DynamicShared, UnknownBytesOfALaunch) {
  TestUnit U;
  U.shared().UsesDynamic = true;
  U.launch(128).DynamicSharedBytes.reset();
  StaticBound S = boundOf(U);
  EXPECT_EQ(obstacleOf(S), Reason::DynamicSharedMemory);
  EXPECT_EQ(S.Obstacle->Where, onLine(100));
}

TEST(DynamicShared, TheMostOfAllLaunches) {
  TestUnit U;
  U.shared().UsesDynamic = true;
  U.launch(128).DynamicSharedBytes = 1024;
  U.launch(128).DynamicSharedBytes = 4096;
  U.launch(128).DynamicSharedBytes = 512;
  StaticBound S = boundOf(U);
  EXPECT_FALSE(S.Obstacle);
  EXPECT_EQ(S.OwnDynamicBytes, 4096u);
}

TEST(DynamicShared, OfAKernelThatAsksForItsSizeStaysAsItIs) {
  TestUnit U;
  U.launch(128);
  U.shared().Asks = AskedSize::Dynamic;
  EXPECT_FALSE(boundOf(U).Obstacle); // Static storage is not counted.
  U.shared().Asks = AskedSize::All;
  EXPECT_EQ(obstacleOf(boundOf(U)), Reason::DynamicSharedMemory);
}

// The bytes are asked for even when the kernel never looks at them.
TEST(DynamicShared, CountsWithoutAnExternArray) {
  TestUnit U;
  U.launch(128).DynamicSharedBytes = 4096;
  EXPECT_EQ(boundOf(U).OwnDynamicBytes, 4096u);
}

TEST(DynamicShared, UnseenLaunchesMayAskForAnyAmount) {
  TestUnit U;
  U.kernel().Bounds = LaunchBounds{128, "128"};
  U.shared().UsesDynamic = true;
  EXPECT_EQ(obstacleOf(boundOf(U)), Reason::DynamicSharedMemory);
}

TEST(DynamicShared, UnseenLaunchesDoNotMatterWithoutAnExternArray) {
  TestUnit U;
  U.kernel().Bounds = LaunchBounds{128, "128"};
  EXPECT_FALSE(boundOf(U).Obstacle);
}

} // namespace
