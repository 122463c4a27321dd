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
  std::string whyNot() const {
    const Verdict V = find(plan(), "b").Verdict;
    EXPECT_EQ(V.Why, Reason::BlockSizeUnknown);
    return V.Detail;
  }
  /// Adds a kernel that calls `inner`, and whose block is known.
  Kernel &addKernel(unsigned CallAt = 170) {
    U.Result.Facts.Kernels.push_back(makeKernel("other", 60));
    Kernel &K = U.Result.Facts.Kernels.back();
    K.Text = KernelText();
    K.Text.Definition = {"/a.cu", 160, 20};
    K.Bounds = LaunchBounds{256, "256"};
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
  EXPECT_TRUE(P.Kernels.front().HasVersion);
  const Storage &S = find(P, "b").Verdict.Storage;
  EXPECT_TRUE(S.InCopy);
  EXPECT_TRUE(S.Dynamic);
  EXPECT_FALSE(S.TestsBlock); // The launch sees to the block.
  EXPECT_EQ(S.Threads, 128u);
  ASSERT_EQ(P.Copies.size(), 2u);
  EXPECT_EQ(P.Copies[0].Where, onLine(20));
  EXPECT_EQ(P.Copies[1].Where, onLine(30));
  EXPECT_EQ(P.Copies[1].Calls.size(), 1u);
  ASSERT_EQ(P.CallsOfCopies.size(), 1u);
  EXPECT_EQ(P.CallsOfCopies[0].Offset, 130u);
}

TEST_F(Copying, IsDeclaredWhereKernelsCallEarlier) {
  textOfKernel().Calls[0].Declarations = {"static int outer_striped();"};
  const Plan P = plan();
  ASSERT_EQ(P.DeclaredCopies.size(), 1u);
  EXPECT_EQ(P.DeclaredCopies.begin()->first, P.Kernels.front().Facts.Where);
  EXPECT_EQ(P.DeclaredCopies.begin()->second,
            textOfKernel().Calls[0].Declarations);
}

// The original runs the functions as they were.
TEST_F(Copying, IsForKernelsThatChoose) {
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
            "a version of it would lack 'b'");
}

TEST_F(Copying, IsNotOfWhatLeadsNowhere) {
  U.Result.Facts.Functions.push_back(function(40, 200));
  textOfKernel().Calls.push_back(call(140, {40}));
  EXPECT_EQ(plan().Copies.size(), 2u);
  EXPECT_EQ(plan().CallsOfCopies.size(), 1u);
}

// It would be the original's as well, which has no storage.
TEST_F(Copying, KeepsArraysOfFunctionsWhoseTextCannotStandTwice) {
  outer().Problem = "its calls share 'n'";
  EXPECT_EQ(whyNot(),
            "versions of kernels would call 'inner', and it has no copy: "
            "'outer', which calls it, has none: its calls share 'n'");
  EXPECT_TRUE(plan().Copies.empty());
  EXPECT_FALSE(plan().Kernels.front().HasVersion);
}

TEST_F(Copying, KeepsNoOtherArrays) {
  outer().Problem = "its calls share 'n'";
  U.array(makeArray("a", 16, 4, 2));
  EXPECT_TRUE(find(plan(), "a").Verdict.usesShared());
  EXPECT_TRUE(plan().Kernels.front().HasVersion);
  EXPECT_FALSE(find(plan(), "b").Verdict.usesShared());
}

// In place, launches would have to bring it for blocks of any size.
TEST_F(Copying, KeepsNoLargeArraysOfKernelsWithUnknownBlocks) {
  Options.Others = Outside::Nobody;
  outer().Problem = "its calls share 'n'";
  Options.SharedLimit = 232448;
  forgetBlock(U.Result.Facts.Launches.front());
  EXPECT_FALSE(plan().Kernels.front().HasVersion);
  EXPECT_TRUE(find(plan(), "b").Verdict.usesShared()) << whyNot();
  U.array(makeArray("a", 64, 4, 2));
  EXPECT_TRUE(plan().Kernels.front().HasVersion);
  EXPECT_TRUE(find(plan(), "a").Verdict.usesShared());
  EXPECT_FALSE(find(plan(), "b").Verdict.usesShared());
}

// The calls of these are of the original.
TEST_F(Copying, NeedsNoCopyOfOtherCallers) {
  FunctionText Operator = function(40, 200, {call(205, {20})});
  Operator.Problem = "it is an operator";
  U.Result.Facts.Functions.push_back(Operator);
  EXPECT_TRUE(isInCopy());
  const Plan P = plan();
  ASSERT_EQ(P.Copies.size(), 2u);
  EXPECT_EQ(P.CallsOfCopies.size(), 1u);
  outer().Calls.push_back(call(0, {20}));
  EXPECT_TRUE(isInCopy());
  EXPECT_EQ(plan().Copies[1].Calls.size(), 1u);
}

// A version of `k` calls the original, so `b` moves for `other` alone, whose
// block is known.
TEST_F(Copying, IsForKernelsWhoseNamesLeadThere) {
  addKernel();
  U.array(makeArray("a", 16, 4, 2));
  textOfKernel().Calls = {call(0, {30})};
  const Plan P = plan();
  EXPECT_TRUE(find(P, "b").Verdict.Storage.InCopy);
  EXPECT_EQ(find(P, "b").Kernels, std::vector<unsigned>{1});
  EXPECT_TRUE(P.Kernels[0].HasVersion);
  EXPECT_TRUE(P.Kernels[1].HasVersion);
}

TEST_F(Copying, NeedsNamesThatCanChange) {
  outer().Calls = {call(0, {20})};
  EXPECT_EQ(whyNot(), "versions of kernels would call 'inner', and it has no "
                      "copy: a call of it has no name");
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

// `outer` calls it, and another unit defines it.
TEST_F(Copying, IsKnownByItsSymbolInOtherUnits) {
  NamedCall C = call(95, {});
  C.Elsewhere = {"_Z5inner"};
  outer().Calls = {C};
  EXPECT_FALSE(isInCopy());
  inner().Symbol = "_Z5inner";
  EXPECT_TRUE(isInCopy());
  EXPECT_EQ(plan().Copies.size(), 2u);
  // Two programs have one each.
  FunctionText Other = function(40, 200);
  Other.Symbol = "_Z5inner";
  U.Result.Facts.Functions.push_back(Other);
  EXPECT_FALSE(isInCopy());
}

TEST_F(Copying, NeedsAPathOfNamesFromTheKernel) {
  textOfKernel().Calls.clear();
  EXPECT_EQ(whyNot(), "versions of kernels would call 'inner', and no version "
                      "of a kernel calls a copy of it");
}

TEST_F(Copying, IsNotForWholePrograms) {
  Options.Others = Outside::Nobody;
  EXPECT_FALSE(isInCopy());
  EXPECT_TRUE(find(plan(), "b").Verdict.usesShared());
  EXPECT_TRUE(plan().Copies.empty());
}

// Others call the function of linked device code, but not its copy.
TEST_F(Copying, ServesFunctionsThatOtherUnitsMayCall) {
  U.Arrays.front().Instances = {
      makeInstance(U.Arrays.front(), "_Z5inner", {"k"})};
  U.Result.Evidence.Functions = {{"k", {"_Z5inner"}, true, {}},
                                 {"_Z5inner", {}, true, {}}};
  EXPECT_TRUE(isInCopy());
  const std::string Begin = "other files may call 'inner', and ";
  outer().Calls.front().Name = {};
  outer().Calls.front().Problem = "its address is taken in 'outer'";
  EXPECT_EQ(whyNot(),
            Begin + "it has no copy: its address is taken in 'outer'");
  outer().Problem = "its calls share 'n'";
  EXPECT_EQ(whyNot(), Begin + "it has no copy: 'outer', which calls it, has "
                              "none: its calls share 'n'");
  outer().Problem = "";
  outer().Calls = {call(95, {20})};
  U.kernel().Text.VersionProblem = "it says static";
  EXPECT_EQ(whyNot(), Begin + "no version of a kernel calls a copy of it");
}

TEST_F(Copying, ServesThemWhereNoOtherArrayNeedsAVersion) {
  U.kernel().Bounds = LaunchBounds{128, "128"};
  U.Result.Evidence.Functions = {{"k", {"_Z5inner"}, true, {}},
                                 {"_Z5inner", {}, true, {}}};
  U.Arrays.front().Instances = {
      makeInstance(U.Arrays.front(), "_Z5inner", {"k"})};
  EXPECT_TRUE(isInCopy());
}

// Else an array at the one end could lie over one at the other, where a launch
// brings memory that its kernel does not use.
TEST_F(Copying, CountsPlacesFromOneEndForAllArrays) {
  addKernel();
  TestArray Own = makeArray("own", 16, 4, 4);
  Own.Text.Statement = {"/a.cu", 120, 5};
  U.array(Own);
  auto AreBehind = [&] {
    const Plan P = plan();
    const Storage &Its = find(P, "own").Verdict.Storage;
    const Storage &OfCopy = find(P, "b").Verdict.Storage;
    EXPECT_TRUE(Its.Dynamic && OfCopy.Dynamic);
    EXPECT_EQ(Its.Behind, OfCopy.Behind);
    return Its.Behind;
  };
  EXPECT_FALSE(AreBehind());
  U.Result.Evidence.Kernels["other"].UsesDynamic = true;
  EXPECT_TRUE(AreBehind());
}

// One text cannot be for both.
TEST_F(Copying, IsForAllKernelsThatCallIt) {
  addKernel();
  const Plan P = plan();
  EXPECT_TRUE(find(P, "b").Verdict.Storage.InCopy);
  EXPECT_EQ(P.CallsOfCopies.size(), 2u);
  for (const KernelPlan &K : P.Kernels) {
    EXPECT_TRUE(K.HasVersion);
    EXPECT_TRUE(K.MovesArrays);
    EXPECT_EQ(K.WarpBytes, 16u * 4 * 32);
  }
  Options.Others = Outside::Nobody; // Now nobody needs a version.
  for (const KernelPlan &K : plan().Kernels)
    EXPECT_FALSE(K.HasVersion);
  EXPECT_FALSE(isInCopy());
  EXPECT_TRUE(find(plan(), "b").Verdict.usesShared());
}

// `other` shares `c` with the kernel that has a version for `b`, and `third`
// shares `d` with `other`.
TEST_F(Copying, IsForKernelsThatShareOtherFunctions) {
  addKernel();
  U.Arrays.front().Kernels = {"k"};
  auto Add = [&](const char *Array, unsigned Line,
                 std::vector<std::string> Kernels) {
    TestArray F = makeArray(Array, 4, 4, Line + 1);
    F.Function.IsKernel = false;
    F.Function.Name = F.Function.Id = Array;
    F.Text.Statement = {"/a.cu", 10 * Line + 15, 5};
    F.Kernels = std::move(Kernels);
    U.array(F);
    U.Result.Facts.Functions.push_back(function(Line, 10 * Line));
  };
  Add("c", 70, {"k", "other"});
  Add("d", 80, {"other", "third"});
  Kernel Third = makeKernel("third", 90);
  Third.Text = KernelText();
  Third.Text.Definition = {"/a.cu", 900, 20};
  Third.Bounds = LaunchBounds{64, "64"};
  U.Result.Facts.Kernels.push_back(Third);
  U.Result.Facts.Functions[0].Calls.push_back(call(140, {70}));
  U.Result.Facts.Functions[3].Calls = {call(170, {70}), call(175, {80})};
  U.Result.Facts.Functions.push_back(
      {onLine(90), {}, {}, {}, "it is a kernel", {call(910, {80})}});
  const Plan P = plan();
  for (const KernelPlan &K : P.Kernels)
    EXPECT_TRUE(K.HasVersion) << K.Facts.Name;
  for (const PlannedArray &A : P.Arrays)
    EXPECT_TRUE(A.Verdict.Storage.InCopy) << A.Array.Name;
}

TEST_F(Copying, LeavesTheOriginalToKernelsWithoutAVersion) {
  addKernel().Text.VersionProblem = "it says static";
  TestArray Own = makeArray("own", 16, 4, 61);
  Own.Kernels = {"other"};
  U.array(Own);
  const Plan P = plan();
  EXPECT_TRUE(find(P, "b").Verdict.Storage.InCopy);
  EXPECT_EQ(P.CallsOfCopies.size(), 1u);
  EXPECT_TRUE(P.Kernels[0].HasVersion);
  EXPECT_FALSE(P.Kernels[1].HasVersion);
  // Its own array moves all the same, and nothing else takes its memory.
  EXPECT_EQ(P.Kernels[1].SharedAfter, 16u * 4 * 256);
  U.Arrays.back().Kernels.clear();
  EXPECT_FALSE(plan().Kernels[1].MovesArrays);
  KernelWork &Work = U.Result.Evidence.Work["other"];
  Work.Arrays[0].Uniform = updated(4);
  U.Result.Evidence.ShortWork["other"] = Work;
  EXPECT_TRUE(plan().Kernels[1].Work->Arrays.empty());
  EXPECT_EQ(plan().Kernels[1].Work->OtherLocal, 4);
}

namespace {

/// `k` uses the array of `inner` much, and `other` hardly.
class Losing : public Copying {
protected:
  Losing() {
    Options.MinSpeedup = 1.05;
    Options.SharedLimit = 227 * 1024;
    U.Arrays.front().Shape.BytesPerThread = 256;
    U.Arrays.front().Shape.Extents = {64};
    addKernel();
    work("k", {{}, updated(300), {}}, 0);
    work("other", {{}, updated(4), {}}, 1000);
  }
  void work(const char *Kernel, ArrayWork Accesses, double Loads) {
    KernelWork W;
    W.Instructions = 1000;
    W.Global = Loads;
    W.Arrays[0] = Accesses;
    for (auto *Work : {&U.Result.Evidence.Work, &U.Result.Evidence.ShortWork})
      (*Work)[Kernel] = W;
  }
};

} // namespace

TEST_F(Losing, KernelsCallTheOriginal) {
  for (Outside Others : {Outside::Files, Outside::Nobody}) {
    Options.Others = Others;
    const Plan P = plan();
    EXPECT_TRUE(find(P, "b").Verdict.Storage.InCopy);
    EXPECT_EQ(P.CallsOfCopies.size(), 1u);
    EXPECT_TRUE(P.Kernels[0].HasVersion);
    EXPECT_TRUE(P.Kernels[0].MovesArrays);
    EXPECT_FALSE(P.Kernels[1].HasVersion);
    EXPECT_FALSE(P.Kernels[1].MovesArrays);
  }
}

TEST_F(Losing, KernelsOfOtherFilesCallTheOriginal) {
  U.Result.Evidence.Work.erase("other");
  EXPECT_TRUE(isInCopy());
  EXPECT_FALSE(plan().Kernels[1].HasVersion);
}

TEST_F(Losing, KernelsMoveWhatIsTheirOwn) {
  TestArray Own = makeArray("own", 16, 4, 61);
  Own.Kernels = {"other"};
  Own.Text.Statement = {"/a.cu", 170, 5};
  U.array(Own);
  for (auto *Work : {&U.Result.Evidence.Work, &U.Result.Evidence.ShortWork})
    (*Work)["other"].Arrays[1].NonUniform = updated(600);
  const Plan P = plan();
  EXPECT_TRUE(find(P, "own").Verdict.usesShared());
  EXPECT_FALSE(P.Kernels[1].HasVersion);
  EXPECT_EQ(P.Kernels[1].SharedAfter, 16u * 4 * 256);
  EXPECT_EQ(P.Kernels[0].WarpBytes, 64u * 4 * 32);
  EXPECT_EQ(P.CallsOfCopies.size(), 1u);
}

TEST_F(Losing, KernelsKeepTheArrayWhereItsFunctionHasNoCopy) {
  outer().Problem = "its calls share 'n'";
  Options.Others = Outside::Nobody;
  U.Result.Facts.Kernels[1].Bounds = LaunchBounds{128, "128"};
  EXPECT_EQ(reasonOf(plan(), "b"), Reason::NotProfitable);
}

TEST_F(Losing, KernelsThatAllLoseKeepTheArray) {
  work("k", {{}, updated(4), {}}, 1000);
  EXPECT_EQ(reasonOf(plan(), "b"), Reason::NotProfitable);
  EXPECT_FALSE(plan().Kernels[0].HasVersion);
}

// They need no storage, and so they can be the original's, too.
TEST_F(Copying, IsNotNeededForBits) {
  TestArray &Flags = U.Arrays.front();
  Flags.Shape.ElementBytes = 1;
  Flags.Shape.BytesPerThread = 16;
  Flags.AsBits = true;
  auto AreBits = [&] {
    return find(plan(), "b").Verdict.Kind == VerdictKind::Bits;
  };
  EXPECT_TRUE(AreBits());
  EXPECT_TRUE(plan().Copies.empty());
  EXPECT_FALSE(plan().Kernels.front().HasVersion);
  outer().Problem = "its calls share 'n'";
  EXPECT_TRUE(AreBits());
}

// The host calls the original.
TEST_F(Copying, LeavesTheOriginalToTheHost) {
  U.Arrays.front().Function.HostDevice = true;
  EXPECT_FALSE(storage().DeviceOnly);
  EXPECT_TRUE(isInCopy());
  Options.Others = Outside::Nobody;
  EXPECT_TRUE(storage().DeviceOnly);
  EXPECT_FALSE(isInCopy());
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
