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

TEST(Verdict, AResidentArrayMoves) {
  TestUnit U = ordinary();
  U.array();
  Plan P = U.plan();
  const Verdict &V = find(P, "a").Verdict;
  EXPECT_EQ(V.Kind, VerdictKind::Stripe);
  EXPECT_EQ(V.Why, Reason::DynamicIndex);
  EXPECT_EQ(V.Where, onLine(10));
  EXPECT_EQ(V.SharedBytes, 128u * 16 * 4);
  EXPECT_TRUE(P.Kernels.front().AddLaunchBounds);
}

// What the optimiser leaves of it in memory does not count, since it knows that
// parameters can be indexed; ptxas' frame does.
TEST(Verdict, AParameterThatIsOnlyReadBecomesAGridConstant) {
  TestUnit U = ordinary();
  TestArray &A = U.array();
  A.Text.BodyBegin = {"/a.cu", 50, 0};
  A.NeverWritten = A.HasOtherUses = A.IsObject = true;
  A.Obstacles = {obstacle(Reason::ClassObject, 10)};
  EXPECT_TRUE(U.plan().Arrays.empty());
  U.Result.Resources["k"].StackFrame = 72;
  EXPECT_EQ(reasonOf(U.plan()), Reason::ReadOnlyParameter);
  PlanOptions ForOlder;
  ForOlder.AllGpuArchs = {"sm_60", "sm_90"};
  EXPECT_TRUE(U.plan(ForOlder).Arrays.empty());
  U.Result.Resources["k"].StackFrame = 40; // It has 64 bytes.
  EXPECT_TRUE(U.plan().Arrays.empty());
}

TEST(Verdict, ObstacleIsPassedOnWithItsPlace) {
  TestUnit U = ordinary();
  U.array().Obstacles = {obstacle(Reason::Initializer, 20, "a string")};
  const Verdict V = find(U.plan(), "a").Verdict;
  EXPECT_EQ(V.Kind, VerdictKind::Unsupported);
  EXPECT_EQ(V.Why, Reason::Initializer);
  EXPECT_EQ(V.Where, onLine(20));
  EXPECT_EQ(V.Detail, "a string");
}

TEST(Verdict, TheFirstObstacleCounts) {
  TestUnit U = ordinary();
  U.array().Obstacles = {obstacle(Reason::Initializer, 12),
                         obstacle(Reason::Decltype, 13)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::Initializer);
}

// A use that needs contiguous memory no longer keeps the array where it is.
TEST(Verdict, UseThatNeedsContiguousMemoryGivesASlot) {
  TestUnit U = ordinary();
  U.array().Obstacles = {obstacle(Reason::PassedToFunction, 20, "sort")};
  Plan P = U.plan();
  const Verdict &V = find(P, "a").Verdict;
  EXPECT_EQ(V.Kind, VerdictKind::Slot);
  EXPECT_EQ(V.Why, Reason::PassedToFunction);
  EXPECT_EQ(V.Where, onLine(20));
  EXPECT_EQ(V.Detail, "sort");
  EXPECT_EQ(V.SharedBytes, 19u * 4 * 128);
  EXPECT_TRUE(P.Kernels.front().AddLaunchBounds);
}

TEST(Verdict, TheFirstReasonForASlotIsNamed) {
  TestUnit U = ordinary();
  U.array().Obstacles = {obstacle(Reason::RangeFor, 12),
                         obstacle(Reason::PassedToFunction, 13)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::RangeFor);
}

TEST(Verdict, RefusalCountsBeforeAnEarlierReasonForASlot) {
  TestUnit U = ordinary();
  U.array().Obstacles = {obstacle(Reason::RangeFor, 12),
                         obstacle(Reason::Decltype, 13)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::Decltype);
}

TEST(Verdict, EveryReasonOfTheTableLeadsWhereItSays) {
  for (const ReasonInfo &Info : allReasons()) {
    if (Info.Verdict != VerdictKind::Slot &&
        Info.Verdict != VerdictKind::Unsupported)
      continue;
    TestUnit U = ordinary();
    U.array().Obstacles = {obstacle(Info.R)};
    Plan P = U.plan();
    EXPECT_EQ(find(P, "a").Verdict.Kind, Info.Verdict) << Info.Id.str();
    EXPECT_EQ(reasonOf(P), Info.R);
  }
}

TEST(Verdict, NolintCountsBeforeEverything) {
  TestUnit U = ordinary();
  ArrayEvidence InRegisters;
  InRegisters.Where = Residency::Registers;
  TestArray &F = U.array(makeArray(), InRegisters);
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
  TestArray &Table = U.array(makeArray(), InRegisters);
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

TEST(Verdict, ConstantTableTakesNoSharedMemory) {
  TestUnit U = ordinary();
  U.array().NeverWritten = true;
  Plan P = U.plan();
  const Verdict &V = find(P, "a").Verdict;
  EXPECT_EQ(V.Kind, VerdictKind::Constant);
  EXPECT_TRUE(V.changesSource());
  EXPECT_FALSE(V.usesShared());
  EXPECT_EQ(V.SharedBytes, 0u);
  EXPECT_EQ(P.Kernels.front().SharedAfter, P.Kernels.front().SharedBefore);
  EXPECT_FALSE(P.Kernels.front().AddLaunchBounds);
}

// Its uses stay as they are, whatever they are.
TEST(Verdict, ConstantTableMayBePassedOn) {
  TestUnit U = ordinary();
  TestArray &Table = U.array();
  Table.NeverWritten = true;
  Table.HasOtherUses = true;
  Table.Obstacles = {obstacle(Reason::PassedToFunction)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::ConstantTable);
}

// A table of its type's alignment would be too little for the cast.
TEST(Verdict, TableReadThroughAWiderTypeIsNotMadeConstant) {
  TestUnit U = ordinary();
  TestArray &Table = U.array();
  Table.NeverWritten = true;
  Table.Obstacles = {obstacle(Reason::PointerTaken)};
  Table.Instances = {makeInstance(Table, "k", Table.Kernels)};
  Table.Instances.front().SlotAlignment = 16;
  EXPECT_EQ(reasonOf(U.plan()), Reason::PointerTaken);
}

TEST(Verdict, ConstElementsCannotBeGivenTheirValues) {
  TestUnit U = ordinary();
  TestArray &Table = U.array();
  Table.HasConst = Table.NeverWritten = true;
  Table.Init = InitializerKind::List;
  Table.Instances = {makeInstance(Table, "k", Table.Kernels)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::ConstantTable);
  Table.Instances.front().SlotAlignment = 16; // A cast claims more.
  EXPECT_EQ(reasonOf(U.plan()), Reason::ConstElements);
}

TEST(Verdict, VolatileTableIsNotMadeConstant) {
  TestUnit U = ordinary();
  TestArray &Table = U.array();
  Table.NeverWritten = true;
  Table.Obstacles = {obstacle(Reason::QualifiedType)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::QualifiedType);
}

TEST(Verdict, TableNeedsNoStatementForItsValues) {
  TestUnit U = ordinary();
  TestArray &Table = U.array();
  Table.NeverWritten = true;
  Table.Obstacles = {obstacle(Reason::Initializer)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::ConstantTable);
}

TEST(Verdict, TableThatCannotBeEditedIsNotMadeConstant) {
  TestUnit U = ordinary();
  TestArray &Table = U.array();
  Table.NeverWritten = true;
  Table.Obstacles = {obstacle(Reason::DeclarationInMacro)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::DeclarationInMacro);
}

TEST(Verdict, TableNeedsNoKernelAndNoBlockSize) {
  TestUnit U;
  TestArray &Table = U.array();
  Table.NeverWritten = true;
  Table.Kernels.clear();
  EXPECT_EQ(reasonOf(U.plan()), Reason::ConstantTable);
}

TEST(Verdict, UnusedArray) {
  TestUnit U = ordinary();
  U.array().Uses.clear();
  EXPECT_EQ(reasonOf(U.plan()), Reason::NeverUsed);
}

// Its uses are there, but not such as can be edited.
TEST(Verdict, ArrayWithObstaclesIsNotUnused) {
  TestUnit U = ordinary();
  TestArray &F = U.array();
  F.Uses.clear();
  F.Obstacles = {obstacle(Reason::PointerTaken)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::PointerTaken);
}

// Every use of an object, and some of an array, is no subscript.
TEST(Verdict, ArrayWithOtherMentionsIsNotUnused) {
  TestUnit U = ordinary();
  TestArray &F = U.array();
  F.Uses.clear();
  F.HasOtherUses = true;
  EXPECT_EQ(reasonOf(U.plan()), Reason::DynamicIndex);
}

TEST(Verdict, RegistersCountBeforeObstacles) {
  TestUnit U = ordinary();
  ArrayEvidence InRegisters;
  InRegisters.Where = Residency::Registers;
  U.array(makeArray(), InRegisters).Obstacles = {obstacle(Reason::RangeFor)};
  const Verdict V = find(U.plan(), "a").Verdict;
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

TEST(Verdict, RefusalCountsBeforeMissingEvidence) {
  TestUnit U = ordinary();
  U.array(makeArray(), ArrayEvidence()).Obstacles = {
      obstacle(Reason::Decltype)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::Decltype);
}

TEST(Verdict, MissingEvidenceCountsBeforeReasonsForASlot) {
  TestUnit U = ordinary();
  U.array(makeArray(), ArrayEvidence()).Obstacles = {
      obstacle(Reason::RangeFor)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::NoEvidence);
}

TEST(Verdict, OutsidePathsCountsBeforeOtherObstacles) {
  TestUnit U = ordinary();
  U.array().Obstacles = {obstacle(Reason::Decltype, 12),
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

TEST(Verdict, ArraysRefusalCountsBeforeTheKernelsObstacle) {
  TestUnit U;
  U.array().Obstacles = {obstacle(Reason::Decltype)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::Decltype);
}

TEST(Verdict, KernelsObstacleCountsBeforeReasonsForASlot) {
  TestUnit U;
  U.array().Obstacles = {obstacle(Reason::RangeFor)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::BlockSizeUnknown);
}

TEST(Verdict, ArrayThatNoKernelReaches) {
  TestUnit U = ordinary();
  U.array().Kernels.clear();
  const Verdict V = find(U.plan(), "a").Verdict;
  EXPECT_EQ(V.Kind, VerdictKind::Unchanged);
  EXPECT_EQ(V.Why, Reason::NoKernel);
}

// What no kernel reaches has no IR; but without any IR nobody knows what does.
TEST(Verdict, NoKernelReachesWhatIsNotEmitted) {
  ArrayEvidence E;
  E.Where = Residency::NotEmitted;
  TestUnit U = ordinary();
  U.array(makeArray(), E).Kernels.clear();
  EXPECT_EQ(reasonOf(U.plan()), Reason::NoKernel);
  TestUnit Unknown = ordinary();
  Unknown.array(makeArray(), ArrayEvidence()).Kernels.clear();
  EXPECT_EQ(reasonOf(Unknown.plan()), Reason::NoEvidence);
}

TEST(Verdict, TemplateWithoutInstantiations) {
  TestUnit U = ordinary();
  TestArray &F = U.array(makeArray(), ArrayEvidence());
  F.Kernels.clear();
  F.Obstacles = {obstacle(Reason::NotInstantiated)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::NotInstantiated);
}

TEST(Verdict, BoundsAreNotAddedWhereNothingMoves) {
  TestUnit U = ordinary();
  U.array().Obstacles = {obstacle(Reason::Decltype)};
  Plan P = U.plan();
  EXPECT_FALSE(P.Kernels.front().AddLaunchBounds);
  EXPECT_EQ(P.Kernels.front().SharedAfter, P.Kernels.front().SharedBefore);
}

TEST(Plan, IsInSourceOrder) {
  TestUnit U;
  U.Result.Facts.Kernels = {makeKernel("second", 50), makeKernel("first", 5)};
  U.Result.Facts.Launches = {makeLaunch(128, "second"),
                             makeLaunch(64, "first")};
  TestArray B = makeArray("b", 16, 4, 51), A = makeArray("a", 16, 4, 6);
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
  EXPECT_EQ(P.Arrays[0].Verdict.SharedBytes, 64u * 64);
  EXPECT_EQ(P.Arrays[1].Verdict.SharedBytes, 128u * 64);
}

} // namespace
