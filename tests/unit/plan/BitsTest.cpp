//===-- BitsTest.cpp - bools that become bits in registers ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bits take no shared memory, so nothing that is about it stands against them.
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "plan/Profit.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// `bool a[Elements]` that can be bits.
TestArray makeFlags(uint64_t Elements = 9, const std::string &Name = "a") {
  TestArray F = makeArray(Name, Elements, 1);
  F.AsBits = true;
  return F;
}

Plan planOf(TestArray F, const PlanOptions &Options = {}) {
  TestUnit U;
  U.launch(128);
  U.array(std::move(F));
  return U.plan(Options);
}

PlanOptions withLayout(Layout L) {
  PlanOptions O;
  O.DefaultLayout = L;
  return O;
}

PlanOptions deciding(Layout L) {
  PlanOptions O;
  O.Decisions = {decision(L)};
  return O;
}

const Verdict &verdictOf(const Plan &P) { return find(P, "a").Verdict; }

} // namespace

TEST(Bits, TakeOneRegisterOrTwo) {
  for (auto [Elements, Form] :
       {std::pair(1u, StripeForm::Bits), std::pair(32u, StripeForm::Bits),
        std::pair(33u, StripeForm::LongBits),
        std::pair(64u, StripeForm::LongBits)}) {
    const Plan P = planOf(makeFlags(Elements));
    EXPECT_EQ(verdictOf(P).Kind, VerdictKind::Bits);
    EXPECT_EQ(verdictOf(P).Why, Reason::BoolElements);
    EXPECT_EQ(verdictOf(P).Form, Form) << Elements;
  }
}

TEST(Bits, TakeNoSharedMemory) {
  const Plan P = planOf(makeFlags());
  EXPECT_EQ(verdictOf(P).SharedBytes, 0u);
  EXPECT_EQ(P.Kernels[0].SharedAfter, 0u);
  EXPECT_FALSE(P.Kernels[0].AddLaunchBounds);
  EXPECT_TRUE(P.Kernels[0].MovesArrays);
}

TEST(Bits, AreOnlyWhatCanBe) {
  TestArray F = makeFlags();
  F.AsBits = false;
  EXPECT_EQ(verdictOf(planOf(F)).Kind, VerdictKind::Stripe);
}

TEST(Bits, NeedNoBoundOnTheBlock) {
  TestUnit U;
  U.mention();
  U.array(makeFlags());
  U.array(makeArray("b", 16, 4, 11));
  const Plan P = U.plan();
  EXPECT_EQ(reasonOf(P), Reason::BoolElements);
  EXPECT_EQ(reasonOf(P, "b"), Reason::BlockSizeUnknown);
}

TEST(Bits, HaveNoVersion) {
  TestUnit U;
  U.launch(128);
  TestArray F = makeFlags();
  F.Function.HostDevice = true;
  U.array(F);
  const Plan P = U.plan();
  EXPECT_EQ(reasonOf(P), Reason::BoolElements);
  EXPECT_FALSE(P.Kernels[0].HasVersion);
}

TEST(Bits, AreForTheDeviceAloneWhereOthersReadTheFile) {
  auto IsDeviceOnly = [](bool MayBeReadForHost) {
    TestUnit U;
    U.launch(128);
    TestArray F = makeFlags();
    F.Function.HostDevice = true;
    F.Function.MayBeReadForHost = MayBeReadForHost;
    U.array(F);
    return verdictOf(U.plan()).Storage.DeviceOnly;
  };
  EXPECT_TRUE(IsDeviceOnly(true));
  EXPECT_FALSE(IsDeviceOnly(false));
}

TEST(Bits, NeedKernels) {
  TestUnit U("/a.cu", /*WithKernel=*/false);
  U.array(makeFlags()).Kernels.clear();
  EXPECT_EQ(reasonOf(U.plan()), Reason::NoKernel);
}

// Storage that exists once is what these are about.
TEST(Bits, MayBeEnteredAgain) {
  for (Reason R : {Reason::RecursiveFunction, Reason::UnseenCallee}) {
    TestArray F = makeFlags();
    F.Obstacles = {obstacle(R)};
    EXPECT_EQ(reasonOf(planOf(F)), Reason::BoolElements);
    F.AsBits = false;
    EXPECT_EQ(reasonOf(planOf(F)), R);
    F.AsBits = true;
    EXPECT_EQ(reasonOf(planOf(F, withLayout(Layout::Stripe))), R);
  }
}

TEST(Bits, StayForOtherObstacles) {
  for (Reason R : {Reason::Nolint, Reason::OutsidePaths, Reason::Goto,
                   Reason::OutOfBounds}) {
    TestArray F = makeFlags();
    F.Obstacles = {obstacle(R)};
    EXPECT_EQ(reasonOf(planOf(F)), R);
  }
}

// They are cleared by a function.
TEST(Bits, AreBitsWhereSharedMemoryNeedsASlot) {
  TestArray F = makeFlags();
  F.Obstacles = {obstacle(Reason::PassedToFunction)};
  EXPECT_EQ(reasonOf(planOf(F)), Reason::BoolElements);
  EXPECT_EQ(verdictOf(planOf(F, withLayout(Layout::Stripe))).Kind,
            VerdictKind::Slot);
}

// --- Instances -------------------------------------------------------------

static TestArray ofTwoSizes(bool HasPointers) {
  TestArray F = makeFlags(40);
  F.Kernels = {"k"};
  ArrayInstance Long = makeInstance(F, "f1", {"k"});
  ArrayInstance Short = makeInstance(makeFlags(9), "f2");
  F.Instances = {Long, Short};
  if (HasPointers)
    F.Trail.emplace();
  return F;
}

TEST(Bits, HaveInstancesOfAnySize) {
  const Plan P = planOf(ofTwoSizes(false));
  EXPECT_EQ(verdictOf(P).Form, StripeForm::LongBits);
  EXPECT_EQ(verdictOf(P).Kind, VerdictKind::Bits);
}

// A pointer is declared once.
TEST(Bits, HavePointersOfOneSize) {
  EXPECT_NE(verdictOf(planOf(ofTwoSizes(true))).Kind, VerdictKind::Bits);
}

// --- Decisions -------------------------------------------------------------

TEST(Bits, GiveWayToWhatIsAskedFor) {
  EXPECT_EQ(verdictOf(planOf(makeFlags(), deciding(Layout::Stripe))).Kind,
            VerdictKind::Stripe);
  EXPECT_EQ(verdictOf(planOf(makeFlags(), deciding(Layout::Slot))).Kind,
            VerdictKind::Slot);
  EXPECT_EQ(reasonOf(planOf(makeFlags(), deciding(Layout::Keep))),
            Reason::DecidedKeep);
}

TEST(Bits, CanBeAskedFor) {
  const Plan P = planOf(makeFlags(64), deciding(Layout::Bits));
  EXPECT_EQ(verdictOf(P).Kind, VerdictKind::Bits);
  EXPECT_TRUE(verdictOf(P).Asked);
  EXPECT_EQ(P.Outcomes.front().State, DecisionState::Used);
}

TEST(Bits, AskedForInVainAreNoMove) {
  TestArray F = makeFlags();
  F.AsBits = false;
  const Plan P = planOf(F, deciding(Layout::Bits));
  EXPECT_FALSE(verdictOf(P).Asked);
  EXPECT_EQ(P.Outcomes.front().State, DecisionState::Unfulfilled);
}

// --- Profit ----------------------------------------------------------------

// A kernel that reads and writes an array of Bytes bools at random indices.
static Change changeOf(uint64_t Bytes, bool Slot, StripeForm Form,
                       uint64_t SharedBytes) {
  Change C;
  C.Kernel.Threads = 128;
  C.Kernel.Work.Instructions = 4000;
  ArrayTraffic A;
  A.NonUniform = {512, 512};
  A.ElementBytes = 1;
  A.BytesPerThread = Bytes;
  A.Moved = true;
  A.Slot = Slot;
  A.Form = Form;
  C.Kernel.Arrays = {A};
  C.Short = C.Kernel;
  C.Had = {64, 0};
  C.Has = {64, SharedBytes};
  return C;
}

TEST(BitsProfit, AreFasterThanAStripeUpTo32) {
  const double Stripe =
      expectedSpeedup(changeOf(32, false, StripeForm::Unpacked, 65536));
  const double Bits = expectedSpeedup(changeOf(32, false, StripeForm::Bits, 0));
  EXPECT_GT(Bits, Stripe * 1.02);
}

// Two registers take several instructions to shift, and shared memory costs
// something only where the L1 is needed.
TEST(BitsProfit, AreSlowerThanAStripeBeyond32) {
  const double Stripe =
      expectedSpeedup(changeOf(64, false, StripeForm::Unpacked, 131072));
  const double Bits =
      expectedSpeedup(changeOf(64, false, StripeForm::LongBits, 0));
  EXPECT_GT(Stripe, Bits * 1.1);
}

// Unrolled loops find an element of a stripe without an address.
TEST(BitsProfit, AreSlowerThanAStripeThatIsReadInLoops) {
  auto Walked = [](StripeForm Form, uint64_t SharedBytes, Words Uniform) {
    Change C = changeOf(24, false, Form, SharedBytes);
    C.Kernel.Arrays.front().NonUniform = {};
    C.Kernel.Arrays.front().Uniform = Uniform;
    C.Short = C.Kernel;
    return expectedSpeedup(C);
  };
  const Words Read{4096, 0}, Filled{0, 4096};
  EXPECT_GT(Walked(StripeForm::Unpacked, 49152, Read),
            Walked(StripeForm::Bits, 0, Read));
  EXPECT_LT(Walked(StripeForm::Unpacked, 49152, Filled),
            Walked(StripeForm::Bits, 0, Filled));
}

TEST(BitsProfit, LeaveTheL1Alone) {
  const Prediction P = predict(changeOf(32, false, StripeForm::Bits, 0));
  EXPECT_DOUBLE_EQ(P.ResourceFactor, 1);
}
