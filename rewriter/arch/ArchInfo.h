//===-- ArchInfo.h - what a GPU architecture has ----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place that knows figures of architectures. It needs no LLVM, so that
// whatever runs on the GPU's machine can use it, too.
//
// Unless it says otherwise, a figure is of the CUDA programming guide, "Compute
// capabilities", tables of technical specifications and of the sizes of the
// unified data cache.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_ARCH_ARCHINFO_H
#define BANKSTRIPE_ARCH_ARCHINFO_H

#include "contract/Launch.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankstripe {

// What all architectures since Volta have in common, besides WarpThreads.

/// Threads of the largest block.
inline constexpr unsigned LargestBlock = 1024;
/// Static storage is a multiple of this many bytes, so that what lies behind it
/// in shared memory stays aligned as it was.
inline constexpr uint64_t StaticGrain = 128;
/// Static shared memory that a block may have without an opt-in, in bytes.
inline constexpr uint64_t StaticSharedLimit = 48 * 1024;
/// Of an SM, and at most of a block.
inline constexpr unsigned RegistersPerSM = 65536;
/// The parts of an SM, each with its share of the registers, which take turns
/// at the warps of a block (cuda_occupancy.h).
inline constexpr unsigned PartitionsPerSM = 4;
/// What a thread's registers are rounded up to: 256 per warp
/// (cuda_occupancy.h).
inline constexpr unsigned RegisterUnit = 8;
/// A line of the L1.
inline constexpr unsigned LineBytes = 128;

/// What the SMs of one architecture have.
struct ArchInfo {
  std::string_view Name;     ///< `sm_90`.
  unsigned Major, Minor;     ///< The compute capability.
  unsigned ThreadsPerSM;     ///< That can be resident.
  unsigned BlocksPerSM;      ///< Likewise.
  unsigned UnifiedKilobytes; ///< L1 and shared memory together.
  /// How much of that shared memory can take, in KB, ascending.
  std::vector<unsigned> Carveouts;

  unsigned sharedPerSM() const { return Carveouts.back() * 1024; }
  /// What each block takes beside its own (tuning guides, since Ampere's).
  unsigned reservedPerBlock() const { return Major >= 8 ? 1024 : 0; }
  /// What a block can have with an opt-in.
  unsigned sharedPerBlock() const { return sharedPerSM() - reservedPerBlock(); }
  /// The L1 that \p Blocks resident blocks leave, which take \p SharedBytes
  /// together, in bytes: the driver gives them the smallest carveout that
  /// holds them.
  double l1Bytes(uint64_t SharedBytes, double Blocks) const;
};

/// The figures of \p Arch, which is a name such as `sm_90` or `sm_90a`; nothing
/// when they are not known.
const ArchInfo *archInfo(std::string_view Arch);

/// Those whose figures are known, the oldest first.
const std::vector<ArchInfo> &allArchs();

/// Warps of \p Threads-thread blocks that can be resident on one SM of \p Arch,
/// as cuda_occupancy.h computes it; 0 for an unknown architecture. \p Registers
/// per thread; 0 when unknown, then they do not limit.
unsigned residentWarps(std::string_view Arch, unsigned Threads,
                       unsigned Registers, uint64_t SharedBytes);

} // namespace bankstripe

#endif
