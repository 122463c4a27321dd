//===-- OutsideTest.cpp - what a run cannot know of other units -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Outside.h"
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

TEST(Outside, MayLaunchWhatTheyCanName) {
  UnitFacts Unit;
  Unit.Kernels = {kernel(/*Internal=*/false)};
  assumeOutside(Unit, Outside::Files);
  EXPECT_TRUE(Unit.Kernels.front().AddressTaken);
}

TEST(Outside, IsNobodyInAWholeProgram) {
  UnitFacts Unit;
  Unit.Kernels = {kernel(/*Internal=*/false)};
  assumeOutside(Unit, Outside::Nobody);
  EXPECT_FALSE(Unit.Kernels.front().AddressTaken);
}

TEST(Outside, CannotLaunchWhatIsInternal) {
  UnitFacts Unit;
  Unit.Kernels = {kernel(/*Internal=*/true)};
  assumeOutside(Unit, Outside::Files);
  EXPECT_FALSE(Unit.Kernels.front().AddressTaken);
}

TEST(Outside, FindKernelsByNameInAModule) {
  UnitFacts Unit;
  Unit.Kernels = {kernel(/*Internal=*/true)};
  assumeOutside(Unit, Outside::Loaders);
  EXPECT_TRUE(Unit.Kernels.front().AddressTaken);
}

// A template that deduces its pointer takes no null pointer, and who knows what
// others give a function of a header.
TEST(Outside, MayCallFunctionsOfHeadersInAnotherWay) {
  auto Deduced = [](const char *File, Outside Who) {
    UnitFacts Unit;
    Unit.MainFile = "/a.cu";
    Unit.Callees.emplace_back();
    Unit.Callees.back().Where.File = File;
    Unit.Callees.back().Parameters[0].Deduced = "p_pointer";
    assumeOutside(Unit, Who);
    return Unit.Callees.back().Parameters[0].Deduced;
  };
  EXPECT_EQ(Deduced("/a.cuh", Outside::Files), "");
  EXPECT_EQ(Deduced("/a.cuh", Outside::Nobody), "p_pointer");
  EXPECT_EQ(Deduced("/a.cu", Outside::Files), "p_pointer");
}

TEST(Outside, CallFunctionsOfLinkedDeviceCode) {
  UnitFacts Unit = linked(finding("_Z1fv"), true);
  assumeOutside(Unit, Outside::Files);
  ASSERT_EQ(Unit.Findings.front().Obstacles.size(), 1u);
  EXPECT_EQ(Unit.Findings.front().Obstacles.front().Why,
            Reason::BlockSizeUnknown);
}

TEST(Outside, CannotCallInternalFunctions) {
  UnitFacts Unit = linked(finding("_ZL1fv"), true);
  assumeOutside(Unit, Outside::Files);
  EXPECT_TRUE(Unit.Findings.front().Obstacles.empty());
}

TEST(Outside, MayTakeSharedMemoryOfTheirOwn) {
  UnitFacts Unit = linked(finding("_ZL1fv"), false);
  assumeOutside(Unit, Outside::Files);
  EXPECT_EQ(Unit.Findings.front().Obstacles.size(), 1u);
}

TEST(Outside, CannotCallFunctionsThatAreNotLinked) {
  UnitFacts Unit;
  Unit.Findings = {finding("_Z1fv")};
  assumeOutside(Unit, Outside::Files);
  EXPECT_TRUE(Unit.Findings.front().Obstacles.empty());
}
