//===-- DigestMix.h - the digest of device memory ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a digest is made up (docs/internals/recorder.md, "A recording"). A word
// is mixed with its position by the finalizer of SplitMix64 (Steele, Lea,
// Flood: Fast splittable pseudorandom number generators, 2014), a bijection of
// the word for every position. Words are counted from the start of the
// allocation; bytes after the last whole word form a word padded with zeros.
//
// The device code and the host (for tests) share this file.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_DIGESTMIX_H
#define BANKSTRIPE_RECORDING_DIGESTMIX_H

#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define BANKSTRIPE_HOST_DEVICE __host__ __device__
#else
#define BANKSTRIPE_HOST_DEVICE
#endif

namespace bankstripe::runtime {

constexpr uint64_t MinimumChunkBytes = 256;
constexpr uint64_t MaximumChunks = 256;

/// What a word's position adds to it before it is mixed, per position.
constexpr uint64_t PositionStep = 0x9E3779B97F4A7C15u;

/// The share of a word in the digest, once its position is added to it.
BANKSTRIPE_HOST_DEVICE constexpr uint64_t mixPlaced(uint64_t Z) {
  Z = (Z ^ (Z >> 30)) * 0xBF58476D1CE4E5B9u;
  Z = (Z ^ (Z >> 27)) * 0x94D049BB133111EBu;
  return Z ^ (Z >> 31);
}

/// The share of one word in the digest.
///
/// \param Word the 64-bit word at byte 8 * Index of the allocation.
BANKSTRIPE_HOST_DEVICE constexpr uint64_t mixWord(uint64_t Word,
                                                  uint64_t Index) {
  return mixPlaced(Word + PositionStep * (Index + 1));
}

/// Bytes that one digest covers in an allocation of \p Bytes bytes.
constexpr uint64_t chunkBytesFor(uint64_t Bytes) {
  uint64_t Chunk = MinimumChunkBytes;
  while (Chunk * MaximumChunks < Bytes)
    Chunk *= 2;
  return Chunk;
}

/// Chunks in an allocation of \p Bytes bytes.
constexpr uint64_t chunkCountFor(uint64_t Bytes) {
  const uint64_t Chunk = chunkBytesFor(Bytes);
  return (Bytes + Chunk - 1) / Chunk;
}

/// The digest of host memory, as the device code would compute it.
///
/// \param FirstWord position of the first word in its allocation.
inline uint64_t digestBytes(const void *Data, uint64_t Bytes,
                            uint64_t FirstWord = 0) {
  const char *At = static_cast<const char *>(Data);
  uint64_t Sum = 0, Word = 0;
  for (const char *const End = At + Bytes / 8 * 8; At != End; At += 8) {
    std::memcpy(&Word, At, 8);
    Sum += mixWord(Word, FirstWord++);
  }
  if (Bytes % 8 == 0)
    return Sum;
  Word = 0;
  std::memcpy(&Word, At, Bytes % 8);
  return Sum + mixWord(Word, FirstWord);
}

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
  bool operator==(const DigestSegment &) const = default;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_DIGESTMIX_H
