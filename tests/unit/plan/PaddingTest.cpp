//===-- PaddingTest.cpp - bank conflicts of shared arrays
//------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Padding.h"
#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

using Kind = LaneStep::Kind;
using Index = std::vector<LaneStep>;

const Index X = {{Kind::Thread, 0}}, Y = {{Kind::Thread, 1}},
            AnyRow = {{Kind::Uniform, 0}}, Zero = {{Kind::Constant, 0}};

Index with(Index A, LaneStep Right, Kind Operation) {
  A.push_back(Right);
  A.push_back({Operation, 0});
  return A;
}

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

SharedAccess accessTo(Index Row, Index Column, uint64_t Bytes = 4) {
  SharedAccess A;
  A.FunctionId = "k";
  A.Line = 7;
  A.Bytes = Bytes;
  A.Indices = {std::move(Row), std::move(Column)};
  return A;
}

std::optional<unsigned> degree(Index Row, Index Column, unsigned Extent,
                               BlockShape Shape, unsigned Padding = 0,
                               unsigned Bytes = 4) {
  return conflictDegree(accessTo(Row, Column, Bytes),
                        arrayOf({Extent, Extent}, Bytes), Shape, Padding);
}

/// A kernel with launches of blocks of \p Shape, and `tile` with \p Accesses.
TestUnit unitWith(std::vector<SharedAccess> Accesses,
                  std::vector<unsigned> Shape = {16, 16, 1},
                  SharedArray A = arrayOf({16, 16})) {
  TestUnit U;
  U.launch(256).Shape = std::move(Shape);
  U.Result.Facts.SharedArrays.push_back(std::move(A));
  U.Result.Evidence.Shared["tile"] = std::move(Accesses);
  return U;
}

PlannedSharedArray verdictOn(const TestUnit &U,
                             const PlanOptions &Options = {}) {
  return U.plan(Options).SharedArrays.at(0);
}

const std::vector<SharedAccess> Transposed = {accessTo(Y, X), accessTo(X, Y)};

} // namespace

TEST(ConflictDegree, OfRowsIsOne) {
  EXPECT_EQ(degree(Y, X, 32, {32, 8, 1}), 1u);
  EXPECT_EQ(degree(Y, X, 16, {16, 16, 1}), 1u);
}

TEST(ConflictDegree, OfColumnsIsAllOfAWarp) {
  EXPECT_EQ(degree(X, Y, 32, {32, 8, 1}), 32u);
  EXPECT_EQ(degree(X, Y, 32, {32, 8, 1}, 1), 1u);
}

// A warp spans two rows: 8 lanes have each of 4 banks.
TEST(ConflictDegree, LooksAtTheShapeOfTheBlock) {
  EXPECT_EQ(degree(X, Y, 16, {16, 16, 1}), 8u);
  EXPECT_EQ(degree(X, Y, 16, {16, 16, 1}, 1), 2u);
  EXPECT_EQ(degree(X, Y, 16, {16, 16, 1}, 2), 1u);
}

TEST(ConflictDegree, OfWideElementsIsThatOfAPartOfTheWarp) {
  EXPECT_EQ(degree(Y, X, 32, {32, 8, 1}, 0, 8), 1u);
  EXPECT_EQ(degree(X, Y, 32, {32, 8, 1}, 0, 8), 16u);
  EXPECT_EQ(degree(X, Y, 32, {32, 8, 1}, 1, 8), 1u);
  EXPECT_EQ(degree(X, Y, 32, {32, 8, 1}, 0, 16), 8u);
}

TEST(ConflictDegree, OfOneWordForAllIsOne) {
  EXPECT_EQ(degree(Y, AnyRow, 32, {32, 8, 1}), 1u);
  EXPECT_EQ(degree(X, Zero, 32, {32, 1, 1}, 0, 1), 8u);
}

TEST(ConflictDegree, FollowsArithmetic) {
  const LaneStep Four = {Kind::Constant, 4};
  // Four rows of four lanes.
  EXPECT_EQ(degree(with(X, Four, Kind::Divide), with(X, Four, Kind::Remainder),
                   8, {16, 1, 1}),
            1u);
  EXPECT_EQ(degree(with(X, Four, Kind::Remainder), with(X, Four, Kind::Divide),
                   32, {16, 1, 1}),
            4u);
  EXPECT_EQ(degree(Zero, with(X, {Kind::Constant, 1}, Kind::ShiftLeft), 64,
                   {32, 1, 1}),
            2u);
  // What is added for all alike does not matter, unless it is divided.
  const Index Shifted = with(X, {Kind::Uniform, 0}, Kind::Add);
  EXPECT_EQ(degree(Shifted, Y, 32, {32, 8, 1}), 32u);
  EXPECT_EQ(degree(with(Shifted, Four, Kind::Divide), Y, 32, {32, 8, 1}),
            std::nullopt);
}

TEST(MayLeaveRow, WhereAThreadsIndexIsTooLarge) {
  const SharedArray A = arrayOf({16, 16});
  EXPECT_FALSE(mayLeaveRow(accessTo(Y, X), A, {16, 16, 1}));
  EXPECT_TRUE(mayLeaveRow(accessTo(Y, X), A, {32, 8, 1}));
  EXPECT_TRUE(
      mayLeaveRow(accessTo(Y, with(X, {Kind::Constant, 1}, Kind::Subtract)), A,
                  {16, 16, 1}));
}

TEST(MayLeaveRow, WhereNothingIsKnownOfAnIndexInAConstantRow) {
  const SharedArray A = arrayOf({16, 16});
  EXPECT_FALSE(mayLeaveRow(accessTo(Y, AnyRow), A, {16, 16, 1}));
  EXPECT_TRUE(mayLeaveRow(accessTo(Zero, AnyRow), A, {16, 16, 1}));
  EXPECT_FALSE(mayLeaveRow(accessTo(Zero, X), A, {16, 16, 1}));
}

TEST(Padding, TakesTheFewestElementsThatHelpMost) {
  const PlannedSharedArray A = verdictOn(unitWith(Transposed));
  EXPECT_EQ(A.Why, Reason::BankConflicts);
  EXPECT_EQ(A.Padding, 2u);
  EXPECT_EQ(A.AddedBytes, 16 * 2 * 4u);
}

TEST(Padding, WeighsAccessesByTheirLoops) {
  std::vector<SharedAccess> Accesses = {accessTo(Y, X), accessTo(X, Y)};
  EXPECT_EQ(verdictOn(unitWith(Accesses)).Why, Reason::BankConflicts);
  Accesses[0].LoopDepth = 3; // Conflict-free without padding.
  EXPECT_EQ(verdictOn(unitWith(Accesses)).Why, Reason::ConflictsStay);
}

TEST(Padding, LeavesAloneWhatHasNoConflicts) {
  EXPECT_EQ(verdictOn(unitWith({accessTo(Y, X)})).Why, Reason::ConflictFree);
}

TEST(Padding, LeavesAloneWhatItDoesNotHelp) {
  const Index Twice = with(X, {Kind::Constant, 2}, Kind::Multiply);
  EXPECT_EQ(
      verdictOn(unitWith({accessTo(Y, Twice)}, {32, 2, 1}, arrayOf({2, 64})))
          .Why,
      Reason::ConflictsStay);
}

TEST(Padding, LeavesAloneWhatIsNotKnown) {
  EXPECT_EQ(verdictOn(unitWith(Transposed, {})).Why, Reason::BanksUnknown);
  SharedAccess Unknown = accessTo(X, Y);
  Unknown.Indices.clear();
  EXPECT_EQ(verdictOn(unitWith({Unknown})).Why, Reason::BanksUnknown);
}

TEST(Padding, LeavesAloneWhatMayLeaveItsRow) {
  EXPECT_EQ(verdictOn(unitWith({accessTo(X, Y), accessTo(Zero, AnyRow)})).Why,
            Reason::LeavesRow);
}

TEST(Padding, LeavesAloneWhatHasAnObstacle) {
  SharedArray A = arrayOf({16, 16});
  A.Obstacles = {obstacle(Reason::PointerTaken)};
  const PlannedSharedArray Verdict =
      verdictOn(unitWith(Transposed, {16, 16, 1}, A));
  EXPECT_EQ(Verdict.Why, Reason::PointerTaken);
  EXPECT_EQ(Verdict.Padding, 0u);
}

TEST(Padding, StaysBelowTheStaticLimit) {
  TestUnit U = unitWith(Transposed);
  U.kernel().StaticSharedBytes = StaticSharedLimit - 127;
  EXPECT_EQ(verdictOn(U).Why, Reason::OverBudget);
  U.kernel().StaticSharedBytes = StaticSharedLimit - 128;
  EXPECT_EQ(verdictOn(U).Why, Reason::BankConflicts);
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

TEST(Padding, IsNotDoneByDefaultWhereTheDefaultIsToKeep) {
  PlanOptions Options;
  Options.DefaultLayout = Layout::Keep;
  EXPECT_EQ(verdictOn(unitWith(Transposed), Options).Why, Reason::DecidedKeep);
}
