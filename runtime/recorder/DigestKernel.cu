//===-- DigestKernel.cu - digests of device memory, on the GPU ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One launch digests any number of pieces of memory. They are cut into tiles,
// and each block takes an equal share of consecutive tiles. Within a piece
// whose chunks are at least a tile, all threads of the block add up what the
// share has of a chunk, and put it on the chunk's digest by one atomic
// addition; smaller chunks belong to one warp each, which stores the digest.
//
// Memory is read 16 bytes at a time and past the caches. What is computed per
// word costs about as much as reading it: see tests/runtime/programs/digests.cpp
// for the share of the memory's bandwidth that is reached.
//
//===----------------------------------------------------------------------===//

#include "recording/DigestMix.h"

using namespace bankstripe::runtime;

// The word at `Address`, of which `Bytes` bytes are there.
static __device__ uint64_t loadWord(uint64_t Address, uint64_t Bytes) {
  if (Bytes >= 8 && Address % 8 == 0)
    return *reinterpret_cast<const uint64_t *>(Address);
  uint64_t Word = 0;
  for (unsigned I = 0; I < 8 && I < Bytes; ++I)
    Word |= static_cast<uint64_t>(
                *reinterpret_cast<const unsigned char *>(Address + I))
            << (8 * I);
  return Word;
}

// The number of the last segment that starts at or before `Tile`.
static __device__ unsigned segmentOf(const DigestSegment *Segments,
                                     unsigned Count, uint64_t Tile) {
  unsigned Low = 0, High = Count;
  while (High - Low > 1) {
    const unsigned Middle = (Low + High) / 2;
    if (Segments[Middle].FirstTile <= Tile)
      Low = Middle;
    else
      High = Middle;
  }
  return Low;
}

static __device__ uint64_t mixUnit(ulonglong2 Unit, uint64_t Position) {
  return mixPlaced(Unit.x + Position) +
         mixPlaced(Unit.y + Position + PositionStep);
}

// One thread's part of the sum over the bytes from Begin to End, when `Threads`
// threads share it. Begin is a multiple of 16.
template <unsigned Threads>
static __device__ uint64_t sumPart(uint64_t Address, uint64_t Begin,
                                   uint64_t End, unsigned Thread) {
  uint64_t Sum = 0;
  if (Address % 16 != 0) {
    for (uint64_t At = Begin + 8 * Thread; At < End; At += 8 * Threads)
      Sum += mixWord(loadWord(Address + At, End - At), At / 8);
    return Sum;
  }
  constexpr unsigned Together = 4; // Loads under way at a time.
  constexpr uint64_t Step = 2 * Threads * PositionStep;
  const auto *Units = reinterpret_cast<const ulonglong2 *>(Address + Begin);
  const uint64_t Count = (End - Begin) / 16;
  uint64_t Position = PositionStep * (Begin / 8 + 2 * Thread + 1);
  uint64_t I = Thread;
  for (; I + (Together - 1) * Threads < Count; I += Together * Threads) {
    ulonglong2 Loaded[Together];
#pragma unroll
    for (unsigned J = 0; J < Together; ++J)
      Loaded[J] = __ldcs(Units + I + J * Threads);
#pragma unroll
    for (unsigned J = 0; J < Together; ++J)
      Sum += mixUnit(Loaded[J], Position + J * Step);
    Position += Together * Step;
  }
  for (; I < Count; I += Threads, Position += Step)
    Sum += mixUnit(__ldcs(Units + I), Position);
  // Fewer than 16 bytes are left, at the end of an allocation.
  const uint64_t At = Begin + 16 * Count + 8 * Thread;
  if (Thread < 2 && At < End)
    Sum += mixWord(loadWord(Address + At, End - At), At / 8);
  return Sum;
}

static __device__ uint64_t sumOfWarp(uint64_t Sum) {
  for (unsigned Offset = 16; Offset > 0; Offset /= 2)
    Sum += __shfl_down_sync(0xffffffffu, Sum, Offset);
  return Sum;
}

// Digests of the bytes from Begin to End of a segment, whole tiles or up to its
// end, by chunks of at least a tile.
static __device__ void digestLargeChunks(const DigestSegment &S, uint64_t Begin,
                                         uint64_t End,
                                         unsigned long long *Digests) {
  while (Begin < End) {
    const uint64_t Chunk = Begin / S.ChunkBytes;
    const uint64_t Stop = min(End, (Chunk + 1) * S.ChunkBytes);
    const uint64_t Sum = sumOfWarp(
        sumPart<DigestThreads>(S.Address, Begin, Stop, threadIdx.x));
    if (threadIdx.x % 32 == 0 && Sum != 0)
      atomicAdd(&Digests[S.FirstChunk + Chunk], Sum);
    Begin = Stop;
  }
}

// The same, by smaller chunks.
static __device__ void digestSmallChunks(const DigestSegment &S, uint64_t Begin,
                                         uint64_t End,
                                         unsigned long long *Digests) {
  const uint64_t Step = S.ChunkBytes * (DigestThreads / 32);
  for (uint64_t At = Begin + S.ChunkBytes * (threadIdx.x / 32); At < End;
       At += Step) {
    const uint64_t Sum = sumOfWarp(sumPart<32>(
        S.Address, At, min(End, At + S.ChunkBytes), threadIdx.x % 32));
    if (threadIdx.x % 32 == 0)
      Digests[S.FirstChunk + At / S.ChunkBytes] = Sum;
  }
}

extern "C" __global__ void __launch_bounds__(DigestThreads)
    bankstripe_recorder_digest(const DigestSegment *Segments, unsigned Count,
                               uint64_t Tiles, unsigned long long *Digests) {
  uint64_t Tile = Tiles * blockIdx.x / gridDim.x;
  const uint64_t EndTile = Tiles * (blockIdx.x + 1ull) / gridDim.x;
  for (unsigned At = segmentOf(Segments, Count, Tile); Tile < EndTile; ++At) {
    const DigestSegment S = Segments[At];
    const uint64_t Stop = min(EndTile, S.FirstTile + tileCountFor(S.Bytes));
    const uint64_t Begin = (Tile - S.FirstTile) * DigestTileBytes;
    const uint64_t End =
        min(S.Bytes, (Stop - S.FirstTile) * DigestTileBytes);
    if (S.ChunkBytes >= DigestTileBytes)
      digestLargeChunks(S, Begin, End, Digests);
    else
      digestSmallChunks(S, Begin, End, Digests);
    Tile = Stop;
  }
}
