//===-- SharingTest.cpp - arrays in the same bytes ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

namespace {

// `int NAME[Elements]` of Function, in the block from byte Begin to byte End.
Finding living(const std::string &Name, unsigned Begin, unsigned End,
               uint64_t Elements = 64, const std::string &Function = "k") {
  Finding F = makeArray(Name, Elements, 4, Begin);
  F.Function = F.FunctionId = Function;
  F.InKernel = Function == "k";
  F.Scope = {"/a.cu", Begin, End - Begin};
  F.FileEnteredOnce = true;
  F.Instances = {makeInstance(F, Function, {"k"})};
  F.Instances.front().ElementType = "int";
  return F;
}

// Two arrays of 32 KB, and blocks of 128 threads.
TestUnit withArrays(Finding A, Finding B) {
  TestUnit U;
  U.launch(128);
  U.array(std::move(A));
  U.array(std::move(B));
  return U;
}

// Two functions that the kernel calls, each with an array, and what they call.
TestUnit withFunctions(const FunctionCalls &OfF, const FunctionCalls &OfG) {
  TestUnit U =
      withArrays(living("a", 10, 20, 64, "f"), living("b", 30, 40, 64, "g"));
  U.Result.Evidence.Calls = {{"k", {{"f", "g"}}}, {"f", OfF}, {"g", OfG}};
  return U;
}

// The plan where launches bring the storage.
Plan planWithLaunches(TestUnit &U) {
  U.Result.Facts.Launches.front().Threads.reset();
  giveText(U.Result);
  return U.plan();
}

uint64_t offsetOf(const Plan &P, llvm::StringRef Name) {
  return find(P, Name).Decision.WarpOffset;
}

bool share(const Plan &P) {
  const Verdict &A = find(P, "a").Decision, &B = find(P, "b").Decision;
  EXPECT_EQ(A.SharesBytesWith.empty(), B.SharesBytesWith.empty());
  return A.usesShared() && B.usesShared() && !A.SharesBytesWith.empty();
}

} // namespace

TEST(Sharing, BlocksBesideEachOther) {
  Plan P = withArrays(living("a", 10, 20), living("b", 20, 30, 40)).plan();
  const Verdict &A = find(P, "a").Decision, &B = find(P, "b").Decision;
  EXPECT_THAT(A.SharesBytesWith, ElementsAre(Field(&ArrayName::Name, "b")));
  EXPECT_THAT(B.SharesBytesWith, ElementsAre(Field(&ArrayName::Name, "a")));
  EXPECT_EQ(A.Storage, "a_storage");
  EXPECT_EQ(B.Storage, "a_storage");
  // As large as the largest, in parts of warps.
  EXPECT_EQ(B.WarpBytes, 64u * 4 * 32);
  EXPECT_EQ(B.BytesPerWarp, 40u * 4 * 32);
  EXPECT_EQ(P.Kernels.front().SharedAfter, 64u * 4 * 128);
}

TEST(Sharing, OneBlockInsideTheOther) {
  Plan P = withArrays(living("a", 10, 40), living("b", 20, 30)).plan();
  EXPECT_FALSE(share(P));
  EXPECT_EQ(reasonOf(P, "b"), Reason::OverBudget);
}

TEST(Sharing, OneBlock) {
  Finding B = living("b", 10, 40);
  B.Where.Line = 11;
  EXPECT_FALSE(share(withArrays(living("a", 10, 40), B).plan()));
}

TEST(Sharing, BlocksThatAreNotUnderstood) {
  Finding B = living("b", 20, 30);
  B.Scope = TextRange();
  EXPECT_FALSE(share(withArrays(living("a", 10, 20), B).plan()));
}

TEST(Sharing, OnlyWhereItMakesRoom) {
  Plan P = withArrays(living("a", 10, 20, 4), living("b", 20, 30, 4)).plan();
  EXPECT_FALSE(share(P));
  EXPECT_TRUE(find(P, "a").Decision.usesShared());
  EXPECT_THAT(find(P, "a").Decision.Storage, IsEmpty());
}

#ifdef BANKSTRIPE_HAS_OCCUPANCY_HEADER
TEST(Sharing, MoreWarpsAreRoom) {
  Plan P = withArrays(living("a", 10, 20, 40), living("b", 20, 30, 40)).plan();
  EXPECT_TRUE(share(P));
}
#endif

TEST(Sharing, FunctionsThatAreCalledInTurns) {
  TestUnit U = withFunctions({{"h"}}, {{"__nv_sinf", "h"}});
  U.Result.Evidence.Calls["h"] = {};
  EXPECT_TRUE(share(U.plan()));
}

TEST(Sharing, FunctionsOfWhichOneCallsTheOther) {
  EXPECT_FALSE(share(withFunctions({{"g"}}, {}).plan()));
  EXPECT_FALSE(share(withFunctions({}, {{"f"}}).plan()));
  TestUnit U = withFunctions({{"h"}}, {});
  U.Result.Evidence.Calls["h"] = {{"g"}};
  EXPECT_FALSE(share(U.plan()));
}

TEST(Sharing, FunctionsThatCallWhatNobodyCanName) {
  FunctionCalls Indirect;
  Indirect.Unknown = true;
  EXPECT_FALSE(share(withFunctions(Indirect, {}).plan()));
  TestUnit U = withFunctions({{"h"}}, {});
  U.Result.Evidence.Calls["h"] = Indirect;
  EXPECT_FALSE(share(U.plan()));
}

TEST(Sharing, FunctionsWithoutIr) {
  TestUnit U = withFunctions({}, {});
  U.Result.Evidence.Calls.erase("g");
  EXPECT_FALSE(share(U.plan()));
}

// What another unit says of a function counts as well.
TEST(Sharing, CallsOfAllUnitsCount) {
  TestUnit First = withFunctions({}, {}), Second("/b.cu", false);
  Second.Result.Evidence.Calls = {{"f", {{"g"}}}};
  EXPECT_TRUE(share(makePlan({First.result()}, {})));
  EXPECT_FALSE(share(makePlan({First.result(), Second.result()}, {})));
}

TEST(Sharing, OtherElementTypes) {
  Finding B = living("b", 20, 30);
  B.Instances.front().ElementType = "float";
  EXPECT_FALSE(share(withArrays(living("a", 10, 20), B).plan()));
}

TEST(Sharing, AddressesThatGetLost) {
  for (Reason Why : {Reason::PointerTaken, Reason::ElementAddressEscapes,
                     Reason::CapturedByLambda, Reason::UnknownUse}) {
    Finding A = living("a", 10, 20, 57), B = living("b", 20, 30, 57);
    A.Obstacles = {obstacle(Reason::RangeFor)};
    B.Obstacles = {obstacle(Reason::RangeFor)};
    EXPECT_TRUE(share(withArrays(A, B).plan()));
    B.Obstacles = {obstacle(Why)};
    EXPECT_FALSE(share(withArrays(A, B).plan())) << infoOf(Why).Id.str();
  }
}

// A lane's bytes would be its neighbour's.
TEST(Sharing, SlotsOfOneLengthOnly) {
  auto PlanOf = [](uint64_t Elements) {
    Finding A = living("a", 10, 20, 57), B = living("b", 20, 30, Elements);
    A.Obstacles = {obstacle(Reason::RangeFor)};
    B.Obstacles = {obstacle(Reason::RangeFor)};
    return withArrays(A, B).plan();
  };
  EXPECT_TRUE(share(PlanOf(56))); // Both become 59 words.
  EXPECT_FALSE(share(PlanOf(48)));
}

TEST(Sharing, AStripeAndASlot) {
  Finding B = living("b", 20, 30, 57);
  B.Obstacles = {obstacle(Reason::RangeFor)};
  EXPECT_FALSE(share(withArrays(living("a", 10, 20, 57), B).plan()));
}

// Two instances in one kernel are two functions, which may call each other.
TEST(Sharing, InstancesOfOneTemplate) {
  TestUnit U = withFunctions({}, {});
  Finding &A = U.Result.Facts.Findings.front();
  A.Instances.push_back(makeInstance(A, "f2", {"k"}));
  A.Instances.back().ElementType = "int";
  U.Result.Evidence.Calls["f2"] = {};
  EXPECT_FALSE(share(U.plan()));
  A.Instances.back().Kernels.clear();
  EXPECT_TRUE(share(U.plan()));
  U.Result.Evidence.Calls["f2"] = {{"g"}};
  EXPECT_FALSE(share(U.plan()));
}

// A kernel that reaches one of them alone would have to make room for both.
TEST(Sharing, StaticStorageIsForTheSameKernels) {
  TestUnit U = withFunctions({}, {});
  U.Result.Facts.Kernels.push_back(makeKernel("other", 50));
  U.Result.Facts.Launches.push_back(makeLaunch(64, "other", 101));
  EXPECT_TRUE(share(U.plan()));
  Finding &A = U.Result.Facts.Findings.front();
  A.Kernels = A.Instances.front().Kernels = {"k", "other"};
  EXPECT_FALSE(share(U.plan()));
}

// A second declaration would be one too many.
TEST(Sharing, StaticStorageIsDeclaredOnce) {
  TestUnit U = withArrays(living("a", 10, 20), living("b", 20, 30));
  EXPECT_TRUE(share(U.plan()));
  U.Result.Facts.Findings.back().FunctionFiles = {"/b.cuh"};
  EXPECT_FALSE(share(U.plan()));
  U.Result.Facts.Findings.back().FunctionFiles.clear();
  U.Result.Facts.Findings.back().FileEnteredOnce = false;
  EXPECT_FALSE(share(U.plan()));
}

TEST(Sharing, StorageHasANameOfItsOwn) {
  TestUnit U = withArrays(living("a", 10, 20), living("b", 20, 30));
  for (Finding &F : U.Result.Facts.Findings)
    F.StorageName = F.Name + "_storage_2";
  EXPECT_EQ(find(U.plan(), "a").Decision.Storage, "a_storage_2");
}

// find/ gives none where it does not see the text.
TEST(Sharing, StaticStorageNeedsAName) {
  TestUnit U = withArrays(living("a", 10, 20), living("b", 20, 30));
  U.Result.Facts.Findings.back().StorageName.clear();
  EXPECT_FALSE(share(U.plan()));
}

// What one unit has not may stand in a header of another.
TEST(Sharing, StorageHasTheSameNameInAllUnits) {
  TestUnit First = withArrays(living("a", 10, 20), living("b", 20, 30));
  TestUnit Second = First;
  Second.Result.Facts.MainFile = "/b.cu";
  EXPECT_TRUE(share(makePlan({First.result(), Second.result()}, {})));
  Second.Result.Facts.Findings.front().StorageName = "a_storage_2";
  EXPECT_FALSE(share(makePlan({First.result(), Second.result()}, {})));
}

TEST(Sharing, EndsWhenTheOtherIsWithdrawn) {
  Plan P = withArrays(living("a", 10, 20), living("b", 20, 30)).plan();
  ASSERT_TRUE(share(P));
  withdraw(P, 1, Reason::StackFrameKept, "", {});
  EXPECT_THAT(find(P, "a").Decision.SharesBytesWith, IsEmpty());
  EXPECT_THAT(find(P, "a").Decision.Storage, IsEmpty());
}

TEST(Sharing, PlacesInWhatLaunchesBring) {
  TestUnit U = withArrays(living("a", 10, 20, 8), living("b", 20, 30, 6));
  U.array(living("kept", 5, 50, 3));
  Plan P = planWithLaunches(U);
  ASSERT_TRUE(share(P));
  EXPECT_EQ(offsetOf(P, "kept"), 0u);
  EXPECT_EQ(offsetOf(P, "a"), 3u * 4 * 32);
  EXPECT_EQ(offsetOf(P, "b"), 3u * 4 * 32);
  EXPECT_EQ(P.Kernels.front().WarpBytes, (3 + 8) * 4 * 32u);
  EXPECT_THAT(find(P, "kept").Decision.SharesBytesWith, IsEmpty());
}

// A stripe's place among slots, and a slot's among stripes, is its own.
TEST(Sharing, PlacesAreSharedByOneKindOfRow) {
  TestUnit U = withArrays(living("a", 10, 20, 3), living("b", 20, 30, 2));
  for (Finding &F : U.Result.Facts.Findings)
    F.Obstacles = {obstacle(Reason::RangeFor)};
  Finding Beside = living("beside_a", 10, 20, 1);
  Beside.Where.Line = 11;
  U.array(Beside);
  U.array(living("c", 40, 50, 8));
  Plan P = planWithLaunches(U);
  ASSERT_TRUE(share(P));
  EXPECT_EQ(offsetOf(P, "a"), 0u);
  EXPECT_EQ(offsetOf(P, "b"), 0u);
  EXPECT_EQ(offsetOf(P, "beside_a"), 3u * 4 * 32);
  EXPECT_EQ(offsetOf(P, "c"), 3u * 4 * 32);
  EXPECT_EQ(P.Kernels.front().WarpBytes, (3 + 8) * 4 * 32u);
}
