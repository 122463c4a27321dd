//===-- JointTest.cpp - changes that are complete by themselves -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which arrays change together, and that nothing of the others comes along.
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

constexpr llvm::StringLiteral Code = "int a[4];\na[i] = 1;\n"
                                     "int b[4];\nb[i] = 1;\n";

// Arrays `a` and `b` of Code, each with a kernel of its own.
Plan inTwoKernels() {
  Plan P = planFor(Code, {{"a", {4}}, {"b", {4}}});
  P.Kernels.push_back(P.Kernels.front());
  P.Kernels[0].Facts.Where = {CodePath.str(), 1, 1};
  P.Kernels[1].Facts.Where = {CodePath.str(), 3, 1};
  P.Arrays[1].Kernels = {1};
  P.Arrays[1].InstanceKernels = {{1}};
  return P;
}

std::vector<JointChange> jointly(const Plan &P) {
  auto Changes = applyJointly(P, /*EmbedHelper=*/false);
  if (Changes)
    return std::move(*Changes);
  ADD_FAILURE() << toString(Changes.takeError());
  return {};
}

std::vector<std::vector<unsigned>> groups(const Plan &P) {
  std::vector<std::vector<unsigned>> Result;
  for (const JointChange &Change : jointly(P))
    Result.push_back(Change.Arrays);
  return Result;
}

using Indices = std::vector<std::vector<unsigned>>;

TEST(Jointly, ArraysOfOneKernelChangeTogether) {
  Plan P = planFor(Code, {{"a", {4}}, {"b", {4}}});
  EXPECT_EQ(groups(P), (Indices{{0, 1}}));
  EXPECT_EQ(jointly(P).front().Files.front().After, carriedOut(P));
}

TEST(Jointly, ArraysOfTwoKernelsChangeApart) {
  std::vector<JointChange> Changes = jointly(inTwoKernels());
  ASSERT_EQ(Changes.size(), 2u);
  EXPECT_EQ(Changes[0].Arrays, std::vector<unsigned>{0});
  ASSERT_EQ(Changes[0].Files.size(), 1u);
  EXPECT_EQ(Changes[0].Files.front().After,
            carriedOut(planFor(Code, {{"a", {4}}})));
  EXPECT_EQ(Changes[1].Files.front().After,
            carriedOut(planFor(Code, {{"b", {4}}})));
}

TEST(Jointly, BoundsBelongToTheirKernel) {
  Plan P = inTwoKernels();
  P.Kernels[1].AddLaunchBounds = true;
  P.Kernels[1].Facts.BoundsInsertion = {CodePath.str(), 0, 0};
  std::vector<JointChange> Changes = jointly(P);
  ASSERT_EQ(Changes.size(), 2u);
  auto HasBounds = [](const JointChange &Change) {
    return llvm::StringRef(Change.Files.front().After)
        .contains("__launch_bounds__(128) ");
  };
  EXPECT_FALSE(HasBounds(Changes[0]));
  EXPECT_TRUE(HasBounds(Changes[1]));
}

TEST(Jointly, ArrayThatTwoKernelsReachConnectsThem) {
  Plan P = inTwoKernels();
  P.Arrays[1].Kernels = {0, 1};
  EXPECT_EQ(groups(P), (Indices{{0, 1}}));
}

TEST(Jointly, InstancesOfATemplateAreConnected) {
  Plan P = inTwoKernels();
  P.Kernels[1].Facts.Where = P.Kernels[0].Facts.Where;
  EXPECT_EQ(groups(P), (Indices{{0, 1}}));
}

TEST(Jointly, TablesStandAlone) {
  Plan P = planFor("int a[4] = {1, 2, 3, 4};\nint b[4];\nb[i] = 1;\n",
                   {table("a", {4}), {"b", {4}}});
  EXPECT_EQ(groups(P), (Indices{{0}, {1}}));
}

TEST(Jointly, ArraysThatStayAreInNoGroup) {
  Plan P = planFor(Code, {{"a", {4}}, {"b", {4}}});
  P.Arrays[0].Verdict.Kind = VerdictKind::Unchanged;
  EXPECT_EQ(groups(P), (Indices{{1}}));
  P.Arrays[1].Verdict.Kind = VerdictKind::Unsupported;
  EXPECT_EQ(groups(P), Indices());
}

} // namespace
