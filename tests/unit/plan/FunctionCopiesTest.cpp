//===-- FunctionCopiesTest.cpp - copies of functions that versions call ---===//
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

/// Kernel `k`, which other files may launch, calls `outer` in line 30, and that
/// calls `inner` in line 20, which holds the array `b`.
class Copying : public ::testing::Test {
protected:
  Copying() {
    TestArray F = makeArray("b", 16, 4, 21);
    F.Function.IsKernel = false;
    F.Function.Name = F.Function.Id = "inner";
    F.Version.Rest = {"/a.cu", 50, 30};
    F.Text.Statement = {"/a.cu", 55, 5};
    U.array(F);
    U.launch(128);
    giveText(U.Result);
    Options.Others = Outside::Files;
    U.Result.Facts.Functions = {
        {onLine(1), {}, {}, {}, "it is a kernel", {call(130, {30})}},
        function(20, 40),
        function(30, 90, {call(95, {20})}),
    };
  }

  static NamedCall call(unsigned Offset, std::vector<unsigned> Lines) {
    NamedCall C;
    if (Offset)
      C.Name = {"/a.cu", Offset, 5};
    for (unsigned Line : Lines)
      C.Callees.push_back(onLine(Line));
    return C;
  }
  static FunctionText function(unsigned Line, unsigned Offset,
                               std::vector<NamedCall> Calls = {}) {
    return {onLine(Line),
            {"/a.cu", Offset + 5, 5},
            {"/a.cu", Offset, 45},
            {"/a.cu", Offset, 0},
            "",
            std::move(Calls),
            Line == 30 ? "outer" : "inner"};
  }
  FunctionText &inner() { return U.Result.Facts.Functions[1]; }
  FunctionText &outer() { return U.Result.Facts.Functions[2]; }
  FunctionText &textOfKernel() { return U.Result.Facts.Functions[0]; }
  Plan plan() const { return U.plan(Options); }
  /// Whether `b` moves in a copy of its function, and how if not.
  bool isInCopy() const { return storage().InCopy; }
  Storage storage() const { return find(plan(), "b").Verdict.Storage; }
  /// Adds a kernel that calls `inner`.
  Kernel &addKernel(unsigned CallAt = 170) {
    U.Result.Facts.Kernels.push_back(makeKernel("other", 60));
    Kernel &K = U.Result.Facts.Kernels.back();
    K.Text.Definition = {"/a.cu", 160, 20};
    U.Arrays.front().Kernels = {"k", "other"};
    U.Result.Facts.Functions.push_back(
        {onLine(60), {}, {}, {}, "it is a kernel", {call(CallAt, {20})}});
    return K;
  }

  TestUnit U;
  PlanOptions Options;
};

} // namespace

TEST_F(Copying, IsOfAllFunctionsOnTheWay) {
  const Plan P = plan();
  EXPECT_TRUE(P.Kernels.front().Redirected);
  const Storage &S = find(P, "b").Verdict.Storage;
  EXPECT_TRUE(S.InCopy);
  EXPECT_FALSE(S.InVersion);
  EXPECT_FALSE(S.TestsBlock); // The block is the kernel's.
  EXPECT_EQ(S.Threads, 128u);
  ASSERT_EQ(P.Copies.size(), 2u);
  EXPECT_EQ(P.Copies[0].Where, onLine(20));
  EXPECT_EQ(P.Copies[1].Where, onLine(30));
  EXPECT_EQ(P.Copies[1].Calls.size(), 1u);
  ASSERT_EQ(P.CallsOfCopies.size(), 1u);
  EXPECT_EQ(P.CallsOfCopies[0].Offset, 130u);
}

// The original runs the functions as they were.
TEST_F(Copying, IsForKernelsThatChoose) {
  LaunchText &Launched = U.Result.Facts.Launches.front().Text;
  Launched.Choice = {Launched.Name, "blocks", "0"};
  Options.Choose = true;
  for (Outside Others : {Outside::Files, Outside::Nobody}) {
    Options.Others = Others;
    EXPECT_TRUE(plan().Kernels.front().Chooses);
    EXPECT_TRUE(isInCopy());
    EXPECT_EQ(plan().Copies.size(), 2u);
  }
  outer().Problem = "its calls share 'n'";
  EXPECT_FALSE(plan().Kernels.front().Chooses);
  EXPECT_EQ(plan().Kernels.front().WhyNoChoice,
            "'b' is in inner, which has no copy for a version: 'outer', which "
            "calls it, has none: its calls share 'n'");
  outer().Problem = "";
  addKernel(); // Nothing in sight launches it.
  EXPECT_FALSE(plan().Kernels.front().Chooses);
  EXPECT_EQ(plan().Kernels.front().WhyNoChoice,
            "a kernel that calls the same function does not");
}

TEST_F(Copying, IsNotOfWhatLeadsNowhere) {
  U.Result.Facts.Functions.push_back(function(40, 200));
  textOfKernel().Calls.push_back(call(140, {40}));
  EXPECT_EQ(plan().Copies.size(), 2u);
  EXPECT_EQ(plan().CallsOfCopies.size(), 1u);
}

TEST_F(Copying, LetsFunctionsChooseWhoseTextCannotStandTwice) {
  outer().Problem = "its calls share 'n'";
  EXPECT_FALSE(isInCopy());
  EXPECT_TRUE(storage().InVersion);
  EXPECT_TRUE(plan().Copies.empty());
}

TEST_F(Copying, NeedsNamesThatCanChange) {
  outer().Calls = {call(0, {20})};
  EXPECT_FALSE(isInCopy());
  EXPECT_TRUE(storage().InVersion);
}

// In another instance the name means a function that has no copy.
TEST_F(Copying, NeedsNamesThatMeanCopiesInAllInstances) {
  outer().Calls = {call(95, {20, 99})};
  EXPECT_FALSE(isInCopy());
}

TEST_F(Copying, IsOfAllThatOneNameMeans) {
  U.Result.Facts.Functions.push_back(function(25, 200));
  outer().Calls = {call(95, {20, 25})};
  EXPECT_TRUE(isInCopy());
  EXPECT_EQ(plan().Copies.size(), 3u);
}

TEST_F(Copying, NeedsAPathOfNamesFromTheKernel) {
  textOfKernel().Calls.clear();
  EXPECT_FALSE(isInCopy());
  EXPECT_TRUE(storage().InVersion);
}

TEST_F(Copying, IsNotForWholePrograms) {
  Options.Others = Outside::Nobody;
  EXPECT_FALSE(isInCopy());
  EXPECT_FALSE(storage().InVersion);
  EXPECT_TRUE(plan().Copies.empty());
}

// Others call the function of linked device code, but not its copy.
TEST_F(Copying, ServesFunctionsThatOtherUnitsMayCall) {
  U.Arrays.front().Instances = {
      makeInstance(U.Arrays.front(), "_Z5inner", {"k"})};
  U.Result.Evidence.Functions = {{"k", {"_Z5inner"}, true, {}},
                                 {"_Z5inner", {}, true, {}}};
  EXPECT_TRUE(isInCopy());
  auto WhyNot = [&] {
    const Verdict V = find(plan(), "b").Verdict;
    EXPECT_EQ(V.Why, Reason::BlockSizeUnknown);
    return V.Detail;
  };
  const std::string Begin = "other files may call 'inner', and ";
  outer().Calls.front().Name = {};
  outer().Calls.front().Problem = "its address is taken in 'outer'";
  EXPECT_EQ(WhyNot(),
            Begin + "it has no copy: its address is taken in 'outer'");
  outer().Problem = "its calls share 'n'";
  EXPECT_EQ(WhyNot(), Begin + "it has no copy: 'outer', which calls it, has "
                              "none: its calls share 'n'");
  outer().Problem = "";
  outer().Calls = {call(95, {20})};
  U.Result.Facts.Launches.clear();
  EXPECT_EQ(WhyNot(), Begin + "no version of a kernel calls a copy of it");
}

TEST_F(Copying, IsCalledByKernelsThatChangeWhereTheyStand) {
  Kernel &K = addKernel();
  K.Bounds = LaunchBounds{256, "256"};
  EXPECT_TRUE(isInCopy());
  EXPECT_EQ(storage().Threads, 256u);
  EXPECT_EQ(plan().CallsOfCopies.size(), 2u);
}

TEST_F(Copying, IsNotCalledByKernelsThatKeepTheirArrays) {
  Kernel &K = addKernel();
  K.Bounds = LaunchBounds{256, "256"};
  U.Result.Evidence.Waits.Waiting = {"other"};
  const Plan P = plan();
  EXPECT_TRUE(find(P, "b").Verdict.Storage.InCopy);
  EXPECT_EQ(find(P, "b").Verdict.Storage.Threads, 128u);
  EXPECT_EQ(P.CallsOfCopies.size(), 1u);
  EXPECT_FALSE(P.Kernels[1].MovesArrays);
}

// It has to choose by itself, and cannot call both.
TEST_F(Copying, IsNotWhereAKernelChoosesByItself) {
  addKernel().AddressTaken = true;
  EXPECT_FALSE(isInCopy());
  EXPECT_TRUE(storage().InVersion);
}

// The overload for stripes has no copy.
TEST_F(Copying, IsNotOfFunctionsThatMayGetOverloads) {
  Callee C;
  C.Where = onLine(20);
  C.Parameters[0].Deduced = "p_pointer";
  U.Result.Facts.Callees = {C};
  EXPECT_TRUE(isInCopy());
  U.Result.Facts.Callees.front().Parameters[0].Deduced = "";
  EXPECT_FALSE(isInCopy());
}

TEST_F(Copying, MayHaveStorageThatLaunchesAskFor) {
  U.Result.Facts.Launches.front().Threads.reset();
  Options.SharedLimit = 200 * 1024;
  EXPECT_TRUE(isInCopy());
  EXPECT_TRUE(storage().Dynamic);
}
