//===-- SplitTest.cpp - arrays whose first elements move ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How often the first elements are used, no source tells, so they move alone
// only where that is asked for.
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

PlanOptions splitting(unsigned First) {
  PlanOptions O;
  O.Decisions = {decision(Layout::Split)};
  O.Decisions[0].First = First;
  return O;
}

Plan planOf(TestArray F, const PlanOptions &Options) {
  TestUnit U;
  U.launch(128);
  U.array(std::move(F));
  return U.plan(Options);
}

const Verdict &verdictOf(const Plan &P) { return find(P, "a").Verdict; }

} // namespace

TEST(Split, TakesTheBytesOfTheFirstElements) {
  for (unsigned First : {4u, 8u, 16u}) {
    const Plan P = planOf(makeArray("a", 64), splitting(First));
    EXPECT_EQ(verdictOf(P).Kind, VerdictKind::Split);
    EXPECT_EQ(verdictOf(P).Why, Reason::DecidedSplit);
    EXPECT_EQ(verdictOf(P).First, First);
    EXPECT_EQ(verdictOf(P).SharedBytes, First * 4 * 128);
    EXPECT_EQ(P.Kernels[0].SharedAfter, First * 4 * 128);
    EXPECT_EQ(P.Outcomes[0].State, DecisionState::Used);
  }
}

TEST(Split, HasTheUnitsOfAStripe) {
  const Plan P = planOf(makeArray("a", 64, 1), splitting(8));
  EXPECT_EQ(verdictOf(P).Form, StripeForm::Wide);
  EXPECT_EQ(verdictOf(P).SharedBytes, 8u * 4 * 128);
  const Plan Padded = planOf(makeArray("a", 64, 16), splitting(8));
  EXPECT_EQ(verdictOf(Padded).Form, StripeForm::Padded);
  EXPECT_EQ(verdictOf(Padded).SharedBytes, 8u * 24 * 128);
}

TEST(Split, LeavesSomething) {
  EXPECT_EQ(verdictOf(planOf(makeArray("a", 9), splitting(8))).Kind,
            VerdictKind::Split);
  const Plan P = planOf(makeArray("a", 8), splitting(8));
  EXPECT_EQ(verdictOf(P).Kind, VerdictKind::Stripe);
  EXPECT_EQ(P.Outcomes[0].State, DecisionState::Unfulfilled);
}

TEST(Split, IsOfOneDimension) {
  TestArray F = makeArray("a", 64);
  F.Shape.Extents = {8, 8};
  F.Instances.clear();
  EXPECT_EQ(verdictOf(planOf(F, splitting(4))).Kind, VerdictKind::Stripe);
}

TEST(Split, HasTheObstaclesOfAStripe) {
  TestArray F = makeArray("a", 64);
  F.Obstacles = {obstacle(Reason::PointerTaken)};
  EXPECT_EQ(verdictOf(planOf(F, splitting(8))).Kind, VerdictKind::Slot);
  F.Obstacles = {obstacle(Reason::Goto)};
  EXPECT_EQ(reasonOf(planOf(F, splitting(8))), Reason::Goto);
}

// 256 KB as a whole, which no block has.
TEST(Split, MayBeOfWhatDoesNotFit) {
  const Plan Whole = planOf(makeArray("a", 512), {});
  EXPECT_EQ(reasonOf(Whole), Reason::OverBudget);
  const Plan P = planOf(makeArray("a", 512), splitting(16));
  EXPECT_EQ(verdictOf(P).Kind, VerdictKind::Split);
  EXPECT_FALSE(verdictOf(P).Storage.Dynamic);
}

// An index that moves up and down by itself is likely to be low, but how low,
// only a measurement tells.
TEST(Split, OfAStackThatStaysIsWhatTuneWouldKnow) {
  auto DetailOf = [](const ArrayWork &Work) {
    TestUnit U;
    U.launch(128);
    U.array(makeArray("a", 512));
    U.Result.Evidence.Work["k"].Arrays[0] = Work;
    const Plan P = U.plan();
    EXPECT_EQ(reasonOf(P), Reason::OverBudget);
    return verdictOf(P).Detail;
  };
  const llvm::StringRef Text = "its first elements alone pay";
  EXPECT_NE(DetailOf({{}, {}, updated(100)}).find(Text), std::string::npos);
  EXPECT_EQ(DetailOf({{}, updated(100), {}}).find(Text), std::string::npos);
}

// What the message says can be done.
TEST(Split, OfAStackThatDoesNotFitIsNamed) {
  auto StackOf = [](uint64_t Elements, unsigned Threads) {
    TestUnit U;
    U.launch(Threads);
    U.array(makeArray("a", Elements));
    U.Result.Evidence.Work["k"].Arrays[0].Counted = updated(100);
    return U;
  };
  const std::string Text = "--layout=split moves its first 8 elements";
  EXPECT_NE(verdictOf(StackOf(512, 128).plan()).Detail.find(Text),
            std::string::npos);
  PlanOptions O;
  O.DefaultLayout = Layout::Split;
  EXPECT_EQ(verdictOf(StackOf(512, 128).plan(O)).Kind, VerdictKind::Split);
  // No more than that is there for them.
  TestUnit Full = StackOf(512, 128);
  Full.shared().StaticBytes = 48 * 1024 - 4000;
  EXPECT_EQ(verdictOf(Full.plan()).Detail.find(Text), std::string::npos);
}

TEST(Split, IsThereByDefaultIfThatIsAskedFor) {
  PlanOptions O;
  O.DefaultLayout = Layout::Split;
  const Plan P = planOf(makeArray("a", 64), O);
  EXPECT_EQ(verdictOf(P).Kind, VerdictKind::Split);
  EXPECT_EQ(verdictOf(P).First, 8u);
  EXPECT_FALSE(verdictOf(P).Asked);
}

TEST(Split, IsNotPredicted) {
  TestUnit U;
  U.launch(128);
  U.array(makeArray("a", 64));
  KernelWork W;
  W.Instructions = 1000;
  W.Arrays[0].NonUniform = updated(1000);
  U.Result.Evidence.Work["k"] = W;
  PlanOptions O = splitting(8);
  O.MinSpeedup = 1.05;
  const Plan P = U.plan(O);
  EXPECT_EQ(verdictOf(P).Kind, VerdictKind::Split);
  EXPECT_FALSE(P.Kernels[0].Predicted);
}
