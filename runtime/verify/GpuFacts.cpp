//===-- GpuFacts.cpp - the figures of a GPU -------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like Gpu.cpp, this looks for the driver at run time. Occupancy is the
// arithmetic of the toolkit's cuda_occupancy.h; the carveout is taken to be
// the driver's own choice.
//
//===----------------------------------------------------------------------===//

#include "verify/GpuFacts.h"
#include <array>
#include <cuda_occupancy.h>
#include <dlfcn.h>

using namespace bankstripe::runtime;

namespace {

// Values of CUdevice_attribute, which never change.
enum Attribute : int {
  MaxThreadsPerBlock = 1,
  MaxSharedPerBlock = 8,
  MaxRegistersPerBlock = 12,
  ClockRate = 13, // In kHz.
  MultiprocessorCount = 16,
  MaxThreadsPerMultiprocessor = 39,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MaxSharedPerMultiprocessor = 81,
  MaxRegistersPerMultiprocessor = 82,
  MaxSharedPerBlockOptIn = 97,
  ReservedSharedPerBlock = 111,
};

// The driver functions that are needed. CUDA's results are enumerators of
// which 0 is success, its devices are integers.
struct Driver {
  int (*Init)(unsigned) = nullptr;
  int (*Version)(int *) = nullptr;
  int (*Count)(int *) = nullptr;
  int (*Name)(char *, int, int) = nullptr;
  int (*Attribute)(int *, int, int) = nullptr;
};

} // namespace

template <class Function>
static bool find(void *Library, const char *Name, Function &Found) {
  Found = reinterpret_cast<Function>(::dlsym(Library, Name));
  return Found != nullptr;
}

static std::optional<Driver> openDriver() {
  void *Library = ::dlopen("libcuda.so.1", RTLD_NOW);
  Driver D;
  if (!Library || !find(Library, "cuInit", D.Init) ||
      !find(Library, "cuDriverGetVersion", D.Version) ||
      !find(Library, "cuDeviceGetCount", D.Count) ||
      !find(Library, "cuDeviceGetName", D.Name) ||
      !find(Library, "cuDeviceGetAttribute", D.Attribute) || D.Init(0) != 0)
    return std::nullopt;
  return D;
}

static GpuFacts ask(const Driver &D, int Device) {
  const auto Value = [&](Attribute A) {
    int Found = 0;
    return D.Attribute(&Found, A, Device) == 0 && Found > 0
               ? static_cast<unsigned>(Found)
               : 0U;
  };
  GpuFacts Facts;
  Facts.Major = Value(CapabilityMajor);
  Facts.Minor = Value(CapabilityMinor);
  Facts.ThreadsPerBlock = Value(MaxThreadsPerBlock);
  Facts.RegistersPerMultiprocessor = Value(MaxRegistersPerMultiprocessor);
  Facts.RegistersPerBlock = Value(MaxRegistersPerBlock);
  Facts.SharedPerMultiprocessor = Value(MaxSharedPerMultiprocessor);
  Facts.SharedPerBlock = Value(MaxSharedPerBlock);
  Facts.SharedPerBlockOptIn = Value(MaxSharedPerBlockOptIn);
  Facts.SharedReservedPerBlock = Value(ReservedSharedPerBlock);
  Facts.Multiprocessors = Value(MultiprocessorCount);
  Facts.ThreadsPerMultiprocessor = Value(MaxThreadsPerMultiprocessor);
  Facts.MegaHertz = Value(ClockRate) / 1000;
  if (int Version = 0; D.Version(&Version) == 0 && Version > 0)
    Facts.Driver = static_cast<unsigned>(Version);
  return Facts;
}

std::optional<GpuFacts> bankstripe::runtime::gpuFacts(const std::string &Name) {
  const std::optional<Driver> D = openDriver();
  int Count = 0;
  if (!D || D->Count(&Count) != 0)
    return std::nullopt;
  for (int Device = 0; Device < Count; ++Device) {
    std::array<char, 256> Found{};
    if (D->Name(Found.data(), static_cast<int>(Found.size()), Device) != 0 ||
        Name != Found.data())
      continue;
    const GpuFacts Facts = ask(*D, Device);
    if (Facts.Multiprocessors && Facts.ThreadsPerMultiprocessor)
      return Facts;
  }
  return std::nullopt;
}

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
