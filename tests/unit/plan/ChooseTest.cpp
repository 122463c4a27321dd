//===-- ChooseTest.cpp - which arrays pay ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "plan/Profit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

// Arrays `a` and, with a size, `b` in a kernel that does so much with them.
TestUnit working(ArrayWork OfA, std::optional<ArrayWork> OfB = std::nullopt) {
  TestUnit U;
  U.launch(256);
  U.array(makeArray("a", 16));
  KernelWork W;
  W.Instructions = 1000;
  W.Arrays[0] = OfA;
  if (OfB) {
    U.array(makeArray("b", 16, 4, 20));
    W.Arrays[1] = *OfB;
  }
  U.Result.Evidence.Work["k"] = W;
  return U;
}

PlanOptions choosy() {
  PlanOptions Options;
  Options.MinSpeedup = 1.05;
  return Options;
}

constexpr ArrayWork Random = {{}, updated(300), {}},
                    Rare = {updated(1), {}, {}};

} // namespace

TEST(Choose, WhatPaysMoves) {
  Plan P = working(Random).plan(choosy());
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  ASSERT_TRUE(P.Kernels.front().Predicted);
  EXPECT_GT(P.Kernels.front().Predicted->Speedup, 1.05);
}

TEST(Choose, WhatDoesNotPayStays) {
  Plan P = working(Rare).plan(choosy());
  EXPECT_EQ(reasonOf(P), Reason::NotProfitable);
  EXPECT_THAT(find(P, "a").Verdict.Detail, HasSubstr("predicted"));
  EXPECT_EQ(P.Kernels.front().SharedAfter, 0u);
}

// `b` gains little, with `a` or without it.
TEST(Choose, WhatIsDecidedMovesNothingElse) {
  const TestUnit U = working(Random, ArrayWork{{}, updated(1), {}});
  EXPECT_EQ(reasonOf(U.plan(choosy()), "b"), Reason::DynamicIndex);
  PlanOptions Options = choosy();
  Options.Decisions = {decision(Layout::Stripe)};
  const Plan P = U.plan(Options);
  EXPECT_EQ(reasonOf(P, "a"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(P, "b"), Reason::NotProfitable);
  EXPECT_THAT(find(P, "b").Verdict.Detail, HasSubstr("predicted speedup 1.0"));
  ASSERT_TRUE(P.Kernels.front().Predicted);
  EXPECT_GT(P.Kernels.front().Predicted->Speedup, 1.05);
}

// Of a split nothing is predicted.
TEST(Choose, BesideADecidedSplitTheOthersAreJudged) {
  PlanOptions Options = choosy();
  Options.Decisions = {decision(Layout::Split)};
  Options.Decisions[0].First = 8;
  EXPECT_EQ(reasonOf(working(Random, Random).plan(Options), "b"),
            Reason::DynamicIndex);
  Options.MinSpeedup = 100;
  const Plan P = working(Random, Random).plan(Options);
  EXPECT_EQ(reasonOf(P, "a"), Reason::DecidedSplit);
  EXPECT_EQ(reasonOf(P, "b"), Reason::NotProfitable);
}

// Else they would share one verdict.
TEST(Choose, AFunctionsDecidedArrayJoinsNoKernels) {
  TestUnit U = working(Random, Random);
  U.Arrays[0].Function.IsKernel = false;
  U.Arrays[0].Kernels = {"k", "other"};
  U.Result.Facts.Kernels.push_back(makeKernel("other", 60));
  U.Result.Facts.Launches.push_back(makeLaunch(256, "other"));
  TestArray C = makeArray("c", 16, 4, 61);
  C.Kernels = {"other"};
  U.array(C);
  KernelWork W;
  W.Instructions = 1000;
  W.Arrays[0] = Random;
  W.Arrays[2] = {{}, updated(1), {}};
  U.Result.Evidence.Work["other"] = W;
  PlanOptions Options = choosy();
  Options.Decisions = {decision(Layout::Stripe)};
  Options.Decisions[0].Function = "k";
  const Plan P = U.plan(Options);
  EXPECT_EQ(reasonOf(P, "a"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(P, "b"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(P, "c"), Reason::NotProfitable);
}

TEST(Choose, NothingMovesForAnArchitectureWithoutLimits) {
  PlanOptions Options = choosy();
  Options.GpuArch = "sm_60";
  const Plan P = working(Random).plan(Options);
  EXPECT_EQ(reasonOf(P), Reason::NotProfitable);
  EXPECT_EQ(find(P, "a").Verdict.Detail,
            "what an SM of sm_60 has is not known, so nothing can be "
            "predicted");
  Options.Decisions = {decision(Layout::Stripe)};
  EXPECT_EQ(reasonOf(working(Random).plan(Options)), Reason::DynamicIndex);
  Options.Decisions.clear();
  Options.MinSpeedup = 0;
  EXPECT_EQ(reasonOf(working(Random).plan(Options)), Reason::DynamicIndex);
}

// They might see later that they are done.
TEST(Choose, KernelsThatWaitForOtherThreadsAreLeftToTune) {
  TestUnit U = working(Random);
  U.Result.Evidence.Work["k"].Polls = true;
  Plan P = U.plan(choosy());
  EXPECT_EQ(reasonOf(P), Reason::PollsMemory);
  EXPECT_EQ(find(P, "a").Verdict.Detail, "kernel 'k'");
  EXPECT_EQ(reasonOf(U.plan()), Reason::DynamicIndex);
  // What else it loads takes the place of what was there before.
  U.Result.Evidence.Work["k"].Rows = 1;
  EXPECT_EQ(reasonOf(U.plan(choosy())), Reason::DynamicIndex);
}

// The L1 may hold what it gathers from, and shared memory takes most of it.
TEST(Choose, WhatMayLoseMoreThanItGainsIsLeftToTune) {
  auto Gathering = [](ArrayWork OfA) {
    TestUnit U = working(OfA);
    U.Result.Evidence.Work["k"].Gathered = 40;
    return U.plan(choosy());
  };
  Plan Little = Gathering({updated(250), {}, {}});
  EXPECT_EQ(reasonOf(Little), Reason::NotProfitable);
  EXPECT_THAT(find(Little, "a").Verdict.Detail,
              HasSubstr("if the L1 holds what it uses now; run 'bankstripe "
                        "tune' to measure it"));
  Plan Much = Gathering({{}, updated(20000), {}});
  EXPECT_EQ(reasonOf(Much), Reason::DynamicIndex);
}

TEST(Choose, WhatNvccMakesMuchMoreCodeOfStays) {
  auto GrownBy = [](unsigned Times) {
    NvccTrial V = confirmed(working(Random), choosy());
    V.Before["k"].CodeBytes = 1000;
    V.After["k"].CodeBytes = 1000 * Times + 512; // The prologue runs once.
    return working(Random).plan(choosy(), {{V}});
  };
  const Plan P = GrownBy(20);
  EXPECT_EQ(reasonOf(P), Reason::NotProfitable);
  EXPECT_THAT(find(P, "a").Verdict.Detail,
              HasSubstr(", with 20.00 times as much machine code"));
  // What stays as it is does not grow.
  EXPECT_DOUBLE_EQ(P.Kernels[0].Predicted->Speedup, 1);
  EXPECT_EQ(reasonOf(GrownBy(1)), Reason::DynamicIndex);
}

// What becomes of the code then says nothing of the other array.
TEST(Choose, CodeBesideATableThatBecomesConstantIsNotCounted) {
  TestUnit U = working(Random);
  U.array(makeArray("table", 16, 4, 20)).NeverWritten = true;
  NvccTrial V = confirmed(U, choosy());
  V.Before["k"].CodeBytes = 1000;
  V.After["k"].CodeBytes = 20000;
  const Plan P = U.plan(choosy(), {{V}});
  EXPECT_EQ(reasonOf(P, "table"), Reason::ConstantTable);
  EXPECT_EQ(reasonOf(P, "a"), Reason::DynamicIndex);
}

TEST(Choose, LaunchesSeeToTheCarveOutWhereTheDriversMayHurt) {
  auto WithRows = [](double Rows) {
    TestUnit U = working({updated(600), {}, {}});
    TestArray &A = U.Arrays[0];
    A.Shape.Extents = {27}; // The L1 keeps 28 KB.
    A.Shape.BytesPerThread = 108;
    U.Result.Evidence.Work["k"].Rows = Rows;
    giveText(U.Result);
    return U.plan(choosy()).Kernels.front().Carved.How;
  };
  EXPECT_EQ(WithRows(0), Carveout::Rule::Driver);
  EXPECT_EQ(WithRows(80), Carveout::Rule::Auto);
}

// A stripe of 64 doubles takes 16 KB, whatever the block.
static TestUnit inBlocksOf(unsigned Threads) {
  TestUnit U;
  U.launch(Threads);
  U.array(makeArray("a", 64, 8));
  KernelWork W;
  W.Instructions = 1000;
  W.Global = 20;
  W.Arrays[0] = Random;
  U.Result.Evidence.Work["k"] = W;
  return U;
}

TEST(Choose, BlocksOfAPartOfAWarpGetSlots) {
  Plan P = inBlocksOf(2).plan(choosy());
  const Verdict &V = find(P, "a").Verdict;
  EXPECT_EQ(V.Kind, VerdictKind::Slot);
  EXPECT_EQ(V.Why, Reason::PartOfWarp);
  EXPECT_LT(V.SharedBytes, 2048u);
  EXPECT_EQ(P.Kernels.front().SharedAfter, V.SharedBytes);
  EXPECT_GT(P.Kernels.front().Predicted->Speedup, 1.05);
}

TEST(Choose, BlocksOfWholeWarpsKeepStripes) {
  Plan P = inBlocksOf(32).plan(choosy());
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
}

TEST(Choose, SmallBlocksKeepTheStripesThatADecisionAsksFor) {
  PlanOptions Options = choosy();
  TestUnit U = inBlocksOf(2);
  Plan P = U.plan(Options);
  Options.Decisions = {decisionAbout(P, 0, Layout::Stripe)};
  EXPECT_EQ(reasonOf(U.plan(Options)), Reason::DynamicIndex);
}

// 20 single bytes, used by blocks of 128.
static TestUnit ofBytes(ArrayWork Accesses, unsigned ElementBytes = 1) {
  TestUnit U;
  U.launch(128);
  U.array(makeArray("a", 20, ElementBytes));
  KernelWork W;
  W.Instructions = 1000;
  W.Arrays[0] = Accesses;
  U.Result.Evidence.Work["k"] = W;
  return U;
}

// Both take half of what an element per word does.
TEST(Choose, TheBestOfSeveralFormsIsTaken) {
  TestUnit U = ofBytes(Random, 2);
  TestArray &A = U.Arrays[0];
  A.Shape.Extents = {100};
  A.Shape.BytesPerThread = 200;
  Plan P = U.plan(choosy());
  EXPECT_EQ(find(P, "a").Verdict.Form, StripeForm::Unpacked);
}

TEST(Choose, BytesThatLanesUseTogetherGetSlots) {
  for (ArrayWork Together :
       {ArrayWork{updated(800), {}, {}}, ArrayWork{{}, {}, updated(800)},
        ArrayWork{updated(720), updated(80), {}}}) {
    Plan P = ofBytes(Together).plan(choosy());
    EXPECT_EQ(find(P, "a").Verdict.Kind, VerdictKind::Slot);
    EXPECT_EQ(reasonOf(P), Reason::ByteElements);
  }
}

TEST(Choose, StripesThatAreTheDefaultStayStripes) {
  PlanOptions Options = choosy();
  Options.DefaultLayout = Layout::Stripe;
  EXPECT_EQ(reasonOf(ofBytes({updated(800), {}, {}}).plan(Options)),
            Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(inBlocksOf(2).plan(Options)), Reason::DynamicIndex);
}

// `template <class T> ... T a[20]`, with bytes in one instance only.
TEST(Choose, BytesOfOneInstanceOfATemplateGetStripes) {
  TestUnit U = ofBytes({updated(800), {}, {}});
  TestArray &A = U.Arrays[0];
  A.Instances = {makeInstance(A, "k", {"k"}), makeInstance(A, "other", {})};
  A.Instances[1].Shape.ElementBytes = 4;
  EXPECT_EQ(reasonOf(U.plan(choosy())), Reason::DynamicIndex);
}

TEST(Choose, BytesThatLanesUseApartGetStripes) {
  EXPECT_EQ(reasonOf(ofBytes({updated(500), updated(300), {}}).plan(choosy())),
            Reason::DynamicIndex);
}

TEST(Choose, WiderElementsGetStripesWhoeverUsesThem) {
  for (unsigned Bytes : {2, 4, 8})
    EXPECT_EQ(reasonOf(ofBytes({updated(800), {}, {}}, Bytes).plan(choosy())),
              Reason::DynamicIndex);
}

TEST(Choose, NothingIsAskedOfWhoWantsEverythingMoved) {
  EXPECT_EQ(reasonOf(working(Rare).plan()), Reason::DynamicIndex);
}

// That it moves is asked for, not how.
TEST(Choose, WhatMovesInAnyCaseHasTheLayoutThatIsPredictedBest) {
  const TestUnit U = ofBytes({updated(800), {}, {}});
  EXPECT_EQ(reasonOf(U.plan(choosy())), Reason::ByteElements);
  EXPECT_EQ(reasonOf(U.plan()), Reason::ByteElements);
  EXPECT_EQ(reasonOf(inBlocksOf(2).plan()), Reason::PartOfWarp);
  PlanOptions Options;
  Options.Decisions = {decisionAbout(U.plan(), 0, Layout::Stripe)};
  EXPECT_EQ(reasonOf(U.plan(Options)), Reason::DynamicIndex);
}

TEST(Choose, TheLeastThatIsAskedForDecides) {
  PlanOptions Much = choosy();
  Much.MinSpeedup = 1000;
  EXPECT_EQ(reasonOf(working(Random).plan(Much)), Reason::NotProfitable);
}

// `b` is hardly used, and takes so much that few blocks are left.
TEST(Choose, AnArrayThatOnlyCostsStaysAlone) {
  TestUnit U = working(Random, Rare);
  TestArray &B = U.Arrays[1];
  B.Shape.Extents = {30};
  B.Shape.BytesPerThread = 120;
  U.Result.Evidence.Work["k"].Global = 100;
  Plan P = U.plan(choosy());
  EXPECT_EQ(reasonOf(P, "a"), Reason::DynamicIndex);
  EXPECT_EQ(reasonOf(P, "b"), Reason::NotProfitable);
}

TEST(Choose, WhatADecisionAsksForMoves) {
  TestUnit U = working(Rare);
  PlanOptions Options = choosy();
  Options.Decisions = {decision(Layout::Stripe)};
  EXPECT_EQ(find(U.plan(Options), "a").Verdict.Kind, VerdictKind::Stripe);
}

// `a` pays in `k`, and only costs warps in the other kernel.
/// Adds a kernel `other` that reaches the first array of \p U, and does \p
/// Work.
void addOther(TestUnit &U, KernelWork Work) {
  U.Result.Facts.Kernels.push_back(makeKernel("other", 60));
  U.Result.Facts.Launches.push_back(makeLaunch(256, "other"));
  U.Arrays[0].Kernels = {"k", "other"};
  Work.Instructions = 1000;
  U.Result.Evidence.Work["other"] = std::move(Work);
}

/// What keeps `b`, which pays in `k`, and is in no other kernel.
std::string whyBStays(const Plan &P) {
  EXPECT_EQ(reasonOf(P, "b"), Reason::NotProfitable);
  return find(P, "b").Verdict.Detail;
}

TEST(Choose, AKernelThatWouldLoseIsNamedToThoseThatShareArraysWithIt) {
  TestUnit U = working(Random, Random);
  KernelWork W;
  W.Global = 100;
  W.Arrays[0] = Rare;
  addOther(U, W);
  U.Arrays[0].Shape.Extents = {30};
  U.Arrays[0].Shape.BytesPerThread = 4 * 30;
  const Plan P = U.plan(choosy());
  EXPECT_THAT(whyBStays(P),
              HasSubstr(", but kernel 'other', which shares arrays "
                        "with its kernel, would run at 0."));
  EXPECT_THAT(find(P, "a").Verdict.Detail, Not(HasSubstr("other")));
}

// By `a`, which both reach.
TEST(Choose, AKernelThatMayLoseIsNamedToThoseThatShareArraysWithIt) {
  TestUnit U = working(Random, Random);
  KernelWork W;
  W.Gathered = 40;
  W.Arrays[0] = {updated(250), {}, {}};
  addOther(U, W);
  const Plan P = U.plan(choosy());
  EXPECT_THAT(whyBStays(P),
              HasSubstr(", but kernel 'other', which shares arrays "
                        "with its kernel, may run at 0."));
  EXPECT_THAT(find(P, "a").Verdict.Detail,
              HasSubstr("if the L1 holds what it uses now"));
}

// Of a template, ptxas keeps it in registers for one instance.
TEST(Choose, AKernelThatHasTheArrayInRegistersLosesByItsMove) {
  TestUnit U = working(Random);
  U.Result.Facts.Kernels.push_back(makeKernel("other", 60));
  U.Result.Facts.Launches.push_back(makeLaunch(256, "other"));
  U.Arrays[0].Kernels = {"k", "other"};
  U.Result.Evidence.Work["other"] = U.Result.Evidence.Work["k"];
  U.Result.Resources["k"].StackFrame = 64;
  U.Result.Resources["other"].StackFrame = 64;
  EXPECT_EQ(reasonOf(U.plan(choosy())), Reason::DynamicIndex);
  U.Result.Resources["other"].StackFrame = 0;
  EXPECT_EQ(reasonOf(U.plan(choosy())), Reason::NotProfitable);
}

// The loads may live on the L1. Nobody said anything of `b`.
TEST(Choose, ADecisionTakesNoOtherArrayAlong) {
  const ArrayWork Some = {updated(125), {}, {}};
  TestUnit U = working(Some, Some);
  U.Result.Evidence.Work["k"].Gathered = 40;
  PlanOptions Options = choosy();
  Options.Decisions = {decision(Layout::Stripe)};
  const Plan P = U.plan(Options);
  EXPECT_EQ(find(P, "a").Verdict.Kind, VerdictKind::Stripe);
  EXPECT_EQ(reasonOf(P, "b"), Reason::NotProfitable);
}

// An array of a function that a kernel of another file calls.
TEST(Choose, AKernelWhoseWorkNobodySawKeepsItsArrays) {
  TestUnit U = working(Random);
  U.Result.Evidence.Work.clear();
  EXPECT_EQ(reasonOf(U.plan(choosy())), Reason::NotProfitable);
}

TEST(Choose, ArchitecturesLimitSharedMemoryWhereTheyAreNamed) {
  PlanOptions Unknown = choosy();
  Unknown.GpuArch = "sm_20";
  Unknown.AllGpuArchs = {"sm_20"};
  EXPECT_EQ(usualSharedLimit(Unknown), StaticSharedLimit);
  EXPECT_EQ(usualSharedLimit(choosy()), StaticSharedLimit);
  PlanOptions Named = choosy();
  Named.AllGpuArchs = {"sm_90"};
  EXPECT_EQ(usualSharedLimit(Named), 227u * 1024);
  Named.AllGpuArchs = {"sm_86", "sm_90"};
  EXPECT_EQ(usualSharedLimit(Named), 99u * 1024);
  // What moves for a prediction moves where none is asked for.
  Named.MinSpeedup = 0;
  EXPECT_EQ(usualSharedLimit(Named), 99u * 1024);
  EXPECT_EQ(usualSharedLimit(PlanOptions()), StaticSharedLimit);
}
