//===-- UnrollTest.cpp - arrays that a pragma brings into registers -------===//
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

CountedLoop loopOnLine(unsigned Line, unsigned Trips) {
  CountedLoop L;
  L.Where = onLine(Line);
  L.FewestTrips = L.MostTrips = Trips;
  L.Insertion = {"/a.cu", Line * 10, 0};
  return L;
}

ArrayEvidence helpedByLine(unsigned Line) {
  ArrayEvidence E = resident();
  E.Unroll = {{onLine(Line)}, 100};
  return E;
}

// An array that the loop on line 20 keeps out of registers.
TestUnit ordinary() {
  TestUnit U;
  U.launch(128);
  U.array(makeArray(), helpedByLine(20));
  U.Result.Facts.Loops[onLine(20)] = loopOnLine(20, 32);
  return U;
}

PlanOptions unrolling() {
  PlanOptions O;
  O.Unroll = true;
  return O;
}

ArrayDecision decision(Layout Wanted) {
  ArrayDecision D;
  D.File = "/a.cu";
  D.Function = "k";
  D.Array = "a";
  D.Occurrence = 1;
  D.Wanted = Wanted;
  return D;
}

} // namespace

TEST(Unrolling, IsAdviceByDefault) {
  const Verdict V = find(ordinary().plan(), "a").Decision;
  EXPECT_EQ(V.Why, Reason::DynamicIndex);
  ASSERT_EQ(V.Unroll.size(), 1u);
  EXPECT_EQ(V.Unroll[0].MostTrips, 32u);
}

TEST(Unrolling, ComesBeforeEveryMoveWhenAskedFor) {
  const Plan P = ordinary().plan(unrolling());
  const Verdict &V = find(P, "a").Decision;
  EXPECT_EQ(V.Why, Reason::UnrolledLoop);
  EXPECT_EQ(V.Kind, VerdictKind::Registers);
  EXPECT_TRUE(V.changesSource());
  EXPECT_EQ(V.Unroll.size(), 1u);
  EXPECT_EQ(P.Kernels[0].SharedAfter, 0u);
}

TEST(Unrolling, HelpsWhereAMoveIsImpossible) {
  TestUnit U = ordinary();
  U.Result.Facts.Findings[0].Obstacles = {obstacle(Reason::Goto)};
  EXPECT_EQ(reasonOf(U.plan()), Reason::Goto);
  EXPECT_EQ(reasonOf(U.plan(unrolling())), Reason::UnrolledLoop);
}

TEST(Unrolling, IsNotAskedForWithoutEvidence) {
  TestUnit U = ordinary();
  U.Result.Evidence.Arrays[0].Unroll.reset();
  EXPECT_EQ(reasonOf(U.plan(unrolling())), Reason::DynamicIndex);
  EXPECT_TRUE(find(U.plan(), "a").Decision.Unroll.empty());
}

TEST(Unrolling, ThatWasTriedInVainIsNotTriedAgain) {
  PlanOptions O = unrolling();
  O.NotUnrolled = {makeArray().Where};
  const Plan P = ordinary().plan(O);
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_TRUE(find(P, "a").Decision.Unroll.empty());
}

TEST(Unrolling, RespectsWhatWasSaidAboutTheArray) {
  TestUnit U = ordinary();
  for (auto [Wanted, Expected] :
       {std::pair(Layout::Keep, Reason::DecidedKeep),
        std::pair(Layout::Slot, Reason::DecidedSlot),
        std::pair(Layout::Stripe, Reason::DynamicIndex),
        std::pair(Layout::Auto, Reason::UnrolledLoop)}) {
    PlanOptions O = unrolling();
    O.Decisions = {decision(Wanted)};
    EXPECT_EQ(reasonOf(U.plan(O)), Expected);
  }
  U.Result.Facts.Findings[0].Obstacles = {obstacle(Reason::Nolint)};
  EXPECT_EQ(reasonOf(U.plan(unrolling())), Reason::Nolint);
  EXPECT_TRUE(find(U.plan(), "a").Decision.Unroll.empty());
}

// --- Several units ---------------------------------------------------------

namespace {

// Two units that include `a` and its loop from one header.
Plan planOfTwo(const ArrayEvidence &Second, const CountedLoop &AsSecondSees) {
  TestUnit A = ordinary(), B("/b.cu", /*WithKernel=*/false);
  B.Result.Facts.Kernels = A.Result.Facts.Kernels;
  B.array(makeArray(), Second);
  B.Result.Facts.Loops[AsSecondSees.Where] = AsSecondSees;
  return makePlan({A.result(), B.result()}, unrolling());
}

} // namespace

TEST(Unrolling, MustHelpInEveryUnit) {
  const CountedLoop L = loopOnLine(20, 32);
  EXPECT_EQ(reasonOf(planOfTwo(helpedByLine(20), L)), Reason::UnrolledLoop);
  EXPECT_EQ(reasonOf(planOfTwo(resident(), L)), Reason::DynamicIndex);
}

TEST(Unrolling, NeedsNoHelpWhereTheArrayIsNotResident) {
  ArrayEvidence InRegisters;
  InRegisters.Where = Residency::Registers;
  EXPECT_EQ(reasonOf(planOfTwo(InRegisters, loopOnLine(20, 8))),
            Reason::UnrolledLoop);
}

TEST(Unrolling, NeedsTripsThatAreConstantInEveryUnit) {
  const Plan P = planOfTwo(helpedByLine(20), loopOnLine(20, 8));
  const CountedLoop &Merged = find(P, "a").Decision.Unroll.at(0);
  EXPECT_EQ(Merged.FewestTrips, 8u);
  EXPECT_EQ(Merged.MostTrips, 32u);
  EXPECT_EQ(reasonOf(planOfTwo(helpedByLine(20), loopOnLine(20, 0))),
            Reason::DynamicIndex);
}
