//===-- BudgetTest.cpp - the subset of arrays that fits, and its bytes ----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With 128 threads an int takes 512 bytes per block, and 96 of them are the
// whole budget of 48 KB.
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

ArrayInstance shaped(std::vector<uint64_t> Extents, unsigned ElementBytes) {
  TestArray F;
  F.Shape.Extents = std::move(Extents);
  F.Shape.ElementBytes = ElementBytes;
  return makeInstance(F, "k", {"k"});
}

uint64_t stripeBytes(const ArrayInstance &I, StripeForm Form,
                     unsigned Threads) {
  return infoOf({VerdictKind::Stripe, Form}).Bytes(I, Threads);
}

TEST(StripeBytes, PlainTakesAColumnPerLane) {
  EXPECT_EQ(stripeBytes(shaped({16}, 4), StripeForm::Plain, 128), 8192u);
  EXPECT_EQ(stripeBytes(shaped({16}, 8), StripeForm::Plain, 128), 16384u);
  EXPECT_EQ(stripeBytes(shaped({16}, 16), StripeForm::Plain, 128), 32768u);
  EXPECT_EQ(stripeBytes(shaped({4, 5}, 4), StripeForm::Plain, 32), 2560u);
}

TEST(StripeBytes, PartOfAWarpTakesAWholeOne) {
  ArrayInstance I = shaped({1}, 4);
  EXPECT_EQ(stripeBytes(I, StripeForm::Plain, 1), 128u);
  EXPECT_EQ(stripeBytes(I, StripeForm::Plain, 32), 128u);
  EXPECT_EQ(stripeBytes(I, StripeForm::Plain, 33), 256u);
  EXPECT_EQ(stripeBytes(I, StripeForm::Plain, 100), 512u);
  EXPECT_EQ(stripeBytes(I, StripeForm::Plain, 1024), 4096u);
}

TEST(StripeBytes, WideTakesAWordPerElement) {
  EXPECT_EQ(stripeBytes(shaped({16}, 1), StripeForm::Wide, 128), 8192u);
  EXPECT_EQ(stripeBytes(shaped({16}, 2), StripeForm::Wide, 128), 8192u);
  EXPECT_EQ(stripeBytes(shaped({3, 5}, 1), StripeForm::Wide, 32), 1920u);
}

TEST(StripeBytes, PackedSharesWords) {
  EXPECT_EQ(stripeBytes(shaped({16}, 1), StripeForm::Packed, 128), 2048u);
  EXPECT_EQ(stripeBytes(shaped({16}, 2), StripeForm::Packed, 128), 4096u);
}

TEST(StripeBytes, PackedRoundsEachRowUp) {
  EXPECT_EQ(stripeBytes(shaped({5}, 1), StripeForm::Packed, 32), 256u);
  EXPECT_EQ(stripeBytes(shaped({3}, 2), StripeForm::Packed, 32), 256u);
  EXPECT_EQ(stripeBytes(shaped({3, 5}, 1), StripeForm::Packed, 32), 768u);
}

TEST(StripeBytes, PaddedStructuresTakeAnOddNumberOfUnits) {
  ArrayInstance I = shaped({10}, 8); // struct { int x, y; }
  I.Alignment = 4;
  EXPECT_EQ(stripeBytes(I, StripeForm::Padded, 32), 32u * 10 * 12);
  I.Alignment = 8; // struct { double x; }
  EXPECT_EQ(stripeBytes(I, StripeForm::Padded, 32), 32u * 10 * 8);
  I.Shape.ElementBytes = 16;
  EXPECT_EQ(stripeBytes(I, StripeForm::Padded, 32), 32u * 10 * 24);
}

TEST(StripeBytes, UnitIsWhatTheElementAsksFor) {
  auto Bytes = [](unsigned ElementBytes) {
    return stripeBytes(shaped({10}, ElementBytes), StripeForm::Unit, 32);
  };
  EXPECT_EQ(Bytes(1), 32u * 10 * 4);
  EXPECT_EQ(Bytes(2), 32u * 10 * 4);
  EXPECT_EQ(Bytes(8), 32u * 10 * 8);
  EXPECT_EQ(Bytes(12), 32u * 10 * 12);
}

TEST(StripeBytes, FiveDimensionsAreMultiplied) {
  ArrayInstance I = shaped({2, 3, 2, 3, 5}, 1);
  EXPECT_EQ(stripeBytes(I, StripeForm::Wide, 32), 32u * 180 * 4);
  EXPECT_EQ(stripeBytes(I, StripeForm::Packed, 32), 32u * 36 * 8);
}

const LayoutInfo &slotLayout() {
  return infoOf({VerdictKind::Slot, StripeForm::Plain});
}

uint64_t slotBytes(uint64_t Bytes, unsigned Alignment, unsigned Threads) {
  ArrayInstance I;
  I.Shape.BytesPerThread = Bytes;
  I.Alignment = Alignment;
  return slotLayout().Bytes(I, Threads);
}

// Neither 1 nor 7: where indices rise or fall from lane to lane, neighbours
// would meet.
TEST(SlotBytes, AreWordsThatLeaveThreeOrFiveOfEight) {
  EXPECT_EQ(slotBytes(64, 4, 128), 19u * 4 * 128);
  EXPECT_EQ(slotBytes(76, 4, 128), 19u * 4 * 128);
  EXPECT_EQ(slotBytes(77, 1, 128), 21u * 4 * 128);
  EXPECT_EQ(slotBytes(84, 4, 128), 21u * 4 * 128);
  EXPECT_EQ(slotBytes(88, 4, 128), 27u * 4 * 128);
  EXPECT_EQ(slotBytes(1, 1, 128), 3u * 4 * 128);
}

TEST(SlotBytes, AreSuchANumberOfLargerUnits) {
  EXPECT_EQ(slotBytes(64, 8, 128), 11u * 8 * 128);
  EXPECT_EQ(slotBytes(96, 8, 128), 13u * 8 * 128);
  EXPECT_EQ(slotBytes(64, 16, 128), 5u * 16 * 128);
}

TEST(SlotBytes, AreAsAlignedAsCastsClaim) {
  ArrayInstance I;
  I.Shape.BytesPerThread = 64;
  I.Alignment = 4;
  I.SlotAlignment = 16;
  EXPECT_EQ(slotLayout().Bytes(I, 128), 5u * 16 * 128);
}

// A slot belongs to a thread, not to a lane.
TEST(SlotBytes, AreForThreadsAndNotForWholeWarps) {
  EXPECT_EQ(slotBytes(20, 4, 100), 2048u);
  EXPECT_EQ(slotBytes(20, 4, 96), 1920u);
}

TEST(SlotBytes, LeaveTheNextVariableAligned) {
  EXPECT_EQ(slotBytes(4, 4, 1), 128u);
  EXPECT_EQ(slotBytes(4, 4, 5), 128u);
}

// A kernel of 128-thread blocks.
TestUnit ordinary(unsigned Threads = 128) {
  TestUnit U;
  U.launch(Threads);
  return U;
}

TEST(Budget, ExactlyFortyEightKilobytesFit) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 96));
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(P.Kernels.front().SharedAfter, StaticSharedLimit);
}

TEST(Budget, OneElementMoreDoesNotFit) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 97));
  Plan P = U.plan();
  const Verdict &V = find(P, "a").Verdict;
  EXPECT_EQ(V.Kind, VerdictKind::Unchanged);
  EXPECT_EQ(V.Why, Reason::OverBudget);
  EXPECT_EQ(V.Detail, "it needs 49664 bytes per block, 49152 are free");
  EXPECT_EQ(V.SharedBytes, 0u);
  EXPECT_EQ(P.Kernels.front().SharedAfter, 0u);
}

TEST(Budget, AHundredThreadsTakeFourWarps) {
  TestUnit U = ordinary(100);
  U.array(makeArray("a", 97));
  EXPECT_EQ(reasonOf(U.plan()), Reason::OverBudget);
  TestUnit Smaller = ordinary(96);
  Smaller.array(makeArray("a", 97));
  EXPECT_EQ(reasonOf(Smaller.plan()), Reason::DynamicIndex);
}

TEST(Budget, KernelsOwnSharedMemoryCounts) {
  TestUnit U = ordinary();
  U.shared().StaticBytes = 512;
  U.array(makeArray("a", 95));
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(P.Kernels.front().SharedBefore, 512u);
  EXPECT_EQ(P.Kernels.front().SharedAfter, StaticSharedLimit);
  U.shared().StaticBytes = 513;
  EXPECT_EQ(reasonOf(U.plan()), Reason::OverBudget);
}

TEST(Budget, DynamicSharedMemoryCounts) {
  TestUnit U = ordinary();
  U.Result.Facts.Launches.front().DynamicSharedBytes = 512;
  U.array(makeArray("a", 95));
  EXPECT_EQ(reasonOf(U.plan()), Reason::DynamicIndex);
  U.Result.Facts.Launches.front().DynamicSharedBytes = 513;
  EXPECT_EQ(reasonOf(U.plan()), Reason::OverBudget);
}

// What follows the kernel's own variables may have to be aligned to 16 bytes.
TEST(Budget, AlignmentCounts) {
  TestUnit U = ordinary();
  U.shared().StaticBytes = 496;
  U.Result.Facts.Launches.front().DynamicSharedBytes = 16;
  U.array(makeArray("a", 95));
  EXPECT_EQ(reasonOf(U.plan()), Reason::DynamicIndex);
  U.shared().StaticBytes = 497;
  U.Result.Facts.Launches.front().DynamicSharedBytes = 15;
  EXPECT_EQ(reasonOf(U.plan()), Reason::OverBudget);
}

TEST(Budget, NothingIsLeftBesideAHundredKilobytes) {
  TestUnit U = ordinary();
  U.Result.Facts.Launches.front().DynamicSharedBytes = 100 * 1024;
  U.array(makeArray("a", 1));
  EXPECT_EQ(reasonOf(U.plan()), Reason::OverBudget);
}

// The kernel of U does so much with its arrays, and something else.
void works(TestUnit &U, std::map<unsigned, ArrayWork> WithArrays) {
  KernelWork &Work = U.Result.Evidence.Work["k"];
  Work.Instructions = 10000;
  Work.Arrays = std::move(WithArrays);
}

TEST(Budget, BenefitPerByteDecides) {
  TestUnit U = ordinary();
  U.array(makeArray("large", 64, 4, 10));
  U.array(makeArray("medium", 40, 4, 11));
  U.array(makeArray("small", 8, 4, 12));
  const ArrayWork Often = {updated(300), {}, {}},
                  Rarely = {updated(10), {}, {}};
  works(U, {{0, Often}, {1, Often}, {2, Rarely}});
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P, "medium"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(P, "large"), Reason::OverBudget);
  EXPECT_EQ(find(P, "large").Verdict.Detail,
            "it needs 32768 bytes per block, 28672 of 49152 are free");
  // What comes later may still fit.
  EXPECT_EQ(reasonOf(P, "small"), Reason::DynamicIndex);
  EXPECT_EQ(P.Kernels.front().SharedAfter, (40u + 8u) * 512);
}

// Per byte, the small one gains more.
TEST(Budget, WhatIsNotWorthItLeavesItsRoomToOthers) {
  PlanOptions Options;
  Options.MinSpeedup = 1.05;
  auto Reasons = [&](double OfSmall) {
    TestUnit U = ordinary();
    U.array(makeArray("small", 8, 4, 10));
    U.array(makeArray("large", 92, 4, 11));
    works(U, {{0, {updated(OfSmall), {}, {}}}, {1, {updated(100), {}, {}}}});
    const Plan P = U.plan(Options);
    return std::pair(reasonOf(P, "small"), reasonOf(P, "large"));
  };
  EXPECT_EQ(Reasons(80), std::pair(Reason::DynamicIndex, Reason::OverBudget));
  EXPECT_EQ(Reasons(48),
            std::pair(Reason::NotProfitable, Reason::DynamicIndex));
}

TEST(Budget, NonUniformIndicesArePreferred) {
  TestUnit U = ordinary();
  U.array(makeArray("uniform", 64, 4, 10));
  U.array(makeArray("scattered", 64, 4, 11));
  works(U, {{0, {updated(100), {}, {}}}, {1, {{}, updated(100), {}}}});
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P, "scattered"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(P, "uniform"), Reason::OverBudget);
}

TEST(Budget, DeeperLoopsArePreferred) {
  TestUnit U = ordinary();
  U.array(makeArray("outside", 64, 4, 10));
  U.array(makeArray("inside", 64, 4, 11));
  works(U, {{0, {updated(2), {}, {}}}, {1, {updated(10), {}, {}}}});
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P, "inside"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(P, "outside"), Reason::OverBudget);
}

TEST(Budget, AmongEqualsTheFirstInTheSource) {
  TestUnit U = ordinary();
  U.array(makeArray("first", 64, 4, 10));
  U.array(makeArray("second", 64, 4, 11));
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P, "first"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(P, "second"), Reason::OverBudget);
}

TEST(Budget, EachKernelHasItsOwn) {
  TestUnit U = ordinary();
  U.Result.Facts.Kernels.push_back(makeKernel("other", 60));
  U.Result.Facts.Launches.push_back(makeLaunch(128, "other"));
  U.array(makeArray("a", 96));
  TestArray B = makeArray("b", 96, 4, 61);
  B.Kernels = {"other"};
  U.array(B);
  Plan P = U.plan();
  EXPECT_EQ(reasonOf(P, "a"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(P, "b"), Reason::DynamicIndex);
}

TEST(Forms, CharactersGetAWordEachWhereTheyFit) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 96, 1));
  const Verdict V = find(U.plan(), "a").Verdict;
  EXPECT_EQ(V.Form, StripeForm::Wide);
  EXPECT_EQ(V.SharedBytes, StaticSharedLimit);
}

TEST(Forms, CharactersArePackedWhereTheyDoNotFit) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 97, 1), resident(Uniformity::NonUniform));
  Plan P = U.plan();
  const Verdict &V = find(P, "a").Verdict;
  EXPECT_EQ(V.Form, StripeForm::Packed);
  EXPECT_EQ(V.SharedBytes, 25u * 512);
  EXPECT_EQ(P.Kernels.front().SharedAfter, 25u * 512);
}

// Lanes that use one index read neighbouring bytes then.
TEST(Forms, CharactersLieSideBySideForUniformIndices) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 97, 1), resident(Uniformity::Uniform));
  Plan P = U.plan();
  EXPECT_EQ(find(P, "a").Verdict.Form, StripeForm::Unpacked);
  EXPECT_EQ(P.Kernels.front().SharedAfter, 97u * 128);
}

// There is no pointer to a part of a word.
TEST(Forms, CharactersLieSideBySideForPointers) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 97, 1), resident(Uniformity::NonUniform))
      .Trail.emplace();
  EXPECT_EQ(find(U.plan(), "a").Verdict.Form, StripeForm::Unpacked);
}

TEST(Forms, ShortsAreWidenedToo) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 16, 2));
  EXPECT_EQ(find(U.plan(), "a").Verdict.Form, StripeForm::Wide);
}

TEST(Forms, WordsStayAsTheyAre) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 16, 4));
  U.array(makeArray("b", 4, 8, 11));
  Plan P = U.plan();
  EXPECT_EQ(find(P, "a").Verdict.Form, StripeForm::Plain);
  EXPECT_EQ(find(P, "b").Verdict.Form, StripeForm::Plain);
}

TEST(Forms, StructuresArePaddedToAnOddNumberOfWords) {
  TestUnit U = ordinary();
  U.array(makeArray("even", 2, 32, 10)); // Four pieces of 8 bytes.
  U.array(makeArray("odd", 2, 12, 11));  // Three words.
  Plan P = U.plan();
  EXPECT_EQ(find(P, "even").Verdict.Form, StripeForm::Padded);
  EXPECT_EQ(find(P, "even").Verdict.SharedBytes, 2u * 40 * 128);
  EXPECT_EQ(find(P, "odd").Verdict.Form, StripeForm::Plain);
}

TEST(Forms, StructuresAreNotPaddedWhereOnlyThatFits) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 20, 16)); // 24 bytes each would be 60 KB.
  EXPECT_EQ(find(U.plan(), "a").Verdict.Form, StripeForm::Plain);
}

// A slot has one form; what is left of the budget cannot widen it.
TEST(Forms, SlotsOfCharactersStayAsTheyAre) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 16, 1)).Obstacles = {obstacle(Reason::RangeFor)};
  Plan P = U.plan();
  EXPECT_EQ(find(P, "a").Verdict.Kind, VerdictKind::Slot);
  EXPECT_EQ(P.Kernels.front().SharedAfter, 5u * 4 * 128);
}

TEST(Budget, SlotsCount) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 93)).Obstacles = {obstacle(Reason::RangeFor)};
  EXPECT_EQ(find(U.plan(), "a").Verdict.Kind, VerdictKind::Slot);
  TestUnit More = ordinary();
  More.array(makeArray("a", 94)).Obstacles = {obstacle(Reason::RangeFor)};
  EXPECT_EQ(reasonOf(More.plan()), Reason::OverBudget);
}

// Moving both packed is worth more than widening one.
TEST(Forms, MovingCountsBeforeWidening) {
  TestUnit U = ordinary();
  U.array(makeArray("a", 96, 1, 10), resident(Uniformity::NonUniform));
  U.array(makeArray("b", 96, 1, 11), resident(Uniformity::NonUniform));
  Plan P = U.plan();
  EXPECT_EQ(find(P, "a").Verdict.Form, StripeForm::Packed);
  EXPECT_EQ(find(P, "b").Verdict.Form, StripeForm::Packed);
  EXPECT_EQ(P.Kernels.front().SharedAfter, 2u * 24 * 512);
}

TEST(Forms, TheBestIsWidenedFirst) {
  TestUnit U = ordinary();
  const ArrayEvidence Scattered = resident(Uniformity::NonUniform);
  U.array(makeArray("cold", 64, 1, 10), Scattered);
  U.array(makeArray("hot", 64, 1, 11), Scattered);
  works(U, {{0, {{}, updated(1), {}}}, {1, {{}, updated(100), {}}}});
  Plan P = U.plan();
  EXPECT_EQ(find(P, "hot").Verdict.Form, StripeForm::Wide);
  EXPECT_EQ(find(P, "cold").Verdict.Form, StripeForm::Packed);
  EXPECT_EQ(P.Kernels.front().SharedAfter, (64u + 16u) * 512);
}

} // namespace
