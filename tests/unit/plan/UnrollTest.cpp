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

// An array that the loop on line 20 leads through.
Finding ledByLine(const CountedLoop &L) {
  Finding F = makeArray();
  F.LeadingLoops = {L};
  return F;
}

TestUnit ordinary(const Finding &F = ledByLine(loopOnLine(20, 32))) {
  TestUnit U;
  U.launch(128);
  U.array(F, resident());
  return U;
}

PlanOptions unrolling() {
  PlanOptions O;
  O.Unroll = true;
  return O;
}

} // namespace

TEST(Unrolling, IsNotDoneUnasked) {
  const Verdict V = find(ordinary().plan(), "a").Verdict;
  EXPECT_EQ(V.Why, Reason::DynamicIndex);
  EXPECT_TRUE(V.Unroll.empty());
}

TEST(Unrolling, ComesBeforeEveryMoveWhenAskedFor) {
  const Plan P = ordinary().plan(unrolling());
  const Verdict &V = find(P, "a").Verdict;
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

TEST(Unrolling, IsForArraysThatLoopsLeadThrough) {
  EXPECT_EQ(reasonOf(ordinary(makeArray()).plan(unrolling())),
            Reason::DynamicIndex);
}

TEST(Unrolling, IsForArraysThatRegistersCanHold) {
  TestUnit U = ordinary();
  ArrayEvidence &E = U.Result.Evidence.Arrays[0];
  E.ResidentBytes = 256;
  EXPECT_EQ(reasonOf(U.plan(unrolling())), Reason::UnrolledLoop);
  E.ResidentBytes = 260;
  EXPECT_EQ(reasonOf(U.plan(unrolling())), Reason::DynamicIndex);
}

TEST(Unrolling, IsForIndicesThatAreTheSameInAllLanes) {
  TestUnit U = ordinary();
  U.Result.Evidence.Arrays[0].Index = Uniformity::NonUniform;
  EXPECT_EQ(reasonOf(U.plan(unrolling())), Reason::DynamicIndex);
}

TEST(Unrolling, IsForShortLoops) {
  const Finding Long = ledByLine(loopOnLine(20, 257));
  EXPECT_EQ(reasonOf(ordinary(Long).plan(unrolling())), Reason::DynamicIndex);
}

TEST(Unrolling, ThatWasTriedInVainIsNotTriedAgain) {
  MeasuredVersion V = confirmed(ordinary(), unrolling());
  ASSERT_EQ(V.Changed.at(makeArray().Where).Kind, VerdictKind::Registers);
  V.After["k"].StackFrame = 64;
  const Plan P = ordinary().plan(unrolling(), {{V}});
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  ASSERT_EQ(P.Notes.size(), 1u);
  EXPECT_EQ(P.Notes[0].Text, "no loop is unrolled for 'a': the stack frame of "
                             "'k' is 64 > 64 bytes");
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
}

// --- Several units ---------------------------------------------------------

namespace {

// Two units that include `a` from one header.
Plan planOfTwo(const Finding &AsSecondSees) {
  TestUnit A = ordinary(), B("/b.cu", /*WithKernel=*/false);
  B.Result.Facts.Kernels = A.Result.Facts.Kernels;
  B.array(AsSecondSees, resident());
  return makePlan({A.result(), B.result()}, unrolling());
}

} // namespace

TEST(Unrolling, NeedsTheSameLoopsInEveryUnit) {
  EXPECT_EQ(reasonOf(planOfTwo(makeArray())), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(planOfTwo(ledByLine(loopOnLine(21, 32)))),
            Reason::DynamicIndex);
}

TEST(Unrolling, TellsTheTripsInAllUnits) {
  const Plan P = planOfTwo(ledByLine(loopOnLine(20, 8)));
  ASSERT_EQ(reasonOf(P), Reason::UnrolledLoop);
  const CountedLoop &Merged = find(P, "a").Verdict.Unroll.at(0);
  EXPECT_EQ(Merged.FewestTrips, 8u);
  EXPECT_EQ(Merged.MostTrips, 32u);
}
