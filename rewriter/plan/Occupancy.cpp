//===-- Occupancy.cpp - resident warps per multiprocessor -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic is cuda_occupancy.h's, with its allocation granularities; what
// it asks of a device is the table below (CUDA C++ programming guide,
// "Compute capabilities", technical specifications per compute capability).
//
//===----------------------------------------------------------------------===//

#include "plan/Plan.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define BANKSTRIPE_HAS_OCCUPANCY 1
#else
#define BANKSTRIPE_HAS_OCCUPANCY 0
#endif

using namespace bankstripe;

namespace {

struct Architecture {
  int Major;
  int Minor;
  int ThreadsPerMultiprocessor;
  int SharedKilobytesPerMultiprocessor;
  int OptInKilobytesPerBlock;
};

} // namespace

static constexpr Architecture Architectures[] = {
    {7, 0, 2048, 96, 96},    {7, 2, 2048, 96, 96},   {7, 5, 1024, 64, 64},
    {8, 0, 2048, 164, 163},  {8, 6, 1536, 100, 99},  {8, 7, 1536, 164, 163},
    {8, 9, 1536, 100, 99},   {9, 0, 2048, 228, 227}, {10, 0, 2048, 228, 227},
    {10, 3, 2048, 228, 227}, {12, 0, 1536, 100, 99},
};

static const Architecture *find(llvm::StringRef GpuArch) {
  GpuArch.consume_front("sm_");
  GpuArch = GpuArch.rtrim("af");
  unsigned Value = 0;
  if (GpuArch.getAsInteger(10, Value))
    return nullptr;
  for (const Architecture &A : Architectures)
    if (static_cast<unsigned>(A.Major * 10 + A.Minor) == Value)
      return &A;
  return nullptr;
}

uint64_t bankstripe::sharedLimitOf(llvm::StringRef GpuArch) {
  const Architecture *A = find(GpuArch);
  return A ? uint64_t(A->OptInKilobytesPerBlock) * 1024 : 0;
}

#if BANKSTRIPE_HAS_OCCUPANCY

static cudaOccDeviceProp propertiesOf(const Architecture &A) {
  cudaOccDeviceProp P;
  P.computeMajor = A.Major;
  P.computeMinor = A.Minor;
  P.maxThreadsPerBlock = 1024;
  P.maxThreadsPerMultiprocessor = A.ThreadsPerMultiprocessor;
  P.regsPerBlock = 65536;
  P.regsPerMultiprocessor = 65536;
  P.warpSize = 32;
  P.sharedMemPerBlock = 48 * 1024;
  P.sharedMemPerMultiprocessor = A.SharedKilobytesPerMultiprocessor * 1024;
  P.sharedMemPerBlockOptin = A.OptInKilobytesPerBlock * 1024;
  // The runtime keeps 1 KB of each block's shared memory from 8.0 on.
  P.reservedSharedMemPerBlock = A.Major >= 8 ? 1024 : 0;
  P.numSms = 1;
  return P;
}

static std::optional<cudaOccResult> ask(llvm::StringRef GpuArch,
                                        unsigned Threads, unsigned Registers,
                                        uint64_t SharedBytes) {
  const Architecture *A = find(GpuArch);
  if (Threads == 0 || !A)
    return std::nullopt;
  cudaOccDeviceProp Properties = propertiesOf(*A);
  cudaOccFuncAttributes Attributes;
  Attributes.maxThreadsPerBlock = 1024;
  Attributes.numRegs = static_cast<int>(Registers);
  Attributes.sharedSizeBytes = SharedBytes;
  Attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  Attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  Attributes.maxDynamicSharedSizeBytes = Properties.sharedMemPerBlockOptin;
  Attributes.numBlockBarriers = 1;
  cudaOccDeviceState State;
  State.cacheConfig = CACHE_PREFER_NONE;
  State.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
  cudaOccResult Result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(
          &Result, &Properties, &Attributes, &State, static_cast<int>(Threads),
          /*dynamicSmemSize=*/0) != CUDA_OCC_SUCCESS)
    return std::nullopt;
  return Result;
}

unsigned bankstripe::residentWarps(llvm::StringRef GpuArch, unsigned Threads,
                                   unsigned Registers, uint64_t SharedBytes) {
  auto Result = ask(GpuArch, Threads, Registers, SharedBytes);
  return Result ? Result->activeBlocksPerMultiprocessor * ((Threads + 31) / 32)
                : 0;
}

std::string bankstripe::warpLimiter(llvm::StringRef GpuArch, unsigned Threads,
                                    unsigned Registers, uint64_t SharedBytes) {
  auto Result = ask(GpuArch, Threads, Registers, SharedBytes);
  std::string Text;
  for (auto [Flag, Name] : {std::pair(OCC_LIMIT_WARPS, "threads"),
                            std::pair(OCC_LIMIT_REGISTERS, "registers"),
                            std::pair(OCC_LIMIT_SHARED_MEMORY, "shared memory"),
                            std::pair(OCC_LIMIT_BLOCKS, "blocks")})
    if (Result && Result->limitingFactors & Flag)
      Text += (Text.empty() ? "" : ", ") + std::string(Name);
  return Text;
}

#else

unsigned bankstripe::residentWarps(llvm::StringRef, unsigned, unsigned,
                                   uint64_t) {
  return 0;
}

std::string bankstripe::warpLimiter(llvm::StringRef, unsigned, unsigned,
                                    uint64_t) {
  return "";
}

#endif
