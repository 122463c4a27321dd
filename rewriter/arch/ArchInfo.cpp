//===-- ArchInfo.cpp - what a GPU architecture has ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arch/ArchInfo.h"
#include <optional>
#include <utility>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define BANKSTRIPE_HAS_OCCUPANCY 1
#else
#define BANKSTRIPE_HAS_OCCUPANCY 0
#endif

using namespace bankstripe;

const ArchInfo *bankstripe::archInfo(std::string_view Arch) {
  // The carveouts are also in cuda_occupancy.h. The tuning guides of Volta,
  // Turing, Ampere, Ada, Hopper and Blackwell repeat the figures of theirs.
  static const std::vector<unsigned> Volta = {0, 8, 16, 32, 64, 96},
                                     Turing = {32, 64},
                                     Small = {0, 8, 16, 32, 64, 100},
                                     Ampere = {0, 8, 16, 32, 64, 100, 132, 164},
                                     Hopper = {0,   8,   16,  32,  64,
                                               100, 132, 164, 196, 228};
  static const ArchInfo Table[] = {
      {"sm_70", 7, 0, 2048, 128, Volta},
      {"sm_72", 7, 2, 2048, 128, Volta},
      {"sm_75", 7, 5, 1024, 96, Turing},
      {"sm_80", 8, 0, 2048, 192, Ampere},
      {"sm_86", 8, 6, 1536, 128, Small},
      {"sm_87", 8, 7, 1536, 192, Ampere},
      {"sm_89", 8, 9, 1536, 128, Small},
      {"sm_90", 9, 0, 2048, 256, Hopper},
      {"sm_100", 10, 0, 2048, 256, Hopper},
      {"sm_103", 10, 3, 2048, 256, Hopper},
      {"sm_120", 12, 0, 1536, 128, Small},
  };
  for (const ArchInfo &A : Table)
    if (Arch.starts_with(A.Name))
      if (auto Rest = Arch.substr(A.Name.size());
          Rest.empty() || Rest == "a" || Rest == "f")
        return &A;
  return nullptr;
}

double ArchInfo::l1Bytes(uint64_t SharedBytes, double Blocks) const {
  const double Wanted =
      SharedBytes ? double(SharedBytes) + Blocks * reservedPerBlock() : 0;
  unsigned Taken = Carveouts.back();
  for (auto It = Carveouts.rbegin();
       It != Carveouts.rend() && *It * 1024.0 >= Wanted; ++It)
    Taken = *It;
  return (UnifiedKilobytes - Taken) * 1024.0;
}

#if BANKSTRIPE_HAS_OCCUPANCY

static cudaOccDeviceProp propertiesOf(const ArchInfo &A) {
  cudaOccDeviceProp P;
  P.computeMajor = A.Major;
  P.computeMinor = A.Minor;
  P.maxThreadsPerBlock = LargestBlock;
  P.maxThreadsPerMultiprocessor = A.ThreadsPerSM;
  P.regsPerBlock = RegistersPerSM;
  P.regsPerMultiprocessor = RegistersPerSM;
  P.warpSize = WarpThreads;
  P.sharedMemPerBlock = StaticSharedLimit;
  P.sharedMemPerMultiprocessor = A.sharedPerSM();
  P.sharedMemPerBlockOptin = A.sharedPerBlock();
  P.reservedSharedMemPerBlock = A.reservedPerBlock();
  P.numSms = 1;
  return P;
}

static std::optional<cudaOccResult> ask(std::string_view Arch, unsigned Threads,
                                        unsigned Registers,
                                        uint64_t SharedBytes) {
  const ArchInfo *A = archInfo(Arch);
  if (Threads == 0 || !A)
    return std::nullopt;
  cudaOccDeviceProp Properties = propertiesOf(*A);
  cudaOccFuncAttributes Attributes;
  Attributes.maxThreadsPerBlock = LargestBlock;
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

unsigned bankstripe::residentWarps(std::string_view Arch, unsigned Threads,
                                   unsigned Registers, uint64_t SharedBytes) {
  auto Result = ask(Arch, Threads, Registers, SharedBytes);
  return Result ? Result->activeBlocksPerMultiprocessor *
                      ((Threads + WarpThreads - 1) / WarpThreads)
                : 0;
}

std::string bankstripe::warpLimiter(std::string_view Arch, unsigned Threads,
                                    unsigned Registers, uint64_t SharedBytes) {
  auto Result = ask(Arch, Threads, Registers, SharedBytes);
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

unsigned bankstripe::residentWarps(std::string_view, unsigned, unsigned,
                                   uint64_t) {
  return 0;
}

std::string bankstripe::warpLimiter(std::string_view, unsigned, unsigned,
                                    uint64_t) {
  return "";
}

#endif
