//===-- RedirectTest.cpp - launches that run a version of a kernel --------===//
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

/// A kernel that other files may launch, with an array that has a version in
/// its body, and a launch that can name another kernel.
class Redirecting : public ::testing::Test {
protected:
  Redirecting() {
    TestArray F = makeArray();
    F.Version.Rest = {"/a.cu", 150, 30};
    U.array(F);
    U.launch(128);
    giveText(U.Result);
    Options.Others = Outside::Files;
  }

  TestArray &array() { return U.Arrays.front(); }
  Launch &launch() { return U.Result.Facts.Launches.front(); }
  static TestArray arrayOfFunction() {
    TestArray F = makeArray("b", 16, 4, 20);
    F.Function.IsKernel = false;
    F.Function.Name = F.Function.Id = "f";
    F.Version.Rest = {"/a.cu", 50, 30};
    return F;
  }
  KernelPlan kernel() const { return U.plan(Options).Kernels.front(); }

  TestUnit U;
  PlanOptions Options;
};

} // namespace

TEST_F(Redirecting, IsForKernelsThatNobodyElseSeemsToLaunch) {
  const Plan P = U.plan(Options);
  EXPECT_TRUE(P.Kernels.front().Redirected);
  EXPECT_FALSE(P.Kernels.front().HasVersion);
  EXPECT_FALSE(find(P, "a").Verdict.Storage.InVersion);
  EXPECT_EQ(P.Kernels.front().Block.ToAdd, 128u);
  ASSERT_EQ(P.Launches.size(), 1u);
  U.kernel().Text.Declarations = {{"/a.cu", 20, 0}}; // For itself.
  EXPECT_TRUE(kernel().Redirected);
}

// A driver finds the original by its name.
TEST_F(Redirecting, IsNotForWhatIsLoadedByADriver) {
  Options.Others = Outside::Loaders;
  EXPECT_FALSE(kernel().Redirected);
  EXPECT_TRUE(kernel().HasVersion);
}

// Their launches get the version, too, if the kernel chooses by itself.
TEST_F(Redirecting, IsNotForKernelsThatAHeaderDeclares) {
  U.kernel().Text.Declarations = {{"/a.h", 20, 0}};
  EXPECT_FALSE(kernel().Redirected);
  EXPECT_TRUE(kernel().HasVersion);
}

TEST_F(Redirecting, IsNotForKernelsThatAnotherFileLaunches) {
  U.Result.Facts.Launches.push_back(launch());
  U.Result.Facts.Launches.back().Text.SeesDefinition = false;
  EXPECT_FALSE(kernel().Redirected);
  EXPECT_TRUE(kernel().HasVersion);
}

TEST_F(Redirecting, IsForKernelsThatWouldHaveSharedVariablesTwice) {
  U.kernel().Text.Declarations = {{"/a.h", 20, 0}};
  array().Version.SharedBytes = 1000;
  EXPECT_TRUE(kernel().Redirected);
}

TEST_F(Redirecting, IsForBlocksOfUnknownSizeIfLaunchesCanAskForThem) {
  launch().Threads.reset();
  EXPECT_FALSE(kernel().Redirected); // Of 1,024 threads, for instance.
  Options.SharedLimit = 200 * 1024;
  EXPECT_TRUE(kernel().Redirected);
  EXPECT_NE(kernel().WarpBytes, 0u);
  launch().Text.Problem = "its block size would be computed twice";
  EXPECT_FALSE(kernel().Redirected);
  EXPECT_TRUE(kernel().HasVersion);
}

TEST_F(Redirecting, IsForMoreThanStaticMemory) {
  array().Shape.Extents = {128};
  array().Shape.BytesPerThread = 512;
  EXPECT_FALSE(kernel().Redirected); // A launch may ask for no more.
  Options.SharedLimit = 200 * 1024;
  EXPECT_TRUE(kernel().Redirected);
  EXPECT_TRUE(kernel().OptIn);
}

TEST_F(Redirecting, IsForBodiesThatCannotStandTwice) {
  array().Version.Problem = "it has the label 'again'";
  EXPECT_TRUE(kernel().Redirected);
  U.kernel().Text.VersionProblem = "its variable 'calls' is static";
  EXPECT_FALSE(kernel().Redirected);
}

TEST_F(Redirecting, LeavesTheOriginalToThoseWhoTakeItsAddress) {
  Options.Others = Outside::Nobody;
  EXPECT_FALSE(kernel().Redirected); // It is changed where it stands.
  U.kernel().AddressTaken = true;
  U.kernel().AddressTakenAt = onLine(50);
  EXPECT_FALSE(kernel().Redirected);
  EXPECT_TRUE(kernel().HasVersion); // That may be how it is launched.
  array().Version.SharedBytes = 1000;
  EXPECT_TRUE(kernel().Redirected);
}

// Storage that launches ask for is aligned to 16 bytes, and others may launch
// the kernel after all.
TEST_F(Redirecting, IsNotWhereLaunchesCannotAskForTheStorage) {
  launch().Threads.reset();
  Options.SharedLimit = 200 * 1024;
  array().Instances = {makeInstance(array(), "k", {"k"})};
  array().Instances.front().SlotAlignment = 32;
  EXPECT_FALSE(kernel().Redirected);
  EXPECT_TRUE(kernel().HasVersion);
  U.shared().UsesDynamic = true;
  EXPECT_FALSE(kernel().HasVersion);
}

// What is set must hold for the one that is launched.
TEST_F(Redirecting, IsNotForKernelsWithAttributes) {
  array().Version.SharedBytes = 1000;
  U.kernel().AttributeSetAt = onLine(50);
  EXPECT_FALSE(kernel().Redirected);
}

// Another file may have allowed the original more than launches get unasked.
TEST_F(Redirecting, IsNotForLaunchesThatMayAskForMuch) {
  array().Version.SharedBytes = 1000;
  launch().DynamicSharedBytes = 40 * 1024;
  EXPECT_TRUE(kernel().Redirected);
  launch().DynamicSharedBytes = 50 * 1024;
  EXPECT_FALSE(kernel().Redirected);
}

// Storage lies behind what they ask for, and is allowed with it.
TEST_F(Redirecting, IsForMemoryThatOnlyTheRunKnowsIfNobodyElseCanAllowMore) {
  U.shared().UsesDynamic = true;
  launch().DynamicSharedBytes.reset();
  launch().Threads.reset();
  Options.SharedLimit = 200 * 1024;
  const KernelPlan K = kernel();
  EXPECT_TRUE(K.Redirected);
  EXPECT_NE(K.WarpBytes, 0u);
  EXPECT_TRUE(K.OptIn);
  U.kernel().Text.Declarations = {{"/a.h", 20, 0}};
  EXPECT_FALSE(kernel().Redirected);
  U.kernel().Text.Declarations.clear();
  Options.Others = Outside::Loaders;
  EXPECT_FALSE(kernel().Redirected);
}

TEST_F(Redirecting, IsForBoundedKernelsWithMemoryThatOnlyTheRunKnows) {
  U.shared().UsesDynamic = true;
  U.kernel().Bounds = LaunchBounds{128, "128"};
  launch().DynamicSharedBytes.reset();
  Options.SharedLimit = 200 * 1024;
  EXPECT_TRUE(kernel().Redirected);
}

TEST_F(Redirecting, IsNotForLaunchesBeforeTheVersion) {
  array().Version.SharedBytes = 1000;
  launch().Text.Name.Offset = 50;
  EXPECT_FALSE(kernel().Redirected);
}

TEST_F(Redirecting, IsNotForLaunchesInMacros) {
  array().Version.SharedBytes = 1000;
  launch().Text.Name = TextRange();
  EXPECT_FALSE(kernel().Redirected);
}

// They are the original's as well, whose blocks may be larger.
TEST_F(Redirecting, IsNotWhereFunctionsHaveNoCopies) {
  U.array(arrayOfFunction());
  const Plan P = U.plan(Options);
  EXPECT_FALSE(P.Kernels.front().Redirected);
  EXPECT_TRUE(find(P, "a").Verdict.Storage.InVersion);
  EXPECT_TRUE(find(P, "b").Verdict.Storage.InVersion);
}

// `run<&first>`, `run<&second>`: one text that launches both.
TEST_F(Redirecting, IsNotForTextThatLaunchesOthersToo) {
  array().Version.SharedBytes = 1000;
  U.Result.Facts.Kernels.push_back(makeKernel("other", 30));
  U.Result.Facts.Launches.push_back(launch());
  U.Result.Facts.Launches.back().KernelId = "other";
  EXPECT_FALSE(kernel().Redirected);
}
