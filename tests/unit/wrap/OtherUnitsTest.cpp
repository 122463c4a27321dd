//===-- OtherUnitsTest.cpp - what a unit cannot know of the others --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wrap/OtherUnits.h"
#include <gtest/gtest.h>

using namespace bankstripe;

static Kernel kernel(bool Internal) {
  Kernel K;
  K.Id = K.Name = "k";
  K.Text.Internal = Internal;
  return K;
}

static Finding finding(const char *Function) {
  Finding F;
  F.Function = Function;
  F.Instances.emplace_back();
  F.Instances.back().FunctionId = Function;
  F.Kernels = {"k"};
  return F;
}

// A unit of linked device code in which the kernel calls `callee`.
static UnitFacts linked(Finding F, bool Defined) {
  UnitFacts Unit;
  Unit.Kernels = {kernel(/*Internal=*/true)};
  Unit.Findings = {std::move(F)};
  Unit.Functions = {{"k", {"callee"}, true, 0}, {"callee", {}, Defined, 0}};
  return Unit;
}

TEST(OtherUnits, MayLaunchWhatTheyCanName) {
  UnitFacts Unit;
  Unit.Kernels = {kernel(/*Internal=*/false)};
  EXPECT_EQ(assumeOtherUnits(Unit, /*ByName=*/false),
            std::vector<std::string>{"k"});
  EXPECT_TRUE(Unit.Kernels.front().AddressTaken);
}

TEST(OtherUnits, CannotLaunchWhatIsInternal) {
  UnitFacts Unit;
  Unit.Kernels = {kernel(/*Internal=*/true)};
  EXPECT_TRUE(assumeOtherUnits(Unit, /*ByName=*/false).empty());
  EXPECT_FALSE(Unit.Kernels.front().AddressTaken);
}

TEST(OtherUnits, FindKernelsByNameInAModule) {
  UnitFacts Unit;
  Unit.Kernels = {kernel(/*Internal=*/true)};
  EXPECT_EQ(assumeOtherUnits(Unit, /*ByName=*/true).size(), 1u);
  EXPECT_TRUE(Unit.Kernels.front().AddressTaken);
}

TEST(OtherUnits, AreBoundByLaunchBounds) {
  UnitFacts Unit;
  Unit.Kernels = {kernel(/*Internal=*/false)};
  Unit.Kernels.front().Bounds = LaunchBounds{128, "128"};
  EXPECT_TRUE(assumeOtherUnits(Unit, /*ByName=*/false).empty());
  EXPECT_FALSE(Unit.Kernels.front().UsesDynamicShared);
}

TEST(OtherUnits, MayLaunchAllBlocksAtOnce) {
  UnitFacts Unit;
  Unit.Kernels = {kernel(/*Internal=*/false)};
  Unit.Kernels.front().Bounds = LaunchBounds{128, "128"};
  Unit.Contents["/a.cu"] = "cg::this_grid().sync();";
  EXPECT_EQ(assumeOtherUnits(Unit, /*ByName=*/false).size(), 1u);
  EXPECT_TRUE(Unit.Kernels.front().UsesDynamicShared);
}

TEST(OtherUnits, GiveHostFunctionsUnknownArguments) {
  UnitFacts Unit;
  Unit.Launches.resize(2);
  Unit.Launches[0].Parameter = HostParameter{"_Z6launchi", 0};
  Unit.Launches[1].Parameter = HostParameter{"_ZL6launchi", 0};
  assumeOtherUnits(Unit, /*ByName=*/false);
  EXPECT_FALSE(Unit.Launches[0].Parameter);
  EXPECT_TRUE(Unit.Launches[1].Parameter);
}

TEST(OtherUnits, CallFunctionsOfLinkedDeviceCode) {
  UnitFacts Unit = linked(finding("_Z1fv"), true);
  assumeOtherUnits(Unit, /*ByName=*/false);
  ASSERT_EQ(Unit.Findings.front().Obstacles.size(), 1u);
  EXPECT_EQ(Unit.Findings.front().Obstacles.front().Why,
            Reason::BlockSizeUnknown);
}

TEST(OtherUnits, CannotCallInternalFunctions) {
  UnitFacts Unit = linked(finding("_ZL1fv"), true);
  assumeOtherUnits(Unit, /*ByName=*/false);
  EXPECT_TRUE(Unit.Findings.front().Obstacles.empty());
}

TEST(OtherUnits, MayTakeSharedMemoryOfTheirOwn) {
  UnitFacts Unit = linked(finding("_ZL1fv"), false);
  assumeOtherUnits(Unit, /*ByName=*/false);
  EXPECT_EQ(Unit.Findings.front().Obstacles.size(), 1u);
}

TEST(OtherUnits, CannotCallFunctionsThatAreNotLinked) {
  UnitFacts Unit;
  Unit.Findings = {finding("_Z1fv")};
  assumeOtherUnits(Unit, /*ByName=*/false);
  EXPECT_TRUE(Unit.Findings.front().Obstacles.empty());
}
