//===-- OccupancyTest.cpp - resident warps against the rules, by hand -----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compute capability 9.0 has 64 warps, 32 blocks, 65,536 registers and 228 KB
// of shared memory per multiprocessor; registers are allocated in units of 256
// per warp, and each block takes 1 KB of shared memory for the system (CUDA
// C++ programming guide, technical specifications per compute capability).
//
//===----------------------------------------------------------------------===//

#include "plan/Plan.h"
#include "gtest/gtest.h"

using namespace bankstripe;

namespace {

class Occupancy : public ::testing::Test {
protected:
  void SetUp() override {
#ifndef BANKSTRIPE_HAS_OCCUPANCY_HEADER
    GTEST_SKIP() << "built without cuda_occupancy.h";
#endif
  }
};

TEST_F(Occupancy, NothingLimitsASmallKernel) {
  // 16 blocks of 4 warps, 16 * 4 * 32 * 32 registers: all of them.
  EXPECT_EQ(residentWarps("sm_90", 128, 32, 0), 64u);
}

TEST_F(Occupancy, LimitersHaveNames) {
  EXPECT_EQ(warpLimiter("sm_90", 128, 0, 0), "threads");
  EXPECT_EQ(warpLimiter("sm_90", 128, 64, 0), "registers");
  EXPECT_EQ(warpLimiter("sm_90", 128, 32, 100 * 1024), "shared memory");
  EXPECT_EQ(warpLimiter("sm_90", 32, 16, 0), "blocks");
  EXPECT_EQ(warpLimiter("sm_90", 64, 16, 0), "threads, blocks");
  EXPECT_EQ(warpLimiter("sm_20", 128, 0, 0), "");
}

TEST_F(Occupancy, RegistersLimit) {
  // 65,536 / (4 warps * 32 lanes * 64) = 8 blocks.
  EXPECT_EQ(residentWarps("sm_90", 128, 64, 0), 32u);
  // 33 registers are allocated as 40: 65,536 / (128 * 40) = 12 blocks.
  EXPECT_EQ(residentWarps("sm_90", 128, 33, 0), 48u);
}

TEST_F(Occupancy, UnknownRegistersDoNotLimit) {
  EXPECT_EQ(residentWarps("sm_90", 128, 0, 0), 64u);
}

TEST_F(Occupancy, SharedMemoryLimits) {
  // 228 KB / (16 KB + 1 KB) = 13 blocks.
  EXPECT_EQ(residentWarps("sm_90", 128, 32, 16 * 1024), 52u);
  // 228 KB / (48 KB + 1 KB) = 4 blocks.
  EXPECT_EQ(residentWarps("sm_90", 128, 32, 48 * 1024), 16u);
  EXPECT_EQ(residentWarps("sm_90", 256, 32, 48 * 1024), 32u);
}

TEST_F(Occupancy, BlocksLimit) {
  EXPECT_EQ(residentWarps("sm_90", 32, 32, 0), 32u);
}

TEST_F(Occupancy, PartOfAWarpCountsAsOne) {
  EXPECT_EQ(residentWarps("sm_90", 100, 32, 0), 64u);
}

TEST_F(Occupancy, OtherArchitectures) {
  // 64 warps; 164 KB / 17 KB = 9 blocks.
  EXPECT_EQ(residentWarps("sm_80", 128, 32, 0), 64u);
  EXPECT_EQ(residentWarps("sm_80", 128, 32, 16 * 1024), 36u);
  // 48 warps; 100 KB / 17 KB = 5 blocks.
  EXPECT_EQ(residentWarps("sm_86", 128, 32, 0), 48u);
  EXPECT_EQ(residentWarps("sm_86", 128, 32, 16 * 1024), 20u);
  EXPECT_EQ(residentWarps("sm_120", 128, 32, 16 * 1024), 20u);
  // 32 warps; 64 KB / 16 KB = 4 blocks, nothing taken for the system.
  EXPECT_EQ(residentWarps("sm_75", 128, 32, 16 * 1024), 16u);
}

TEST_F(Occupancy, ArchitectureSpecificTargetsAreTheirArchitecture) {
  EXPECT_EQ(residentWarps("sm_90a", 128, 64, 0), 32u);
  EXPECT_EQ(residentWarps("sm_120f", 128, 32, 0), 48u);
}

TEST(OccupancyUnknown, IsZero) {
  EXPECT_EQ(residentWarps("sm_31", 128, 32, 0), 0u);
  EXPECT_EQ(residentWarps("gfx90a", 128, 32, 0), 0u);
  EXPECT_EQ(residentWarps("", 128, 32, 0), 0u);
  EXPECT_EQ(residentWarps("sm_90", 0, 32, 0), 0u);
}

} // namespace
