//===-- PaddingTest.cpp - bank conflicts of shared arrays -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "plan/RowPadding.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

SharedArray arrayOf(std::vector<uint64_t> Extents, uint64_t Bytes = 4) {
  SharedArray A;
  A.Id = "tile";
  A.Name = "tile";
  A.Where = onLine(5);
  A.Function = "k";
  A.ElementBytes = Bytes;
  A.Extents = std::move(Extents);
  A.LastExtent = {"/a.cu", 30, 2};
  A.IsSum = true;
  return A;
}

const std::vector<unsigned> Square = {16, 16, 1};

/// An access with \p Degrees by the padding, none where they are not known.
SharedAccess access(std::vector<unsigned> Degrees, unsigned LoopDepth = 0) {
  SharedAccess A;
  A.FunctionId = "k";
  A.Shape = Square;
  A.Line = 7;
  A.LoopDepth = LoopDepth;
  A.Degrees = std::move(Degrees);
  return A;
}

/// A kernel with launches of blocks of \p Shape, and `tile` with \p Accesses.
TestUnit unitWith(std::vector<SharedAccess> Accesses,
                  std::vector<unsigned> Shape = Square,
                  SharedArray A = arrayOf({16, 16})) {
  TestUnit U;
  U.launch(256).Shape = std::move(Shape);
  U.Result.Facts.SharedArrays.push_back(std::move(A));
  U.Result.Evidence.SharedAccesses.emplace_back(std::move(Accesses));
  return U;
}

PlannedSharedArray verdictOn(const TestUnit &U,
                             const PlanOptions &Options = {}) {
  return U.plan(Options).SharedArrays.at(0);
}

const std::vector<SharedAccess> Transposed = {access({1, 2, 1, 1}),
                                              access({8, 2, 1, 1})};

} // namespace

TEST(Padding, TakesTheFewestElementsThatHelpMost) {
  const PlannedSharedArray A = verdictOn(unitWith(Transposed));
  EXPECT_EQ(A.Why, Reason::BankConflicts);
  EXPECT_EQ(A.Padding, 2u);
  EXPECT_EQ(A.AddedBytes, 16 * 2 * 4u);
}

TEST(Padding, IsCountedAmongTheBytesOfItsKernels) {
  const Plan P = unitWith(Transposed).plan({});
  EXPECT_EQ(P.Kernels.at(0).SharedAfter, P.Kernels.at(0).SharedBefore + 128);
}

TEST(Padding, WeighsAccessesByTheirLoops) {
  EXPECT_EQ(verdictOn(unitWith({access({1, 2}), access({8, 1})})).Why,
            Reason::BankConflicts);
  EXPECT_EQ(verdictOn(unitWith({access({1, 2}, 3), access({8, 1})})).Why,
            Reason::ConflictsStay);
}

TEST(Padding, LeavesAloneWhatHasNoConflicts) {
  EXPECT_EQ(verdictOn(unitWith({access({1, 2})})).Why, Reason::ConflictFree);
}

TEST(Padding, LeavesAloneWhatItDoesNotHelp) {
  EXPECT_EQ(verdictOn(unitWith({access({2, 2, 2})})).Why,
            Reason::ConflictsStay);
}

// Only its conflicts are of interest.
TEST(Padding, LeavesAloneWhatHasNoRows) {
  auto Verdict = [](std::vector<unsigned> Degrees,
                    std::vector<Obstacle> Obstacles = {}) {
    SharedArray A = arrayOf({256});
    A.Obstacles = std::move(Obstacles);
    return verdictOn(unitWith({access(std::move(Degrees))}, Square, A));
  };
  EXPECT_EQ(Verdict({2}).Why, Reason::OneDimensional);
  EXPECT_EQ(Verdict({2}).Conflicts.size(), 1u);
  EXPECT_EQ(Verdict({1}).Why, Reason::ConflictFree);
  EXPECT_EQ(Verdict({}).Why, Reason::BanksUnknown);
  EXPECT_EQ(Verdict({2}, {obstacle(Reason::Nolint)}).Why, Reason::Nolint);
  PlanOptions Options;
  Options.DefaultLayout = Layout::Keep;
  EXPECT_EQ(
      verdictOn(unitWith({access({2})}, Square, arrayOf({256})), Options).Why,
      Reason::DecidedKeep);
}

TEST(Padding, LeavesAloneWhatIsNotKnown) {
  EXPECT_EQ(verdictOn(unitWith({access({})})).Why, Reason::BanksUnknown);
  TestUnit WithoutIR = unitWith(Transposed);
  WithoutIR.Result.Evidence.SharedAccesses.clear();
  EXPECT_EQ(verdictOn(WithoutIR).Why, Reason::BanksUnknown);
  // Whether its kernels wait for other blocks.
  TestUnit NotOptimized = unitWith(Transposed);
  NotOptimized.Result.Evidence.Problem = "no optimised code";
  EXPECT_EQ(verdictOn(NotOptimized).Why, Reason::BanksUnknown);
}

// Of such blocks nobody computed what lanes ask for.
TEST(Padding, LeavesAloneWhatIsLaunchedInOtherBlocks) {
  EXPECT_EQ(verdictOn(unitWith(Transposed, {32, 8, 1})).Why,
            Reason::BanksUnknown);
  EXPECT_EQ(verdictOn(unitWith(Transposed, {})).Why, Reason::BanksUnknown);
}

TEST(Padding, LeavesAloneWhatMayLeaveItsRow) {
  SharedAccess Leaves = access({1, 1, 1});
  Leaves.MayLeaveRow = true;
  EXPECT_EQ(verdictOn(unitWith({access({8, 2, 1}), Leaves})).Why,
            Reason::LeavesRow);
}

TEST(Padding, LeavesAloneWhatOtherFilesMayHaveWithoutIt) {
  auto WhyIf = [](bool IsWeak, Outside Others) {
    SharedArray A = arrayOf({16, 16});
    A.IsWeak = IsWeak;
    PlanOptions Options;
    Options.Others = Others;
    return verdictOn(unitWith(Transposed, Square, A), Options).Why;
  };
  EXPECT_EQ(WhyIf(true, Outside::Files), Reason::LinkedStorage);
  EXPECT_EQ(WhyIf(true, Outside::Nobody), Reason::BankConflicts);
  EXPECT_EQ(WhyIf(false, Outside::Files), Reason::BankConflicts);
}

TEST(Padding, LeavesAloneWhatHasAnObstacle) {
  SharedArray A = arrayOf({16, 16});
  A.Obstacles = {obstacle(Reason::PointerTaken)};
  const PlannedSharedArray Verdict = verdictOn(unitWith(Transposed, Square, A));
  EXPECT_EQ(Verdict.Why, Reason::PointerTaken);
  EXPECT_EQ(Verdict.Padding, 0u);
}

TEST(Padding, StaysBelowTheStaticLimit) {
  TestUnit U = unitWith(Transposed);
  U.shared().StaticBytes = StaticSharedLimit - 127;
  EXPECT_EQ(verdictOn(U).Why, Reason::OverBudget);
  U.shared().StaticBytes = StaticSharedLimit - 128;
  EXPECT_EQ(verdictOn(U).Why, Reason::BankConflicts);
}

// The launch would fail, or may.
TEST(Padding, LeavesRoomForWhatLaunchesAskFor) {
  TestUnit U = unitWith(Transposed);
  Launch &L = U.Result.Facts.Launches.front();
  L.DynamicSharedBytes = 48 << 10;
  EXPECT_EQ(verdictOn(U).Why, Reason::DynamicSharedMemory);
  L.DynamicSharedBytes = 1 << 10;
  EXPECT_EQ(verdictOn(U).Why, Reason::BankConflicts);
  L.DynamicSharedBytes = std::nullopt;
  EXPECT_EQ(verdictOn(U).Why, Reason::DynamicSharedMemory);
}

// Both lie in one block's memory, of which launches may ask for more.
TEST(Padding, FitsBesideStorageThatLaunchesAskFor) {
  TestUnit U = unitWith(Transposed);
  U.array(makeArray("a", 96));
  giveText(U.Result);
  PlanOptions Options;
  Options.SharedLimit = 227 * 1024;
  Options.GpuArch = "sm_86";
  Plan P = U.plan(Options);
  EXPECT_TRUE(P.Kernels.at(0).WarpBytes != 0);
  EXPECT_EQ(P.SharedArrays.at(0).Why, Reason::BankConflicts);
  // 101,376 bytes are there, of which the stripes leave 3,024.
  U.shared().StaticBytes = 2928;
  P = U.plan(Options);
  EXPECT_TRUE(P.Kernels.at(0).WarpBytes != 0);
  EXPECT_EQ(P.SharedArrays.at(0).Why, Reason::OverBudget);
  U.shared().StaticBytes = 2880;
  EXPECT_EQ(U.plan(Options).SharedArrays.at(0).Why, Reason::BankConflicts);
  // What is static has its limit all the same.
  Options.GpuArch = "sm_90";
  U.shared().StaticBytes = StaticSharedLimit - 128;
  EXPECT_EQ(U.plan(Options).SharedArrays.at(0).Why, Reason::BankConflicts);
  U.shared().StaticBytes = StaticSharedLimit - 112;
  P = U.plan(Options);
  EXPECT_TRUE(P.Kernels.at(0).WarpBytes != 0);
  EXPECT_EQ(P.SharedArrays.at(0).Why, Reason::OverBudget);
}

TEST(Padding, LeavesAloneWhatOthersMayLaunchWithMemoryOfTheirOwn) {
  TestUnit U = unitWith(Transposed);
  U.mention();
  EXPECT_EQ(verdictOn(U).Why, Reason::BankConflicts);
  U.shared().UsesDynamic = true;
  EXPECT_EQ(verdictOn(U).Why, Reason::DynamicSharedMemory);
}

TEST(Padding, LeavesDynamicMemoryAlignedAsItMayHaveToBe) {
  TestUnit U = unitWith(Transposed); // 128 bytes more.
  U.shared().UsesDynamic = true;
  U.kernel().ClaimedAlignment = 128;
  EXPECT_EQ(verdictOn(U).Why, Reason::BankConflicts);
  U.kernel().ClaimedAlignment = 256;
  EXPECT_EQ(verdictOn(U).Why, Reason::DynamicSharedMemory);
}

TEST(Padding, LeavesAloneWhatAsksForTheSizeOfAll) {
  TestUnit U = unitWith(Transposed);
  U.Result.Evidence.Kernels["k"].Asks = AskedSize::Dynamic;
  EXPECT_EQ(verdictOn(U).Why, Reason::BankConflicts);
  U.Result.Evidence.Kernels["k"].Asks = AskedSize::All;
  EXPECT_EQ(verdictOn(U).Why, Reason::DynamicSharedMemory);
}

TEST(Padding, IsNotDoneWhereADecisionKeepsTheArray) {
  PlanOptions Options;
  Options.Decisions = {decision(Layout::Keep, "tile")};
  const Plan P = unitWith(Transposed).plan(Options);
  EXPECT_EQ(P.SharedArrays.at(0).Why, Reason::DecidedKeep);
  EXPECT_EQ(P.SharedArrays.at(0).Padding, 0u);
  EXPECT_EQ(P.Outcomes.at(0).State, DecisionState::Used);

  Options.Decisions = {decision(Layout::Slot, "tile")};
  EXPECT_EQ(unitWith(Transposed).plan(Options).Outcomes.at(0).State,
            DecisionState::Unfulfilled);
}

TEST(Padding, TakesWarpsOnlyWhereADecisionAsksForIt) {
  TestUnit U = unitWith(Transposed);
  // Eight blocks of 256 threads fill an SM; with 128 bytes more each, seven do.
  U.shared().StaticBytes = 228 * 1024 / 8 - 1024;
  PlanOptions Options;
  Options.GpuArch = "sm_90";
  EXPECT_EQ(verdictOn(U, Options).Why, Reason::NotProfitable);
  Options.Decisions = {decision(Layout::Padded, "tile")};
  const Plan P = U.plan(Options);
  EXPECT_EQ(P.SharedArrays.at(0).Padding, 2u);
  EXPECT_EQ(P.Outcomes.at(0).State, DecisionState::Used);
}

TEST(Padding, DoesNotFollowDecisionsAgainstWhatIsRight) {
  SharedArray A = arrayOf({16, 16});
  A.Obstacles = {obstacle(Reason::PointerTaken)};
  PlanOptions Options;
  Options.Decisions = {decision(Layout::Padded, "tile")};
  const Plan P = unitWith(Transposed, Square, A).plan(Options);
  EXPECT_EQ(P.SharedArrays.at(0).Padding, 0u);
  EXPECT_EQ(P.Outcomes.at(0).State, DecisionState::Unfulfilled);
}

TEST(Padding, DecisionsCountArraysOfOneName) {
  TestUnit U = unitWith(Transposed);
  SharedArray Second = U.Result.Facts.SharedArrays.front();
  Second.Where = onLine(15);
  U.Result.Facts.SharedArrays.push_back(Second);
  U.Result.Evidence.SharedAccesses.emplace_back(Transposed);
  PlanOptions Options;
  Options.Decisions = {decisionAbout(U.plan({}), 1, Layout::Keep)};
  const Plan P = U.plan(Options);
  EXPECT_EQ(P.SharedArrays.at(0).Padding, 2u);
  EXPECT_EQ(P.SharedArrays.at(1).Why, Reason::DecidedKeep);
}

TEST(Padding, IsNotDoneByDefaultWhereTheDefaultIsToKeep) {
  PlanOptions Options;
  Options.DefaultLayout = Layout::Keep;
  EXPECT_EQ(verdictOn(unitWith(Transposed), Options).Why, Reason::DecidedKeep);
}
