//===-- DigestSegment.h - what the digest kernel is told --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_DIGESTSEGMENT_H
#define BANKSTRIPE_RECORDER_DIGESTSEGMENT_H

#include "recording/DigestMix.h"

namespace bankstripe::runtime {

/// Threads of a block of the digest kernel.
constexpr unsigned DigestThreads = 256;

/// What blocks share out among them. A chunk is a whole number of tiles, or a
/// tile is a whole number of chunks: both are powers of two.
constexpr uint64_t DigestTileBytes = 64 * 1024;

BANKSTRIPE_HOST_DEVICE constexpr uint64_t tileCountFor(uint64_t Bytes) {
  return (Bytes + DigestTileBytes - 1) / DigestTileBytes;
}

/// One piece of device memory to digest.
struct DigestSegment {
  uint64_t Address = 0;
  uint64_t Bytes = 0;
  uint64_t ChunkBytes = 0;
  uint64_t FirstChunk = 0; ///< Where its digests start among all of a launch.
  uint64_t FirstTile = 0;  ///< Likewise, of its tiles.
  bool operator==(const DigestSegment &Other) const {
    return Address == Other.Address && Bytes == Other.Bytes &&
           ChunkBytes == Other.ChunkBytes && FirstChunk == Other.FirstChunk &&
           FirstTile == Other.FirstTile;
  }
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_DIGESTSEGMENT_H
