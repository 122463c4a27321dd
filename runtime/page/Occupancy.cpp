//===-- Occupancy.cpp - resident warps per multiprocessor -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic is that of the toolkit's cuda_occupancy.h. The carve-out is
// taken to be the driver's own choice.
//
//===----------------------------------------------------------------------===//

#include "page/Occupancy.h"
#include <cuda_occupancy.h>

using namespace bankstripe::runtime;

static cudaOccDeviceProp propertiesOf(const GpuFacts &Gpu) {
  const auto Signed = [](unsigned Value) { return static_cast<int>(Value); };
  cudaOccDeviceProp P;
  P.computeMajor = Signed(Gpu.Major);
  P.computeMinor = Signed(Gpu.Minor);
  P.maxThreadsPerBlock = Signed(Gpu.ThreadsPerBlock);
  P.maxThreadsPerMultiprocessor = Signed(Gpu.ThreadsPerMultiprocessor);
  P.regsPerBlock = Signed(Gpu.RegistersPerBlock);
  P.regsPerMultiprocessor = Signed(Gpu.RegistersPerMultiprocessor);
  P.warpSize = 32;
  P.sharedMemPerBlock = Gpu.SharedPerBlock;
  P.sharedMemPerMultiprocessor = Gpu.SharedPerMultiprocessor;
  P.sharedMemPerBlockOptin = Gpu.SharedPerBlockOptIn;
  P.reservedSharedMemPerBlock = Gpu.SharedReservedPerBlock;
  P.numSms = Signed(Gpu.Multiprocessors);
  return P;
}

std::optional<unsigned> bankstripe::runtime::residentWarps(
    const Resources &Takes, const LaunchShape &Shape, const GpuFacts &Gpu) {
  if (Shape.Threads == 0)
    return std::nullopt;
  const cudaOccDeviceProp Properties = propertiesOf(Gpu);
  cudaOccFuncAttributes Attributes;
  Attributes.maxThreadsPerBlock = Properties.maxThreadsPerBlock;
  Attributes.numRegs = static_cast<int>(Takes.Registers);
  Attributes.sharedSizeBytes = Takes.StaticSharedBytes;
  Attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  Attributes.maxDynamicSharedSizeBytes = Properties.sharedMemPerBlockOptin;
  Attributes.numBlockBarriers = 1;
  cudaOccDeviceState State;
  State.cacheConfig = CACHE_PREFER_NONE;
  State.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
  cudaOccResult Result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(
          &Result, &Properties, &Attributes, &State,
          static_cast<int>(Shape.Threads),
          Shape.DynamicSharedBytes) != CUDA_OCC_SUCCESS)
    return std::nullopt;
  return static_cast<unsigned>(Result.activeBlocksPerMultiprocessor) *
         ((Shape.Threads + 31) / 32);
}
