//===-- ArchInfoTest.cpp - architectures against the guide, by hand -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compute capability 9.0 has 64 warps, 32 blocks, 65,536 registers and 228 KB
// of shared memory per SM; registers are allocated in units of 256
// per warp, and each block takes 1 KB of shared memory for the system (CUDA
// C++ programming guide, technical specifications per compute capability).
//
//===----------------------------------------------------------------------===//

#include "arch/ArchInfo.h"
#include "gtest/gtest.h"
#ifdef BANKSTRIPE_HAS_OCCUPANCY_HEADER
#include <cuda_occupancy.h>
#endif

using namespace bankstripe;

namespace {

TEST(Occupancy, NothingLimitsASmallKernel) {
  // 16 blocks of 4 warps, 16 * 4 * 32 * 32 registers: all of them.
  EXPECT_EQ(residentWarps("sm_90", 128, 32, 0), 64u);
}

TEST(Occupancy, RegistersLimit) {
  // 65,536 / (4 warps * 32 lanes * 64) = 8 blocks.
  EXPECT_EQ(residentWarps("sm_90", 128, 64, 0), 32u);
  // 33 registers are allocated as 40: 65,536 / (128 * 40) = 12 blocks.
  EXPECT_EQ(residentWarps("sm_90", 128, 33, 0), 48u);
}

TEST(Occupancy, UnknownRegistersDoNotLimit) {
  EXPECT_EQ(residentWarps("sm_90", 128, 0, 0), 64u);
}

TEST(Occupancy, SharedMemoryLimits) {
  // 228 KB / (16 KB + 1 KB) = 13 blocks.
  EXPECT_EQ(residentWarps("sm_90", 128, 32, 16 * 1024), 52u);
  // 228 KB / (48 KB + 1 KB) = 4 blocks.
  EXPECT_EQ(residentWarps("sm_90", 128, 32, 48 * 1024), 16u);
  EXPECT_EQ(residentWarps("sm_90", 256, 32, 48 * 1024), 32u);
}

TEST(Occupancy, BlocksLimit) {
  EXPECT_EQ(residentWarps("sm_90", 32, 32, 0), 32u);
}

TEST(Occupancy, PartOfAWarpCountsAsOne) {
  EXPECT_EQ(residentWarps("sm_90", 100, 32, 0), 64u);
}

TEST(Occupancy, OtherArchitectures) {
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

TEST(Occupancy, ArchitectureSpecificTargetsAreTheirArchitecture) {
  EXPECT_EQ(residentWarps("sm_90a", 128, 64, 0), 32u);
  EXPECT_EQ(residentWarps("sm_120f", 128, 32, 0), 48u);
}

TEST(Occupancy, OfTheUnknownIsZero) {
  EXPECT_EQ(residentWarps("sm_31", 128, 32, 0), 0u);
  EXPECT_EQ(residentWarps("gfx90a", 128, 32, 0), 0u);
  EXPECT_EQ(residentWarps("", 128, 32, 0), 0u);
  EXPECT_EQ(residentWarps("sm_90", 0, 32, 0), 0u);
}

TEST(ArchInfo, IsFoundByTheNamesOfTargets) {
  ASSERT_TRUE(archInfo("sm_90"));
  EXPECT_EQ(archInfo("sm_90a"), archInfo("sm_90"));
  EXPECT_EQ(archInfo("sm_103f"), archInfo("sm_103"));
  EXPECT_EQ(archInfo("sm_121a"), archInfo("sm_121"));
  for (const char *Unknown : {"sm_20", "gfx90a", "sm_", "", "sm_9x0"})
    EXPECT_FALSE(archInfo(Unknown)) << Unknown;
}

// What `nvcc --list-gpu-arch` of CUDA 13.0 prints.
TEST(ArchInfo, KnowsWhatNvccMakesCodeFor) {
  for (int Number : {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121})
    EXPECT_TRUE(archInfo("sm_" + std::to_string(Number))) << Number;
}

// Since compute capability 8.0, a KB of each block's is not its own.
TEST(ArchInfo, KnowsWhatABlockCanHave) {
  EXPECT_EQ(archInfo("sm_90")->sharedPerBlock(), 227u * 1024);
  EXPECT_EQ(archInfo("sm_86")->sharedPerBlock(), 99u * 1024);
  EXPECT_EQ(archInfo("sm_75")->sharedPerBlock(), 64u * 1024);
}

TEST(ArchInfo, SharedMemoryTakesTheL1InSteps) {
  const ArchInfo &H200 = *archInfo("sm_90");
  EXPECT_EQ(H200.l1Bytes(0, 16), 256 * 1024);
  // With what is reserved, 16 blocks of 3 KB just take 64 KB.
  EXPECT_EQ(H200.l1Bytes(48 * 1024, 16), 192 * 1024);
  EXPECT_EQ(H200.l1Bytes(48 * 1024 + 1, 16), 156 * 1024);
  EXPECT_EQ(H200.l1Bytes(400 * 1024, 16), 28 * 1024);
  // An A100 has less of it, and Turing never leaves all of it.
  EXPECT_EQ(archInfo("sm_80")->l1Bytes(0, 16), 192 * 1024);
  EXPECT_EQ(archInfo("sm_80")->l1Bytes(150 * 1024, 2), 28 * 1024);
  EXPECT_EQ(archInfo("sm_75")->l1Bytes(0, 16), 64 * 1024);
}

#ifdef BANKSTRIPE_HAS_OCCUPANCY_HEADER

// Every size up to the largest, in steps of a KB.
TEST(ArchInfo, CarveoutsAreThoseOfTheToolkit) {
  for (const ArchInfo &A : allArchs()) {
    cudaOccDeviceProp Device;
    Device.computeMajor = A.Major;
    Device.computeMinor = A.Minor;
    for (size_t Bytes = 0; Bytes <= A.sharedPerSM(); Bytes += 1024) {
      size_t Taken = Bytes;
      ASSERT_EQ(cudaOccAlignUpShmemSizeVoltaPlus(&Taken, &Device),
                CUDA_OCC_SUCCESS);
      EXPECT_EQ(A.l1Bytes(Bytes, 0), A.UnifiedKilobytes * 1024.0 - Taken)
          << A.Name << ' ' << Bytes;
    }
  }
}

// Registers and partitions are the same in all of them.
TEST(ArchInfo, RegistersAreThoseOfTheToolkit) {
  for (const ArchInfo &A : allArchs()) {
    cudaOccDeviceProp Device;
    Device.computeMajor = A.Major;
    int PerWarp = 0, Partitions = 0;
    ASSERT_EQ(cudaOccRegAllocationGranularity(&PerWarp, &Device),
              CUDA_OCC_SUCCESS);
    EXPECT_EQ(unsigned(PerWarp), RegisterUnit * WarpThreads);
    ASSERT_EQ(cudaOccSubPartitionsPerMultiprocessor(&Partitions, &Device),
              CUDA_OCC_SUCCESS);
    EXPECT_EQ(unsigned(Partitions), PartitionsPerSM);
  }
}

// Blocks, registers and shared memory together, on both sides of each step.
TEST(Occupancy, IsThatOfTheToolkit) {
  for (const ArchInfo &A : allArchs()) {
    cudaOccDeviceProp Device;
    Device.computeMajor = A.Major;
    Device.computeMinor = A.Minor;
    Device.maxThreadsPerBlock = LargestBlock;
    Device.maxThreadsPerMultiprocessor = A.ThreadsPerSM;
    Device.regsPerBlock = Device.regsPerMultiprocessor = RegistersPerSM;
    Device.warpSize = WarpThreads;
    Device.sharedMemPerBlock = StaticSharedLimit;
    Device.sharedMemPerMultiprocessor = A.sharedPerSM();
    Device.sharedMemPerBlockOptin = A.sharedPerBlock();
    Device.reservedSharedMemPerBlock = A.reservedPerBlock();
    Device.numSms = 1;
    cudaOccFuncAttributes Kernel;
    Kernel.maxThreadsPerBlock = LargestBlock;
    Kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    Kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    Kernel.maxDynamicSharedSizeBytes = Device.sharedMemPerBlockOptin;
    Kernel.numBlockBarriers = 1;
    cudaOccDeviceState State;
    State.cacheConfig = CACHE_PREFER_NONE;
    State.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
    for (unsigned Threads = 1; Threads <= LargestBlock; Threads += 31)
      for (unsigned Registers = 0; Registers < 256; Registers += 5)
        for (size_t Bytes = 0; Bytes <= A.sharedPerSM(); Bytes += 3968) {
          Kernel.numRegs = static_cast<int>(Registers);
          Kernel.sharedSizeBytes = Bytes;
          cudaOccResult Result;
          ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(
                        &Result, &Device, &Kernel, &State,
                        static_cast<int>(Threads), /*dynamicSmemSize=*/0),
                    CUDA_OCC_SUCCESS);
          ASSERT_EQ(residentWarps(A.Name, Threads, Registers, Bytes),
                    Result.activeBlocksPerMultiprocessor *
                        ((Threads + 31) / 32))
              << A.Name << ' ' << Threads << ' ' << Registers << ' ' << Bytes;
        }
  }
}

#endif

} // namespace
