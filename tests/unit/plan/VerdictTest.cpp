//===-- VerdictTest.cpp - which reason counts when several hold -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the user said comes first, then what makes a change needless, then what
// makes it impossible. Every reason that planning itself gives has a test with
// it and one without.
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// An array in a kernel that is launched with 128 threads.
TestUnit ordinary() {
  TestUnit U;
  U.launch(128);
  return U;
}

Obstacle obstacle(Reason Why, unsigned Line = 12, std::string Detail = "") {
  return {Why, onLine(Line), std::move(Detail)};
}

TEST(Verdict, AResidentArrayMoves) {
  TestUnit U = ordinary();
  U.array();
  Plan P = U.plan();
  const Verdict &V = find(P, "a").Decision;
  EXPECT_EQ(V.Kind, VerdictKind::Stripe);
  EXPECT_EQ(V.Why, Reason::DynamicIndex);
  EXPECT_EQ(V.Where, onLine(10));
  EXPECT_EQ(V.SharedBytes, 128u * 16 * 4);
  EXPECT_TRUE(P.Kernels.front().AddLaunchBounds);
}

TEST(Verdict, ObstacleIsPassedOnWithItsPlace) {
  TestUnit U = ordinary();
  U.array().Obstacles = {obstacle(Reason::PassedToFunction, 20, "sort")};
  const Verdict V = find(U.plan(), "a").Decision;
  EXPECT_EQ(V.Kind, VerdictKind::Refuse);
  EXPECT_EQ(V.Why, Reason::PassedToFunction);
  EXPECT_EQ(V.Where, onLine(20));
  EXPECT_EQ(V.Detail, "sort");
}

TEST(Verdict, TheFirstObstacleCounts) {
  TestUnit U = ordinary();
  U.array().Obstacles = {obstacle(Reason::RangeFor, 12),
                         obstacle(Reason::PassedToFunction, 13)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::RangeFor);
}

TEST(Verdict, NolintCountsBeforeEverything) {
  TestUnit U = ordinary();
  ArrayEvidence InRegisters;
  InRegisters.Where = Residency::Registers;
  Finding &F = U.array(makeArray(), InRegisters);
  F.NeverWritten = true;
  F.Obstacles = {obstacle(Reason::OutsidePaths), obstacle(Reason::RangeFor),
                 obstacle(Reason::Nolint, 10)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::Nolint);
}

// An array that is never written is a table wherever the optimiser puts it.
TEST(Verdict, ConstantTableCountsBeforeResidency) {
  TestUnit U = ordinary();
  ArrayEvidence InRegisters;
  InRegisters.Where = Residency::Registers;
  U.array(makeArray(), InRegisters).NeverWritten = true;
  EXPECT_EQ(reasonOf(U.plan()), Reason::ConstantTable);
}

// Its values become part of the code, and no table is left.
TEST(Verdict, TableReadAtConstantIndicesStaysInRegisters) {
  TestUnit U = ordinary();
  ArrayEvidence InRegisters;
  InRegisters.Where = Residency::Registers;
  Finding &Table = U.array(makeArray(), InRegisters);
  Table.NeverWritten = true;
  for (Use &Read : Table.Uses)
    Read.ConstantIndex = true;
  EXPECT_EQ(reasonOf(U.plan()), Reason::StaysInRegisters);
}

TEST(Verdict, WrittenArrayIsNoConstantTable) {
  TestUnit U = ordinary();
  U.array().NeverWritten = false;
  EXPECT_EQ(reasonOf(U.plan()), Reason::DynamicIndex);
}

TEST(Verdict, UnusedArray) {
  TestUnit U = ordinary();
  U.array().Uses.clear();
  EXPECT_EQ(reasonOf(U.plan()), Reason::NeverUsed);
}

// Its uses are there, but not such as can be edited.
TEST(Verdict, ArrayWithObstaclesIsNotUnused) {
  TestUnit U = ordinary();
  Finding &F = U.array();
  F.Uses.clear();
  F.Obstacles = {obstacle(Reason::PointerTaken)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::PointerTaken);
}

TEST(Verdict, RegistersCountBeforeObstacles) {
  TestUnit U = ordinary();
  ArrayEvidence InRegisters;
  InRegisters.Where = Residency::Registers;
  U.array(makeArray(), InRegisters).Obstacles = {obstacle(Reason::RangeFor)};
  const Verdict V = find(U.plan(), "a").Decision;
  EXPECT_EQ(V.Kind, VerdictKind::Registers);
  EXPECT_EQ(V.Why, Reason::StaysInRegisters);
}

TEST(Verdict, NoEvidenceIsNoReasonToMove) {
  TestUnit U = ordinary();
  U.array(makeArray(), ArrayEvidence());
  EXPECT_EQ(reasonOf(U.plan()), Reason::NoEvidence);
}

TEST(Verdict, EvidenceMayBeMissingAltogether) {
  TestUnit U = ordinary();
  U.array();
  U.Result.Evidence.Arrays.clear();
  EXPECT_EQ(reasonOf(U.plan()), Reason::NoEvidence);
}

TEST(Verdict, ObstaclesCountBeforeMissingEvidence) {
  TestUnit U = ordinary();
  U.array(makeArray(), ArrayEvidence()).Obstacles = {
      obstacle(Reason::RangeFor)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::RangeFor);
}

TEST(Verdict, OutsidePathsCountsBeforeOtherObstacles) {
  TestUnit U = ordinary();
  U.array().Obstacles = {obstacle(Reason::RangeFor, 12),
                         obstacle(Reason::OutsidePaths, 13)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::OutsidePaths);
}

TEST(Verdict, KernelsObstacleIsEachArrays) {
  TestUnit U;
  U.array(makeArray("a", 16, 4, 10));
  U.array(makeArray("b", 16, 4, 11));
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P, "a"), Reason::BlockSizeUnknown);
  EXPECT_EQ(reasonOf(P, "b"), Reason::BlockSizeUnknown);
}

TEST(Verdict, ArraysObstacleCountsBeforeTheKernels) {
  TestUnit U;
  U.array().Obstacles = {obstacle(Reason::RangeFor)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::RangeFor);
}

TEST(Verdict, ArrayThatNoKernelReachesIsUninstantiated) {
  TestUnit U = ordinary();
  U.array().Kernels.clear();
  EXPECT_EQ(reasonOf(U.plan()), Reason::InTemplate);
}

TEST(Verdict, BoundsAreNotAddedWhereNothingMoves) {
  TestUnit U = ordinary();
  U.array().Obstacles = {obstacle(Reason::RangeFor)};
  Plan P = U.plan();
  EXPECT_FALSE(P.Kernels.front().AddLaunchBounds);
  EXPECT_EQ(P.Kernels.front().SharedAfter, P.Kernels.front().SharedBefore);
}

TEST(Verdict, BenefitIsKept) {
  TestUnit U = ordinary();
  U.array(makeArray(), resident(Uniformity::NonUniform));
  EXPECT_EQ(find(U.plan(), "a").Decision.Benefit, 4);
}

TEST(Withdraw, GivesTheArraysOfOneKernelBack) {
  TestUnit U = ordinary();
  U.Result.Facts.Kernels.push_back(makeKernel("other", 60));
  U.Result.Facts.Launches.push_back(makeLaunch(128, "other"));
  U.array();
  Finding Other = makeArray("b", 16, 4, 61);
  Other.Kernels = {"other"};
  U.array(Other);
  Plan P = U.plan();
  ASSERT_EQ(P.Kernels[0].Facts.Name, "k");
  ASSERT_EQ(reasonOf(P, "a"), Reason::DynamicIndex);

  withdraw(P, 0, Reason::StackFrameKept, "64 > 64 bytes");

  const Verdict &V = find(P, "a").Decision;
  EXPECT_EQ(V.Kind, VerdictKind::Keep);
  EXPECT_EQ(V.Why, Reason::StackFrameKept);
  EXPECT_EQ(V.Detail, "64 > 64 bytes");
  EXPECT_EQ(V.SharedBytes, 0u);
  EXPECT_EQ(P.Kernels[0].SharedAfter, P.Kernels[0].SharedBefore);
  EXPECT_EQ(P.Kernels[0].WarpsAfter, P.Kernels[0].WarpsBefore);
  EXPECT_FALSE(P.Kernels[0].AddLaunchBounds);
  EXPECT_EQ(reasonOf(P, "b"), Reason::DynamicIndex);
  EXPECT_TRUE(P.Kernels[1].AddLaunchBounds);
}

TEST(Withdraw, LeavesOtherVerdictsAlone) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 16, 4, 10));
  U.array(makeArray("b", 16, 4, 11)).Obstacles = {obstacle(Reason::RangeFor)};
  Plan P = U.plan();
  withdraw(P, 0, Reason::CompileFailed, "");
  EXPECT_EQ(reasonOf(P, "a"), Reason::CompileFailed);
  EXPECT_EQ(reasonOf(P, "b"), Reason::RangeFor);
}

TEST(Plan, IsInSourceOrder) {
  TestUnit U;
  U.Result.Facts.Kernels = {makeKernel("second", 50), makeKernel("first", 5)};
  U.Result.Facts.Launches = {makeLaunch(128, "second"),
                             makeLaunch(64, "first")};
  Finding B = makeArray("b", 16, 4, 51), A = makeArray("a", 16, 4, 6);
  B.Kernels = {"second"};
  A.Kernels = {"first"};
  U.array(B);
  U.array(A);
  Plan P = U.plan();
  ASSERT_EQ(P.Kernels.size(), 2u);
  EXPECT_EQ(P.Kernels[0].Facts.Name, "first");
  EXPECT_EQ(P.Kernels[1].Facts.Name, "second");
  EXPECT_EQ(P.Arrays[0].Array.Name, "a");
  EXPECT_EQ(P.Arrays[0].Kernels, std::vector<unsigned>{0});
  EXPECT_EQ(P.Arrays[1].Array.Name, "b");
  EXPECT_EQ(P.Arrays[1].Kernels, std::vector<unsigned>{1});
  EXPECT_EQ(P.Arrays[0].Decision.SharedBytes, 64u * 64);
  EXPECT_EQ(P.Arrays[1].Decision.SharedBytes, 128u * 64);
}

} // namespace
