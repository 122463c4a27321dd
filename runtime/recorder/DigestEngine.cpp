//===-- DigestEngine.cpp - runs the digest kernel in a context ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/DigestEngine.h"
#include <algorithm>

using namespace bankstripe::runtime;

// The compiled digest kernel for all architectures, embedded by the build.
extern "C" const unsigned char BankstripeDigestImage[];

// Bytes of a chunk that one block takes before the chunk is shared out.
constexpr uint64_t BytesPerBlock = 64 * 1024;
constexpr uint64_t MostBlocksPerChunk = 64;

CUresult DigestEngine::Buffer::atLeast(size_t Needed) {
  if (Needed <= Bytes)
    return CUDA_SUCCESS;
  const size_t Grown = std::max(Needed, 2 * Bytes);
  CUdeviceptr Fresh = 0;
  if (const CUresult R = cuMemAlloc(&Fresh, Grown))
    return R;
  if (Address)
    cuMemFree(Address);
  Address = Fresh;
  Bytes = Grown;
  return CUDA_SUCCESS;
}

CUresult DigestEngine::prepareStream() {
  return Stream ? CUDA_SUCCESS
                : cuStreamCreate(&Stream, CU_STREAM_NON_BLOCKING);
}

CUresult DigestEngine::prepareKernel() {
  if (Kernel)
    return CUDA_SUCCESS;
  CUmodule Module = nullptr;
  if (const CUresult R = cuModuleLoadData(&Module, BankstripeDigestImage))
    return R;
  return cuModuleGetFunction(&Kernel, Module, "bankstripe_recorder_digest");
}

CUresult DigestEngine::run(const std::vector<DigestSegment> &Segments,
                           std::vector<uint64_t> &Digests) {
  Digests.clear();
  uint64_t Chunks = 0, LargestChunk = 0;
  for (const DigestSegment &S : Segments) {
    Chunks += (S.Bytes + S.ChunkBytes - 1) / S.ChunkBytes;
    LargestChunk = std::max(LargestChunk, std::min(S.ChunkBytes, S.Bytes));
  }
  if (Chunks == 0)
    return CUDA_SUCCESS;
  Digests.resize(Chunks);
  if (const CUresult R = prepareStream())
    return R;
  if (const CUresult R = prepareKernel())
    return R;

  const size_t TableBytes = Segments.size() * sizeof(DigestSegment);
  const size_t SumBytes = Chunks * sizeof(uint64_t);
  if (const CUresult R = Table.atLeast(TableBytes))
    return R;
  if (const CUresult R = Sums.atLeast(SumBytes))
    return R;
  if (TableHolds != Segments) {
    TableHolds.clear();
    if (const CUresult R = cuMemcpyHtoDAsync(Table.Address, Segments.data(),
                                             TableBytes, Stream))
      return R;
    TableHolds = Segments;
  }
  if (const CUresult R = cuMemsetD8Async(Sums.Address, 0, SumBytes, Stream))
    return R;

  unsigned Count = static_cast<unsigned>(Segments.size());
  void *Arguments[] = {&Table.Address, &Count, &Sums.Address};
  const auto BlocksPerChunk = static_cast<unsigned>(std::clamp<uint64_t>(
      LargestChunk / BytesPerBlock, 1, MostBlocksPerChunk));
  if (const CUresult R =
          cuLaunchKernel(Kernel, static_cast<unsigned>(Chunks), BlocksPerChunk,
                         1, DigestThreads, 1, 1, 0, Stream, Arguments, nullptr))
    return R;
  return copyOut(Sums.Address, Digests.data(), SumBytes);
}

CUresult DigestEngine::copyOut(CUdeviceptr From, void *To, size_t Bytes) {
  if (const CUresult R = prepareStream())
    return R;
  if (const CUresult R = cuMemcpyDtoHAsync(To, From, Bytes, Stream))
    return R;
  return cuStreamSynchronize(Stream);
}

CUresult DigestEngine::fill(CUdeviceptr Address, size_t Bytes) {
  if (const CUresult R = prepareStream())
    return R;
  if (const CUresult R = cuMemsetD8Async(Address, FillByte, Bytes, Stream))
    return R;
  return cuStreamSynchronize(Stream);
}
