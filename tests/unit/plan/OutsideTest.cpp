//===-- OutsideTest.cpp - what a run cannot know of other units -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Outside.h"
#include "Units.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

static Kernel kernel(bool Internal) {
  Kernel K;
  K.Id = K.Name = "k";
  K.Text.Internal = Internal;
  return K;
}

static bool mayLaunch(bool IsInternal, Outside Who) {
  PlanOptions Options;
  Options.Others = Who;
  return !whyUnseen(kernel(IsInternal), Options).empty();
}

TEST(Outside, MayLaunchWhatTheyCanName) {
  EXPECT_TRUE(mayLaunch(/*IsInternal=*/false, Outside::Files));
}

TEST(Outside, IsNobodyInAWholeProgram) {
  EXPECT_FALSE(mayLaunch(/*IsInternal=*/false, Outside::Nobody));
}

TEST(Outside, CannotLaunchWhatIsInternal) {
  EXPECT_FALSE(mayLaunch(/*IsInternal=*/true, Outside::Files));
}

TEST(Outside, FindKernelsByNameInAModule) {
  EXPECT_TRUE(mayLaunch(/*IsInternal=*/true, Outside::Loaders));
}

// A template that deduces its pointer takes no null pointer, and who knows what
// others give a function of a header.
// --- Text --------------------------------------------------------------------

static PlanOptions withMention(const std::string &Name) {
  PlanOptions Options;
  Options.Mentions.ByName[Name].Other = "a script names it";
  return Options;
}

TEST(Mentions, AreOfAllKernelsWithThatLastName) {
  Kernel K = kernel(/*Internal=*/true);
  K.Name = "space::k<other::T>";
  EXPECT_EQ(whyUnseen(K, withMention("k")), "a script names it");
  EXPECT_EQ(whyUnseen(K, withMention("T")), "");
  EXPECT_EQ(whyUnseen(K, withMention("space")), "");
}

TEST(Mentions, MayBeOfAllKernels) {
  PlanOptions Options;
  Options.Mentions.OfAll = "a graph may launch it";
  EXPECT_EQ(whyUnseen(kernel(true), Options), "a graph may launch it");
}

// A launch that conditions leave out is one with any block.
TEST(Mentions, MayBeLaunchesThatNoUnitHas) {
  TestUnit U;
  U.launch(64);
  U.array(makeArray("a", 4));
  giveText(U.Result);
  U.Mentions.ByName["k"].Launches = {onLine(100)};
  EXPECT_EQ(U.plan().Kernels.front().Block.Threads, 64u);
  U.Mentions.ByName["k"].Launches.insert(onLine(200));
  const KernelPlan K = U.plan().Kernels.front();
  EXPECT_EQ(K.Block.Threads, 0u);
  EXPECT_GT(K.WarpBytes, 0u);
  EXPECT_FALSE(K.HasVersion);
}

TEST(Outside, MayCallFunctionsOfHeadersInAnotherWay) {
  auto Deduced = [](const char *File, Outside Who) {
    UnitResult Unit;
    Unit.Facts.MainFile = "/a.cu";
    Callee &C = Unit.Facts.Callees.emplace_back();
    C.Where.File = File;
    C.Parameters[0].Deduced = "p_pointer";
    PlanOptions Options;
    Options.Others = Who;
    return makePlan({Unit}, Options)
        .Callees.begin()
        ->second.Parameters[0]
        .Deduced;
  };
  EXPECT_EQ(Deduced("/a.cuh", Outside::Files), "");
  EXPECT_EQ(Deduced("/a.cuh", Outside::Nobody), "p_pointer");
  EXPECT_EQ(Deduced("/a.cu", Outside::Files), "p_pointer");
}

static Finding arrayOf(const char *Function) {
  Finding F;
  F.Function.Name = Function;
  F.Instances.emplace_back();
  F.Instances.back().FunctionId = Function;
  return F;
}

TEST(Outside, CallFunctionsOfLinkedDeviceCode) {
  const auto Why = whyOthersCall(arrayOf("_Z1fv"), {});
  ASSERT_TRUE(Why);
  EXPECT_EQ(Why->Why, Reason::BlockSizeUnknown);
}

TEST(Outside, CannotCallInternalFunctions) {
  EXPECT_FALSE(whyOthersCall(arrayOf("_ZL1fv"), {}));
}

// By a function that they can name, or a pointer; kernels are launched.
TEST(Outside, MayReachInternalFunctions) {
  UnitResult Unit;
  Unit.Facts.Kernels.emplace_back().Id = "_Z1kv";
  const char *Entry = "";
  auto MayReach = [&] {
    Unit.Evidence.Functions = {
        {Entry, {"_ZL1gv"}, /*Defined=*/true, SharedMemory()},
        {"_ZL1gv", {"_ZL1fv"}, /*Defined=*/true, SharedMemory()},
        {"_ZL1fv", {}, /*Defined=*/true, SharedMemory()}};
    return whyOthersCall(arrayOf("_ZL1fv"),
                         calledByOthers(Unit, LinkedCalls(Unit)))
        .has_value();
  };
  for (const char *Name : {"_Z5entryv", CalledByPointer.data()})
    EXPECT_TRUE((Entry = Name, MayReach())) << Name;
  for (const char *Name : {"_Z1kv", "_ZL5entryv"})
    EXPECT_FALSE((Entry = Name, MayReach())) << Name;
}

// Without relocatable device code, no function is listed.
TEST(Outside, CannotCallFunctionsThatAreNotLinked) {
  UnitResult Unit;
  Finding &F = Unit.Facts.Findings.emplace_back();
  F.Where = {"/a.cu", 1, 1};
  F.Instances.emplace_back();
  F.Instances.back().FunctionId = "_Z1fv";
  PlanOptions Options;
  Options.Others = Outside::Files;
  EXPECT_TRUE(makePlan({Unit}, Options).Arrays.front().Array.Obstacles.empty());
}
