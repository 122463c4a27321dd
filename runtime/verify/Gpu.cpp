//===-- Gpu.cpp - what the GPU says of itself -----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Gpu.h"
#include <dlfcn.h>

using namespace bankstripe::runtime;

// The name after cuda.h's mapping.
#define BANKSTRIPE_TEXT_OF(NAME) #NAME
#define BANKSTRIPE_TEXT(NAME) BANKSTRIPE_TEXT_OF(NAME)

std::string Driver::load() {
  void *Library = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (!Library)
    return "no NVIDIA driver is installed (libcuda.so.1 was not found)";
  std::string Missing;
#define BANKSTRIPE_LOAD(NAME)                                                  \
  NAME = reinterpret_cast<decltype(NAME)>(                                     \
      ::dlsym(Library, BANKSTRIPE_TEXT(NAME)));                                \
  if (!NAME)                                                                   \
    Missing = BANKSTRIPE_TEXT(NAME);
  BANKSTRIPE_DRIVER_FUNCTIONS(BANKSTRIPE_LOAD)
#undef BANKSTRIPE_LOAD
  return Missing.empty() ? ""
                         : "the NVIDIA driver has no " + Missing +
                               "; install one for CUDA 12 or later";
}

std::string Driver::name(CUresult Result) const {
  const char *Name = nullptr;
  if (cuGetErrorName(Result, &Name) != CUDA_SUCCESS || !Name)
    return "CUDA error " + std::to_string(static_cast<int>(Result));
  return Name;
}

std::string bankstripe::runtime::whyNoGpu() {
  Driver D;
  if (std::string Problem = D.load(); !Problem.empty())
    return Problem;
  int Devices = 0;
  CUresult Result = D.cuInit(0);
  if (Result == CUDA_SUCCESS)
    Result = D.cuDeviceGetCount(&Devices);
  if (Result != CUDA_SUCCESS) {
    const char *Text = nullptr;
    D.cuGetErrorString(Result, &Text);
    return std::string("the NVIDIA driver says: ") +
           (Text ? Text : "unknown error");
  }
  return Devices > 0 ? "" : "the NVIDIA driver sees no GPU";
}

static GpuFacts ask(const Driver &D, CUdevice Device) {
  const auto Value = [&](CUdevice_attribute A) {
    int Found = 0;
    return D.cuDeviceGetAttribute(&Found, A, Device) == CUDA_SUCCESS &&
                   Found > 0
               ? static_cast<unsigned>(Found)
               : 0U;
  };
  int Version = 0;
  if (D.cuDriverGetVersion(&Version) != CUDA_SUCCESS)
    Version = 0;
  return {.Multiprocessors = Value(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
          .ThreadsPerMultiprocessor =
              Value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
          .MegaHertz = Value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000,
          .Driver = static_cast<unsigned>(Version)};
}

std::optional<GpuFacts> bankstripe::runtime::gpuFacts(const std::string &Name) {
  Driver D;
  int Count = 0;
  if (!D.load().empty() || D.cuInit(0) != CUDA_SUCCESS ||
      D.cuDeviceGetCount(&Count) != CUDA_SUCCESS)
    return std::nullopt;
  for (int Device = 0; Device < Count; ++Device) {
    char Found[256] = "";
    if (D.cuDeviceGetName(Found, sizeof Found - 1, Device) != CUDA_SUCCESS ||
        Name != Found)
      continue;
    const GpuFacts Facts = ask(D, Device);
    if (Facts.Multiprocessors && Facts.ThreadsPerMultiprocessor)
      return Facts;
  }
  return std::nullopt;
}
