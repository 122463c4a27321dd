//===-- ArchInfo.cpp - what a GPU architecture has ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arch/ArchInfo.h"
#include <algorithm>
#include <utility>

using namespace bankstripe;

const std::vector<ArchInfo> &bankstripe::allArchs() {
  // The carveouts are also in cuda_occupancy.h. The tuning guides of Volta,
  // Turing, Ampere, Ada, Hopper and Blackwell repeat the figures of theirs.
  static const std::vector<unsigned> Volta = {0, 8, 16, 32, 64, 96},
                                     Turing = {32, 64},
                                     Small = {0, 8, 16, 32, 64, 100},
                                     Ampere = {0, 8, 16, 32, 64, 100, 132, 164},
                                     Hopper = {0,   8,   16,  32,  64,
                                               100, 132, 164, 196, 228};
  static const std::vector<ArchInfo> Table = {
      {"sm_70", 7, 0, 2048, 32, 128, Volta},
      {"sm_72", 7, 2, 2048, 32, 128, Volta},
      {"sm_75", 7, 5, 1024, 16, 96, Turing},
      {"sm_80", 8, 0, 2048, 32, 192, Ampere},
      {"sm_86", 8, 6, 1536, 16, 128, Small},
      {"sm_87", 8, 7, 1536, 16, 192, Ampere},
      {"sm_88", 8, 8, 1536, 16, 128, Small},
      {"sm_89", 8, 9, 1536, 24, 128, Small},
      {"sm_90", 9, 0, 2048, 32, 256, Hopper},
      {"sm_100", 10, 0, 2048, 32, 256, Hopper},
      {"sm_103", 10, 3, 2048, 32, 256, Hopper},
      {"sm_110", 11, 0, 1536, 24, 256, Hopper},
      {"sm_120", 12, 0, 1536, 24, 128, Small},
      {"sm_121", 12, 1, 1536, 24, 128, Small},
  };
  return Table;
}

const ArchInfo *bankstripe::archInfo(std::string_view Arch) {
  for (const ArchInfo &A : allArchs())
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

// As cuda_occupancy.h computes it (ArchInfoTest.cpp holds it to that).
unsigned bankstripe::residentWarps(std::string_view Arch, unsigned Threads,
                                   unsigned Registers, uint64_t SharedBytes) {
  const ArchInfo *A = archInfo(Arch);
  if (!A || Threads == 0 || Threads > LargestBlock)
    return 0;
  const unsigned Warps = roundUp(Threads, WarpThreads) / WarpThreads;
  unsigned Blocks =
      std::min(A->ThreadsPerSM / WarpThreads / Warps, A->BlocksPerSM);
  if (const unsigned PerWarp = roundUp(Registers, RegisterUnit) * WarpThreads)
    Blocks = std::min(Blocks,
                      PerWarp * roundUp(Warps, PartitionsPerSM) > RegistersPerSM
                          ? 0
                          : RegistersPerSM / PartitionsPerSM / PerWarp *
                                PartitionsPerSM / Warps);
  if (const uint64_t Taken = SharedBytes + A->reservedPerBlock())
    Blocks = std::min<uint64_t>(
        Blocks,
        Taken > A->sharedPerSM()
            ? 0
            : A->sharedPerSM() / roundUp(Taken, A->Major >= 8 ? 128 : 256));
  return Blocks * Warps;
}
