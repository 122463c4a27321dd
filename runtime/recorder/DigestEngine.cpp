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
  CUdevice Device = 0;
  int Processors = 0, BlocksOfEach = 0;
  CUfunction Loaded = nullptr;
  if (const CUresult R = cuModuleLoadData(&Module, BankstripeDigestImage))
    return R;
  if (const CUresult R = cuModuleGetFunction(&Loaded, Module, DigestKernelName))
    return R;
  if (const CUresult R = cuCtxGetDevice(&Device))
    return R;
  if (const CUresult R = cuDeviceGetAttribute(
          &Processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, Device))
    return R;
  if (const CUresult R = cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &BlocksOfEach, Loaded, DigestThreads, 0))
    return R;
  MostBlocks = static_cast<unsigned>(std::max(1, Processors * BlocksOfEach));
  Kernel = Loaded;
  return CUDA_SUCCESS;
}

CUresult
DigestEngine::prepareBuffers(const std::vector<DigestSegment> &Segments,
                             uint64_t Chunks) {
  const size_t TableBytes = Segments.size() * sizeof(DigestSegment);
  if (const CUresult R = Table.atLeast(TableBytes))
    return R;
  if (const CUresult R = Sums.atLeast(Chunks * sizeof(uint64_t)))
    return R;
  if (HostSumsBytes < Chunks * sizeof(uint64_t)) {
    const size_t Grown = std::max<size_t>(Chunks * sizeof(uint64_t), 4096) * 2;
    void *Fresh = nullptr;
    if (const CUresult R = cuMemAllocHost(&Fresh, Grown))
      return R;
    if (HostSums)
      cuMemFreeHost(HostSums);
    HostSums = static_cast<uint64_t *>(Fresh);
    HostSumsBytes = Grown;
  }
  if (TableHolds == Segments)
    return CUDA_SUCCESS;
  TableHolds.clear();
  if (const CUresult R =
          cuMemcpyHtoDAsync(Table.Address, Segments.data(), TableBytes, Stream))
    return R;
  TableHolds = Segments;
  return CUDA_SUCCESS;
}

CUresult DigestEngine::run(const std::vector<DigestSegment> &Segments,
                           std::span<const uint64_t> &Digests) {
  Digests = {};
  if (Segments.empty())
    return CUDA_SUCCESS;
  const DigestSegment &Last = Segments.back();
  const uint64_t Chunks = Last.FirstChunk + chunkCountFor(Last.Bytes);
  uint64_t Tiles = Last.FirstTile + tileCountFor(Last.Bytes);
  const size_t SumBytes = Chunks * sizeof(uint64_t);
  if (const CUresult R = prepareStream())
    return R;
  if (const CUresult R = prepareKernel())
    return R;
  if (const CUresult R = prepareBuffers(Segments, Chunks))
    return R;
  if (const CUresult R = cuMemsetD8Async(Sums.Address, 0, SumBytes, Stream))
    return R;
  unsigned Count = static_cast<unsigned>(Segments.size());
  void *Arguments[] = {&Table.Address, &Count, &Tiles, &Sums.Address};
  const auto Blocks =
      static_cast<unsigned>(std::min<uint64_t>(Tiles, MostBlocks));
  if (const CUresult R = cuLaunchKernel(Kernel, Blocks, 1, 1, DigestThreads, 1,
                                        1, 0, Stream, Arguments, nullptr))
    return R;
  if (const CUresult R = copyOut(Sums.Address, HostSums, SumBytes))
    return R;
  Digests = {HostSums, Chunks};
  return CUDA_SUCCESS;
}

CUresult DigestEngine::copyOut(CUdeviceptr From, void *To, size_t Bytes) {
  if (const CUresult R = prepareStream())
    return R;
  if (const CUresult R = cuMemcpyDtoHAsync(To, From, Bytes, Stream))
    return R;
  return cuStreamSynchronize(Stream);
}

CUresult DigestEngine::copyOut(CUdeviceptr From, size_t Bytes,
                               std::string_view &Copy) {
  if (!Staging)
    if (const CUresult R = cuMemAllocHost(&Staging, StagingBytes)) {
      Staging = nullptr;
      return R;
    }
  Copy = {static_cast<const char *>(Staging), Bytes};
  return copyOut(From, Staging, Bytes);
}

CUresult DigestEngine::fill(CUdeviceptr Address, size_t Bytes) {
  if (const CUresult R = prepareStream())
    return R;
  if (const CUresult R = cuMemsetD8Async(Address, FillByte, Bytes, Stream))
    return R;
  return cuStreamSynchronize(Stream);
}
