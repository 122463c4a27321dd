//===-- Launch.h - what launches ask for ------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches of rewritten code bring dynamic shared memory and ask for a carveout
// as runtime/device/bankstripe_launch.cuh says, which includes no other file of
// ours. The tool plans with the same numbers, and a replay launches with them.
// tests/compile/helper/contract.cu compares the helper with this file.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CONTRACT_LAUNCH_H
#define BANKSTRIPE_CONTRACT_LAUNCH_H

#include <cstdint>

namespace bankstripe {

/// \p Value up to the next multiple of \p Unit.
constexpr uint64_t roundUp(uint64_t Value, uint64_t Unit) {
  return (Value + Unit - 1) / Unit * Unit;
}

inline constexpr unsigned WarpThreads = 32;
/// What storage in dynamic shared memory is aligned to, in bytes.
inline constexpr unsigned PlaceAlignment = 16;
/// What all of that memory is aligned to, and the parts of warps are.
inline constexpr unsigned SegmentAlignment = 128;
/// A launch that brings the storage asks for so many bytes more than a
/// multiple of PlaceAlignment. Kernels tell other launches by that, and the
/// bytes are room for programs that read one element behind the last slot.
inline constexpr unsigned LaunchMark = 41;
/// What is planned for the mark.
inline constexpr unsigned MarkBytes =
    static_cast<unsigned>(roundUp(LaunchMark, PlaceAlignment));

/// The storage of a block of \p Threads threads, in bytes.
constexpr uint64_t storageBytes(uint64_t WarpBytes, uint64_t Threads) {
  return roundUp(Threads, WarpThreads) / WarpThreads * WarpBytes;
}

/// The dynamic shared memory that a launch asks for, in bytes: \p Own of its
/// program, and \p WarpBytes for each warp.
constexpr uint64_t launchBytes(uint64_t WarpBytes, uint64_t Threads,
                               uint64_t Own) {
  return roundUp(Own, PlaceAlignment) + storageBytes(WarpBytes, Threads) +
         LaunchMark;
}

/// What blocks take of an SM's shared memory is a multiple of so many bytes.
inline constexpr unsigned SharedUnit = 128;

/// The carveout, in percent, that holds \p Blocks resident blocks, of which
/// there is at least one.
///
/// \param BlockBytes static, dynamic and reserved shared memory of a block.
/// \param SharedBytes the most shared memory that an SM can have, above 0.
constexpr int percentNeeded(uint64_t Blocks, uint64_t BlockBytes,
                            uint64_t SharedBytes) {
  const uint64_t Bytes =
      (Blocks ? Blocks : 1) * roundUp(BlockBytes, SharedUnit);
  const uint64_t Percent = (100 * Bytes + SharedBytes - 1) / SharedBytes;
  return Percent < 100 ? static_cast<int>(Percent) : 100;
}

} // namespace bankstripe

#endif // BANKSTRIPE_CONTRACT_LAUNCH_H
