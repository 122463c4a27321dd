//===-- DigestTest.cpp - digests of memory ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/DigestMix.h"
#include <gtest/gtest.h>
#include <vector>

using namespace bankstripe::runtime;

TEST(Digest, DependsOnEveryBitAndOnPositions) {
  std::vector<unsigned char> Bytes(64);
  for (size_t I = 0; I < Bytes.size(); ++I)
    Bytes[I] = static_cast<unsigned char>(I * 37);
  const uint64_t Before = digestBytes(Bytes.data(), Bytes.size());
  for (size_t Bit = 0; Bit < 8 * Bytes.size(); ++Bit) {
    Bytes[Bit / 8] ^= static_cast<unsigned char>(1 << Bit % 8);
    EXPECT_NE(digestBytes(Bytes.data(), Bytes.size()), Before) << Bit;
    Bytes[Bit / 8] ^= static_cast<unsigned char>(1 << Bit % 8);
  }
  std::swap_ranges(Bytes.begin(), Bytes.begin() + 8, Bytes.begin() + 8);
  EXPECT_NE(digestBytes(Bytes.data(), Bytes.size()), Before);
}

TEST(Digest, IsTheSumOverItsParts) {
  const std::vector<unsigned char> Bytes(100, 0xA5);
  EXPECT_EQ(digestBytes(Bytes.data(), 64) + digestBytes(&Bytes[64], 36, 8),
            digestBytes(Bytes.data(), 100));
}

TEST(Digest, HostAgreesWithTheGpu) {
  // What the digest kernel computed on a GPU for the numbers 5 to 104 in a
  // variable of 400 bytes (two chunks), and for a variable that held a 6.
  std::vector<uint32_t> Table(100);
  for (uint32_t I = 0; I < 100; ++I)
    Table[I] = 5 + I;
  EXPECT_EQ(digestBytes(Table.data(), 256), 0xdf29ed0f5a82a8c3u);
  EXPECT_EQ(digestBytes(&Table[64], 144, 32), 0x4715e7baedee6313u);
  const uint32_t Six = 6;
  EXPECT_EQ(digestBytes(&Six, 4), 0xbd64a5d9adefe000u);
}

TEST(Digest, ChunksCoverTheAllocation) {
  EXPECT_EQ(chunkBytesFor(1), 256u);
  EXPECT_EQ(chunkCountFor(1), 1u);
  EXPECT_EQ(chunkCountFor(257), 2u);
  EXPECT_EQ(chunkBytesFor(65536), 256u);
  EXPECT_EQ(chunkBytesFor(65537), 512u);
  for (const uint64_t Bytes : {1ull, 1000ull, 1ull << 20, (1ull << 33) + 1}) {
    EXPECT_LE(chunkCountFor(Bytes), MaximumChunks);
    EXPECT_GE(chunkCountFor(Bytes) * chunkBytesFor(Bytes), Bytes);
  }
}
