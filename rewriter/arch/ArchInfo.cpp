//===-- ArchInfo.cpp - what a GPU architecture has ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arch/ArchInfo.h"
#include <charconv>
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
  // The carve-outs are also in cuda_occupancy.h. The tuning guides of Volta,
  // Turing, Ampere, Ada, Hopper and Blackwell repeat the figures of theirs.
  static const std::vector<unsigned> Volta = {0, 8, 16, 32, 64, 96},
                                     Turing = {32, 64},
                                     Small = {0, 8, 16, 32, 64, 100},
                                     Ampere = {0, 8, 16, 32, 64, 100, 132, 164},
                                     Hopper = {0,   8,   16,  32,  64,
                                               100, 132, 164, 196, 228};
  static const ArchInfo Table[] = {
      {7, 0, 2048, 128, Volta},   {7, 2, 2048, 128, Volta},
      {7, 5, 1024, 96, Turing},   {8, 0, 2048, 192, Ampere},
      {8, 6, 1536, 128, Small},   {8, 7, 1536, 192, Ampere},
      {8, 9, 1536, 128, Small},   {9, 0, 2048, 256, Hopper},
      {10, 0, 2048, 256, Hopper}, {10, 3, 2048, 256, Hopper},
      {12, 0, 1536, 128, Small},
  };
  if (Arch.substr(0, 3) == "sm_")
    Arch.remove_prefix(3);
  while (!Arch.empty() && (Arch.back() == 'a' || Arch.back() == 'f'))
    Arch.remove_suffix(1);
  unsigned Number = 0;
  const char *End = Arch.data() + Arch.size();
  if (auto Read = std::from_chars(Arch.data(), End, Number);
      Read.ec != std::errc() || Read.ptr != End)
    return nullptr;
  for (const ArchInfo &A : Table)
    if (A.Major * 10 + A.Minor == Number)
      return &A;
  return nullptr;
}

std::string ArchInfo::name() const {
  return "sm_" + std::to_string(Major * 10 + Minor);
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
