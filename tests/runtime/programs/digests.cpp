//===-- digests.cpp - the digest kernel: right, and how fast --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: digests [GIGABYTES...]
//
// Compares the GPU's digests of memory of many sizes and alignments with those
// that the host computes, and times those of one large allocation (of each
// size that is named), and of 10,000 small ones. The share is that of the
// bandwidth that the memory's clock and width give.
//
//===----------------------------------------------------------------------===//

#include "recorder/DigestEngine.h"
#include "recorder/LiveMemory.h"
#include "recording/DigestMix.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace bankstripe::runtime;

static void check(CUresult Result, const char *What) {
  if (Result == CUDA_SUCCESS)
    return;
  std::fprintf(stderr, "%s: error %d\n", What, static_cast<int>(Result));
  std::exit(9);
}

#define CHECK(CALL) check((CALL), #CALL)

static double peakBandwidth() {
  int Kilohertz = 0, Bits = 0;
  CHECK(cuDeviceGetAttribute(&Kilohertz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
                             0));
  CHECK(cuDeviceGetAttribute(&Bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
                             0));
  return 2e3 * Kilohertz * Bits / 8;
}

// The chunks of which GPU and host disagree.
static unsigned wrongDigests(DigestEngine &Engine) {
  std::mt19937_64 Random(1);
  constexpr uint64_t Room = 128 << 20;
  std::vector<unsigned char> Host(Room);
  for (unsigned char &Byte : Host)
    Byte = static_cast<unsigned char>(Random());
  CUdeviceptr Memory = 0;
  CHECK(cuMemAlloc(&Memory, Room));
  CHECK(cuMemcpyHtoD(Memory, Host.data(), Room));

  LiveMemory Live;
  std::vector<unsigned> Gone;
  uint64_t At = 0;
  for (const uint64_t Bytes :
       {1ull, 8ull, 15ull, 17ull, 255ull, 256ull, 257ull, 4000ull, 65535ull,
        65536ull, 65537ull, 1048583ull, 16777216ull, 16777217ull, 3000000ull})
    for (const uint64_t Shift : {0ull, 4ull, 1ull}) {
      if (At + Shift + Bytes > Room)
        std::exit(9);
      Live.add(nullptr, Memory + At + Shift, Bytes, "device", Gone);
      At += (Bytes + Shift + 255) / 256 * 256;
    }
  std::span<const uint64_t> Digests;
  const auto Segments = Live.segments(nullptr);
  CHECK(Engine.run(Segments, Digests));
  unsigned Wrong = 0;
  for (const DigestSegment &S : Segments)
    for (uint64_t C = 0; C * S.ChunkBytes < S.Bytes; ++C) {
      const uint64_t Begin = C * S.ChunkBytes;
      const uint64_t Bytes = std::min(S.ChunkBytes, S.Bytes - Begin);
      Wrong += digestBytes(&Host[S.Address - Memory + Begin], Bytes,
                           Begin / 8) != Digests[S.FirstChunk + C];
    }
  CHECK(cuMemFree(Memory));
  std::printf("digests of %zu pieces of memory: %u of %zu wrong\n",
              Segments.size(), Wrong, Digests.size());
  return Wrong;
}

// The shortest of several times, with all that the host does for a launch.
static void time(DigestEngine &Engine, const char *What, uint64_t Count,
                 uint64_t Bytes) {
  std::vector<CUdeviceptr> Memory(Count);
  LiveMemory Live;
  std::vector<unsigned> Gone;
  for (CUdeviceptr &One : Memory) {
    CHECK(cuMemAlloc(&One, Bytes));
    CHECK(cuMemsetD8(One, 1, Bytes));
    Live.add(nullptr, One, Bytes, "device", Gone);
  }
  CHECK(cuCtxSynchronize());
  double Shortest = 1e9, ShortestAll = 1e9;
  for (int I = 0; I < 7; ++I) {
    std::span<const uint64_t> Digests;
    const auto Start = std::chrono::steady_clock::now();
    const auto Segments = Live.segments(nullptr);
    const auto Ready = std::chrono::steady_clock::now();
    CHECK(Engine.run(Segments, Digests));
    const auto Done = std::chrono::steady_clock::now();
    Live.update(nullptr, Digests);
    const auto End = std::chrono::steady_clock::now();
    Shortest =
        std::min(Shortest, std::chrono::duration<double>(Done - Ready).count());
    ShortestAll = std::min(ShortestAll,
                           std::chrono::duration<double>(End - Start).count());
  }
  const double Rate = static_cast<double>(Count * Bytes) / Shortest;
  std::printf("%s: %.3f ms, %.0f GB/s, %.1f %% of %.0f GB/s; with the "
              "comparison %.3f ms\n",
              What, 1e3 * Shortest, Rate / 1e9, 100 * Rate / peakBandwidth(),
              peakBandwidth() / 1e9, 1e3 * ShortestAll);
  for (const CUdeviceptr One : Memory)
    CHECK(cuMemFree(One));
}

int main(int Count, char **Arguments) {
  CUdevice Device = 0;
  CUcontext Context = nullptr;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&Device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&Context, Device));
  CHECK(cuCtxSetCurrent(Context));
  DigestEngine Engine;
  const unsigned Wrong = wrongDigests(Engine);
  for (int I = 1; I < Count; ++I)
    time(Engine, (std::string(Arguments[I]) + " GB").c_str(), 1,
         std::strtoull(Arguments[I], nullptr, 10) * 1000000000);
  if (Count > 1)
    time(Engine, "10,000 allocations of 1 MB", 10000, 1000000);
  return Wrong == 0 ? 0 : 1;
}
