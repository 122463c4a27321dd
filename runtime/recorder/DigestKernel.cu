//===-- DigestKernel.cu - digests of device memory, on the GPU ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One launch digests every live allocation. A block takes one chunk (x), or,
// with large chunks, an equal share of it (y); it adds up its words and puts
// its sum on the chunk's digest by one atomic addition.
//
//===----------------------------------------------------------------------===//

#include "recorder/DigestSegment.h"
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

// The last segment that starts at or before `Chunk`.
static __device__ DigestSegment segmentOf(const DigestSegment *Segments,
                                          unsigned Count, uint64_t Chunk) {
  unsigned Low = 0, High = Count;
  while (High - Low > 1) {
    const unsigned Middle = (Low + High) / 2;
    if (Segments[Middle].FirstChunk <= Chunk)
      Low = Middle;
    else
      High = Middle;
  }
  return Segments[Low];
}

extern "C" __global__ void __launch_bounds__(DigestThreads)
    bankstripe_recorder_digest(const DigestSegment *Segments, unsigned Count,
                               unsigned long long *Digests) {
  const DigestSegment S = segmentOf(Segments, Count, blockIdx.x);
  const uint64_t Begin = (blockIdx.x - S.FirstChunk) * S.ChunkBytes;
  const uint64_t End =
      Begin + S.ChunkBytes < S.Bytes ? Begin + S.ChunkBytes : S.Bytes;
  const uint64_t Step = 8ull * DigestThreads * gridDim.y;
  unsigned long long Sum = 0;
  for (uint64_t At = Begin + 8ull * (blockIdx.y * DigestThreads + threadIdx.x);
       At < End; At += Step)
    Sum += mixWord(loadWord(S.Address + At, End - At), At / 8);
  for (unsigned Offset = 16; Offset > 0; Offset /= 2)
    Sum += __shfl_down_sync(0xffffffffu, Sum, Offset);
  if (threadIdx.x % 32 == 0 && Sum != 0)
    atomicAdd(&Digests[blockIdx.x], Sum);
}
