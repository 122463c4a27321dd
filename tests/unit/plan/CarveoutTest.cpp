//===-- CarveoutTest.cpp - what launches leave to the L1 ------------------===//
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

constexpr Carveout Auto = {Carveout::Rule::Auto, 0};
constexpr Carveout Driver = {Carveout::Rule::Driver, 0};
constexpr Carveout Half = {Carveout::Rule::Fixed, 50};

// A kernel with an array that moves, and a launch that passes its stub.
TestUnit movable() {
  TestUnit U;
  U.launch(128);
  U.array(makeArray("a", 8));
  giveText(U.Result);
  return U;
}

PlanOptions byDefault(Carveout C) {
  PlanOptions O;
  O.DefaultCarveout = C;
  return O;
}

PlanOptions decided(Carveout C, const std::string &Kernel = "k") {
  PlanOptions O;
  KernelDecision D;
  D.File = "/a.cu";
  D.Kernel = Kernel;
  D.Wanted = C;
  D.Where = {"/.bankstripe.yaml", 3, 5};
  O.KernelDecisions = {D};
  return O;
}

std::string textOfKernel(const Plan &P) {
  return textOf(P.Kernels.front().Carved);
}

// The state of the only decision and its detail.
std::string outcomeOf(const TestUnit &U, const PlanOptions &Options) {
  Plan P = U.plan(Options);
  if (P.KernelOutcomes.size() != 1)
    return "no outcome";
  const KernelOutcome &O = P.KernelOutcomes.front();
  return nameOf(O.State).str() + (O.Detail.empty() ? "" : ": ") + O.Detail;
}

} // namespace

TEST(Carveouts, AreTheDriversUnlessThereIsARowAnyway) {
  TestUnit U = movable();
  EXPECT_EQ(textOfKernel(U.plan()), "driver");
  EXPECT_FALSE(U.plan().Kernels.front().hasRow());
  forgetBlock(U.Result.Facts.Launches[0]);
  EXPECT_EQ(textOfKernel(U.plan()), "auto");
  EXPECT_EQ(textOfKernel(U.plan(byDefault(Driver))), "driver");
}

TEST(Carveouts, NeedARowEvenWithStaticStorage) {
  Plan P = movable().plan(byDefault(Auto));
  EXPECT_EQ(textOfKernel(P), "auto");
  EXPECT_EQ(P.Kernels.front().WarpBytes, 0u);
  EXPECT_TRUE(P.Kernels.front().hasRow());
}

TEST(Carveouts, OfKernelsThatCanHaveNoRow) {
  TestUnit U = movable();
  U.Result.Facts.Launches[0].OnDevice = true;
  EXPECT_EQ(textOfKernel(U.plan(byDefault(Auto))), "driver");
  EXPECT_EQ(outcomeOf(U, decided(Half)),
            "unfulfilled: the launch at a.cu:100 passes no host stub");
}

TEST(Carveouts, OfKernelsInWhichNothingMoves) {
  TestUnit U = movable();
  U.Result.Evidence.Arrays[0].Where = Residency::Registers;
  EXPECT_EQ(outcomeOf(U, decided(Half)),
            "unfulfilled: nothing moves into its shared memory");
  EXPECT_FALSE(U.plan(byDefault(Auto)).Kernels.front().hasRow());
}

TEST(Carveouts, AreThoseOfVersions) {
  TestUnit U = movable();
  U.mention();
  EXPECT_EQ(textOfKernel(U.plan()), "auto");
  EXPECT_EQ(textOfKernel(U.plan(byDefault(Driver))), "driver");
  EXPECT_EQ(outcomeOf(U, decided(Half)), "used");
}

TEST(Carveouts, ThatWereDecidedComeBeforeTheDefault) {
  TestUnit U = movable();
  PlanOptions O = decided(Half);
  O.DefaultCarveout = Auto;
  EXPECT_EQ(textOfKernel(U.plan(O)), "50");
  EXPECT_EQ(outcomeOf(U, O), "used");
  O.KernelDecisions[0].Wanted = Driver;
  EXPECT_EQ(textOfKernel(U.plan(O)), "driver");
  EXPECT_EQ(outcomeOf(U, O), "used");
}

TEST(Carveouts, AreDecidedForAllInstancesOfATemplate) {
  TestUnit U = movable();
  U.kernel().Name = "space::k<int, std::pair<int, 3>>";
  EXPECT_EQ(textOfKernel(U.plan(decided(Half, "space::k"))), "50");
}

TEST(Carveouts, OfKernelsThatAreNotThere) {
  EXPECT_EQ(outcomeOf(movable(), decided(Half, "other")),
            "stale: no kernel 'other' was found in that file");
  PlanOptions O = decided(Half);
  O.KernelDecisions[0].Problem = "there is no such file";
  EXPECT_EQ(outcomeOf(movable(), O), "stale: there is no such file");
  O = decided(Half);
  O.KernelDecisions[0].File = "/other.cu";
  EXPECT_EQ(outcomeOf(movable(), O),
            "skipped: this run saw no array and no kernel in that file");
}

TEST(Carveouts, GoWithTheLastArray) {
  const Plan P = planWithFileRejected(movable(), byDefault(Auto));
  EXPECT_EQ(textOfKernel(P), "driver");
  EXPECT_FALSE(P.Kernels.front().hasRow());
}
