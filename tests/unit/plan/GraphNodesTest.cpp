//===-- GraphNodesTest.cpp - graphs that get other blocks -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

// A kernel that is launched with blocks of 64 alone, beside a unit that gives
// kernels in graphs other blocks.
static Plan planBesideNodes(bool Change) {
  TestUnit U, Other("/b.cu", /*WithKernel=*/false);
  U.launch(64);
  U.array(makeArray("a", 8));
  giveText(U.Result);
  if (Change)
    Other.Result.Facts.NodesChangedAt = onLine(7, "/b.cu");
  return makePlan({U.result(), Other.result()}, {});
}

// Neither of the kernel, which keeps its text, nor of storage beside it: the
// node would not bring it to other blocks.
TEST(GraphNodes, LeaveNoLaunchToTellTheBlock) {
  EXPECT_EQ(planBesideNodes(false).Kernels.at(0).Block.Threads, 64u);
  EXPECT_FALSE(planBesideNodes(false).Kernels.at(0).HasVersion);
  const Plan P = planBesideNodes(true);
  EXPECT_TRUE(P.Kernels.at(0).HasVersion);
  EXPECT_EQ(P.Kernels.at(0).Block.Threads, UsualBlock);
}

TEST(GraphNodes, LeaveNoLaunchToTellWhatTheKernelHasOfDynamicMemory) {
  auto Reason = [](bool Own, bool Linked) {
    TestUnit U, Other("/b.cu", /*WithKernel=*/false);
    U.launch(64);
    U.kernel().Bounds = LaunchBounds{64, ""};
    U.array();
    U.shared().UsesDynamic = Own;
    U.Result.Evidence.Functions = {{"k", {"f"}, true, {}}};
    SharedMemory OfCallee;
    OfCallee.UsesDynamic = Linked;
    Other.Result.Evidence.Functions = {{"f", {}, true, OfCallee}};
    Other.Result.Facts.NodesChangedAt = onLine(7, "/b.cu");
    return reasonOf(makePlan({U.result(), Other.result()}, {}));
  };
  EXPECT_EQ(Reason(false, false), Reason::DynamicIndex);
  EXPECT_EQ(Reason(true, false), Reason::DynamicSharedMemory);
  EXPECT_EQ(Reason(false, true), Reason::DynamicSharedMemory);
}

TEST(GraphNodes, AreNoLaunchesByKernels) {
  TestUnit U;
  U.launch(64).OnDevice = true;
  U.Result.Facts.NodesChangedAt = onLine(7);
  EXPECT_EQ(U.plan().Kernels.at(0).Block.Threads, 64u);
}
