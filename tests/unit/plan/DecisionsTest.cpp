//===-- DecisionsTest.cpp - decisions from outside ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decision chooses among what is possible, and none is lost without a word.
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace bankstripe {
void PrintTo(DecisionState S, std::ostream *OS) { *OS << nameOf(S).str(); }
} // namespace bankstripe

namespace {

// The array `a` of 16 ints in a kernel that is launched with 128 threads.
TestUnit ordinary() {
  TestUnit U;
  U.launch(128);
  U.array();
  return U;
}

ArrayEvidence inRegisters() {
  ArrayEvidence E;
  E.Where = Residency::Registers;
  return E;
}

PlanOptions with(ArrayDecision D) {
  PlanOptions O;
  O.Decisions = {std::move(D)};
  return O;
}

PlanOptions byDefault(Layout Wanted) {
  PlanOptions O;
  O.Defaults["/a.cu"].Wanted = Wanted;
  return O;
}

// The one outcome of P, as `state: detail`.
std::string outcome(const Plan &P) {
  if (P.Outcomes.size() != 1)
    return std::to_string(P.Outcomes.size()) + " outcomes";
  const DecisionOutcome &O = P.Outcomes.front();
  return nameOf(O.State).str() + (O.Detail.empty() ? "" : ": ") + O.Detail;
}

// The report would have lines that the tool does not say.
TEST(Decided, ReasonsAreOfOneLine) {
  ArrayDecision D = decision(Layout::Keep);
  D.Why = "slow\nbankstripe: all is well";
  Plan P = ordinary().plan(with(D));
  EXPECT_EQ(find(P, "a").Verdict.Detail, "slow bankstripe: all is well");
}

TEST(Decided, KeepChangesNothing) {
  Plan P = ordinary().plan(with(decision(Layout::Keep)));
  const Verdict &V = find(P, "a").Verdict;
  EXPECT_EQ(V.Kind, VerdictKind::Unchanged);
  EXPECT_EQ(V.Why, Reason::DecidedKeep);
  EXPECT_EQ(V.Detail, "measured");
  EXPECT_EQ(V.Where, (Place{"/.bankstripe.yaml", 3, 5}));
  EXPECT_EQ(P.Kernels.front().SharedAfter, P.Kernels.front().SharedBefore);
  EXPECT_FALSE(P.Kernels.front().AddLaunchBounds);
  EXPECT_EQ(outcome(P), "used");
  EXPECT_EQ(P.Outcomes.front().Array, onLine(10));
}

TEST(Decided, KeepHoldsForTablesToo) {
  TestUnit U = ordinary();
  U.Arrays.front().NeverWritten = true;
  EXPECT_EQ(reasonOf(U.plan(with(decision(Layout::Keep)))),
            Reason::DecidedKeep);
}

TEST(Decided, NolintCountsBeforeKeep) {
  TestUnit U = ordinary();
  U.Arrays.front().Obstacles = {obstacle(Reason::Nolint)};
  Plan P = U.plan(with(decision(Layout::Keep)));
  EXPECT_EQ(reasonOf(P), Reason::Nolint);
  EXPECT_EQ(outcome(P), "used");
}

TEST(Decided, SlotTakesThePlaceOfAStripe) {
  Plan P = ordinary().plan(with(decision(Layout::Slot)));
  const Verdict &V = find(P, "a").Verdict;
  EXPECT_EQ(V.Kind, VerdictKind::Slot);
  EXPECT_EQ(V.Why, Reason::DecidedSlot);
  EXPECT_EQ(V.Detail, "measured");
  EXPECT_EQ(V.SharedBytes, 19u * 4 * 128);
  EXPECT_EQ(V.Storage.Threads, 128u);
  EXPECT_TRUE(P.Kernels.front().AddLaunchBounds);
  EXPECT_EQ(P.Kernels.front().SharedAfter, 19u * 4 * 128);
  EXPECT_EQ(outcome(P), "used");
}

TEST(Decided, SlotThatIsOneAnywayKeepsItsReason) {
  TestUnit U = ordinary();
  U.Arrays.front().Obstacles = {obstacle(Reason::RangeFor)};
  Plan P = U.plan(with(decision(Layout::Slot)));
  EXPECT_EQ(reasonOf(P), Reason::RangeFor);
  EXPECT_EQ(outcome(P), "used");
}

TEST(Decided, StripeIsAsWithoutADecision) {
  Plan P = ordinary().plan(with(decision(Layout::Stripe)));
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(outcome(P), "used");
}

TEST(Decided, StripeThatNeedsContiguousMemoryIsUnfulfilled) {
  TestUnit U = ordinary();
  U.Arrays.front().Obstacles = {obstacle(Reason::PassedToFunction, 20, "sort")};
  Plan P = U.plan(with(decision(Layout::Stripe)));
  EXPECT_EQ(reasonOf(P), Reason::PassedToFunction);
  EXPECT_EQ(outcome(P), "unfulfilled: it is passed to a function by pointer "
                        "(sort) [slot, passed-to-function]");
}

TEST(Decided, LayoutThatTheArrayCannotHaveSaysWhatItNeeds) {
  Plan P = ordinary().plan(with(decision(Layout::Bits)));
  EXPECT_EQ(outcome(P), "unfulfilled: bits need 64 bools at most, which are "
                        "only read and assigned [stripe, dynamic-index]");
  ArrayDecision TooLong = decision(Layout::Split);
  TooLong.First = 1000;
  EXPECT_EQ(outcome(ordinary().plan(with(TooLong))),
            "unfulfilled: a split needs one dimension and more than 1000 "
            "elements, none of them const [stripe, dynamic-index]");
}

TEST(Decided, NothingMovesOutOfRegisters) {
  for (Layout Wanted : {Layout::Stripe, Layout::Slot}) {
    TestUnit U;
    U.launch(128);
    U.array(makeArray(), inRegisters());
    Plan P = U.plan(with(decision(Wanted)));
    EXPECT_EQ(reasonOf(P), Reason::StaysInRegisters);
    EXPECT_EQ(P.Outcomes.front().State, DecisionState::Unfulfilled);
  }
}

TEST(Decided, NoDecisionOverridesARefusal) {
  for (const ReasonInfo &Info : allReasons()) {
    if (Info.Verdict != VerdictKind::Unsupported)
      continue;
    for (Layout Wanted : {Layout::Stripe, Layout::Slot}) {
      TestUnit U = ordinary();
      U.Arrays.front().Obstacles = {obstacle(Info.R)};
      Plan P = U.plan(with(decision(Wanted)));
      EXPECT_EQ(reasonOf(P), Info.R);
      EXPECT_EQ(P.Outcomes.front().State, DecisionState::Unfulfilled);
    }
  }
}

TEST(Decided, NoDecisionOverridesTheKernelsObstacle) {
  TestUnit U;
  U.array();
  Plan P = U.plan(with(decision(Layout::Stripe)));
  EXPECT_EQ(reasonOf(P), Reason::BlockSizeUnknown);
  EXPECT_EQ(P.Outcomes.front().State, DecisionState::Unfulfilled);
}

// Another run, with other paths, may well do it.
TEST(Decided, ArrayOutsideThePathsIsSkipped) {
  TestUnit U = ordinary();
  U.Arrays.front().Obstacles = {obstacle(Reason::OutsidePaths)};
  Plan P = U.plan(with(decision(Layout::Stripe)));
  EXPECT_EQ(P.Outcomes.front().State, DecisionState::Skipped);
}

TEST(Decided, ArrayInAKeptFrameIsUnfulfilled) {
  const Plan P =
      planWithFramesKept(ordinary(), {"k"}, with(decision(Layout::Stripe)));
  EXPECT_EQ(P.Outcomes.front().State, DecisionState::Unfulfilled);
}

// `b` comes first, but `a` was asked for.
TEST(Decided, WhatWasAskedForComesFirstInTheBudget) {
  TestUnit U;
  U.launch(256);
  U.array(makeArray("b", 40, 4, 9));
  U.array(makeArray("a", 40, 4, 10));
  EXPECT_EQ(reasonOf(U.plan(), "a"), Reason::OverBudget);
  Plan P = U.plan(with(decision(Layout::Stripe)));
  EXPECT_EQ(reasonOf(P, "a"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(P, "b"), Reason::OverBudget);
}

TEST(Decided, OccurrencesCountInSourceOrder) {
  TestUnit U;
  U.launch(128);
  U.array(makeArray("a", 16, 4, 30));
  U.array(makeArray("a", 16, 4, 20));
  Plan P = U.plan(with(decision(Layout::Keep, "a", 2)));
  ASSERT_EQ(P.Arrays.size(), 2u);
  EXPECT_EQ(P.Arrays[0].Verdict.Why, Reason::DynamicIndex);
  EXPECT_EQ(P.Arrays[1].Verdict.Why, Reason::DecidedKeep);
  EXPECT_EQ(P.Outcomes.front().Array, onLine(30));
}

TEST(Decided, MissingArraysAreStale) {
  TestUnit U = ordinary();
  EXPECT_EQ(outcome(U.plan(with(decision(Layout::Keep, "b")))),
            "stale: function 'k' has no per-thread array of that name");
  EXPECT_EQ(outcome(U.plan(with(decision(Layout::Keep, "a", 2)))),
            "stale: function 'k' has only 1 per-thread array of that name");
  ArrayDecision Elsewhere = decision(Layout::Keep);
  Elsewhere.Function = "kk";
  EXPECT_EQ(outcome(U.plan(with(Elsewhere))),
            "stale: no function 'kk' with a per-thread array was found in that "
            "file");
}

TEST(Decided, ProblemThatIsKnownBeforehandIsPassedOn) {
  ArrayDecision D = decision(Layout::Keep);
  D.Problem = "there is no such file";
  Plan P = ordinary().plan(with(D));
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(outcome(P), "stale: there is no such file");
}

TEST(Decided, FilesThatWereNotReadAreSkipped) {
  ArrayDecision D = decision(Layout::Keep);
  D.File = "/b.cu";
  EXPECT_EQ(ordinary().plan(with(D)).Outcomes.front().State,
            DecisionState::Skipped);
}

TEST(Default, SlotHoldsWhereNothingElseWasDecided) {
  PlanOptions Options = byDefault(Layout::Slot);
  TestUnit U = ordinary();
  U.array(makeArray("b", 16, 4, 11));
  Options.Decisions = {decision(Layout::Stripe, "b")};
  Plan P = U.plan(Options);
  EXPECT_EQ(reasonOf(P, "a"), Reason::DecidedSlot);
  EXPECT_EQ(find(P, "a").Verdict.Detail, "layout slot is the default");
  EXPECT_EQ(find(P, "a").Verdict.Where, onLine(10));
  EXPECT_EQ(reasonOf(P, "b"), Reason::DynamicIndex);
}

TEST(Default, KeepHoldsWhereNothingElseWasDecided) {
  PlanOptions Options = byDefault(Layout::Keep);
  TestUnit U = ordinary();
  U.array(makeArray("b", 16, 4, 11));
  U.array(makeArray("table", 16, 4, 12)).NeverWritten = true;
  Options.Decisions = {decision(Layout::Slot, "b")};
  Plan P = U.plan(Options);
  EXPECT_EQ(reasonOf(P, "a"), Reason::DecidedKeep);
  EXPECT_EQ(reasonOf(P, "b"), Reason::DecidedSlot);
  EXPECT_EQ(reasonOf(P, "table"), Reason::DecidedKeep);
}

TEST(Default, KeepDoesNotHideWhatStaysAnyway) {
  TestUnit U;
  U.launch(128);
  U.array(makeArray(), inRegisters());
  U.array(makeArray("b", 16, 4, 11)).Obstacles = {obstacle(Reason::Decltype)};
  Plan P = U.plan(byDefault(Layout::Keep));
  EXPECT_EQ(reasonOf(P, "a"), Reason::StaysInRegisters);
  EXPECT_EQ(reasonOf(P, "b"), Reason::Decltype);
}

TEST(Default, IsThatOfTheFile) {
  PlanOptions Options;
  Options.Defaults["/b.cu"].Wanted = Layout::Keep;
  EXPECT_EQ(reasonOf(ordinary().plan(Options)), Reason::DynamicIndex);
}

TEST(Default, OfTheCommandLineCountsBeforeThatOfTheFile) {
  PlanOptions Options = byDefault(Layout::Keep);
  Options.DefaultLayout = Layout::Auto;
  EXPECT_EQ(reasonOf(ordinary().plan(Options)), Reason::DynamicIndex);
  Options.DefaultLayout = Layout::Slot;
  EXPECT_EQ(reasonOf(ordinary().plan(Options)), Reason::DecidedSlot);
}

TEST(Default, OfTheCommandLineDoesNotCountBeforeADecision) {
  PlanOptions Options = with(decision(Layout::Stripe));
  Options.DefaultLayout = Layout::Keep;
  EXPECT_EQ(reasonOf(ordinary().plan(Options)), Reason::DynamicIndex);
}

TEST(Default, BlockSizeIsThatOfTheKernelsFile) {
  TestUnit U;
  U.array();
  PlanOptions Options;
  Options.Defaults["/b.cu"].BlockSize = 64;
  EXPECT_EQ(reasonOf(U.plan(Options)), Reason::BlockSizeUnknown);
  Options.Defaults["/a.cu"].BlockSize = 192;
  Options.Defaults["/a.cu"].From = "/p/.bankstripe.yaml";
  Plan P = U.plan(Options);
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(P.Kernels.front().Block.Threads, 192u);
  EXPECT_EQ(P.Kernels.front().Block.Source, BlockSizeSource::Option);
  EXPECT_EQ(P.Kernels.front().Block.Text, "block-size in .bankstripe.yaml");
}

TEST(Default, BlockSizeOfTheCommandLineWins) {
  TestUnit U;
  U.array();
  PlanOptions Options;
  Options.Defaults["/a.cu"].BlockSize = 192;
  Options.BlockSize = 96;
  Plan P = U.plan(Options);
  EXPECT_EQ(P.Kernels.front().Block.Threads, 96u);
  EXPECT_EQ(P.Kernels.front().Block.Text, "--block-size=96");
}

TEST(Default, BlockSizeCannotBeLessThanALaunchAsksFor) {
  TestUnit U = ordinary();
  forgetBlock(U.launch(1));
  PlanOptions Options;
  Options.Defaults["/a.cu"].BlockSize = 64;
  Options.Defaults["/a.cu"].From = "/.bankstripe.yaml";
  Plan P = U.plan(Options);
  EXPECT_EQ(reasonOf(P), Reason::BlockSizeConflict);
  EXPECT_NE(find(P, "a").Verdict.Detail.find(
                "block-size in .bankstripe.yaml says 64"),
            std::string::npos);
}

} // namespace

TEST(DecisionAbout, CountsArraysOfOneName) {
  TestUnit U;
  U.launch(64);
  U.array(makeArray("a", 16, 4, 10));
  U.array(makeArray("b", 16, 4, 11));
  U.array(makeArray("a", 16, 4, 12));
  const Plan P = U.plan();
  const ArrayDecision D = decisionAbout(P, 2, Layout::Slot);
  EXPECT_EQ(D.Array, "a");
  EXPECT_EQ(D.Occurrence, 2u);
  EXPECT_EQ(D.Wanted, Layout::Slot);
  EXPECT_EQ(decisionAbout(P, 1, Layout::Keep).Occurrence, 1u);
}

// What is written about an array is obeyed for that array.
TEST(DecisionAbout, IsObeyed) {
  TestUnit U;
  U.launch(64);
  U.array(makeArray("a", 16, 4, 10));
  U.array(makeArray("a", 16, 4, 12));
  PlanOptions Options;
  Options.Decisions = {decisionAbout(U.plan(), 1, Layout::Keep)};
  const Plan P = U.plan(Options);
  EXPECT_TRUE(P.Arrays[0].Verdict.usesShared());
  EXPECT_FALSE(P.Arrays[1].Verdict.usesShared());
}
