//===-- Driver.cpp - what is asked of the CUDA driver ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/Driver.h"
#include <dlfcn.h>

using namespace bankstripe::runtime;

// The name after cuda.h's mapping.
#define BANKSTRIPE_TEXT_OF(NAME) #NAME
#define BANKSTRIPE_TEXT(NAME) BANKSTRIPE_TEXT_OF(NAME)

// CUPTI, and programs that nvcc made, need a driver for their version of CUDA.
static std::string whyTooOld(void *Library) {
  constexpr int Needed = CUDA_VERSION / 1000;
  const auto GetVersion = reinterpret_cast<decltype(&cuDriverGetVersion)>(
      ::dlsym(Library, "cuDriverGetVersion"));
  int Found = 0;
  if (!GetVersion || GetVersion(&Found) != CUDA_SUCCESS ||
      Found / 1000 >= Needed)
    return "";
  return "the NVIDIA driver is for CUDA " + std::to_string(Found / 1000) + "." +
         std::to_string(Found % 1000 / 10) + "; install one for CUDA " +
         std::to_string(Needed) + " or later";
}

std::string Driver::load() {
  void *Library = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (!Library)
    return "no NVIDIA driver is installed (libcuda.so.1 was not found)";
  if (std::string Problem = whyTooOld(Library); !Problem.empty())
    return Problem;
  std::string Missing;
#define BANKSTRIPE_LOAD(NAME)                                                  \
  NAME = reinterpret_cast<decltype(NAME)>(                                     \
      ::dlsym(Library, BANKSTRIPE_TEXT(NAME)));                                \
  if (!NAME)                                                                   \
    Missing = BANKSTRIPE_TEXT(NAME);
  BANKSTRIPE_DRIVER_FUNCTIONS(BANKSTRIPE_LOAD)
#undef BANKSTRIPE_LOAD
  return Missing.empty() ? "" : "the NVIDIA driver has no " + Missing;
}

std::string Driver::name(CUresult Result) const {
  const char *Name = nullptr;
  if (cuGetErrorName(Result, &Name) != CUDA_SUCCESS || !Name)
    return "CUDA error " + std::to_string(static_cast<int>(Result));
  return Name;
}

void Driver::need(CUresult Result, const std::string &What) const {
  if (Result != CUDA_SUCCESS)
    throw GpuProblem(What + ": " + name(Result));
}

std::string bankstripe::runtime::whyNoGpu() {
  Driver D;
  if (std::string Problem = D.load(); !Problem.empty())
    return Problem;
  int Devices = 0;
  CUresult Result = D.cuInit(0);
  if (Result == CUDA_SUCCESS)
    Result = D.cuDeviceGetCount(&Devices);
  if (Result != CUDA_SUCCESS)
    return "the NVIDIA driver says: " + D.name(Result);
  return Devices > 0 ? "" : "the NVIDIA driver sees no GPU";
}
