//===-- Gpu.cpp - whether there is a GPU to run on ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Gpu.h"
#include <array>
#include <dlfcn.h>

using namespace bankstripe::runtime;

// The driver functions that are needed; CUDA's results are enumerators
// of which 0 is success.
using InitFunction = int (*)(unsigned);
using CountFunction = int (*)(int *);
using BusFunction = int (*)(char *, int, int);
using ErrorFunction = int (*)(int, const char **);

template <class Function>
static Function find(void *Library, const char *Name) {
  return reinterpret_cast<Function>(::dlsym(Library, Name));
}

std::string bankstripe::runtime::whyNoGpu() {
  void *Library = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (!Library)
    return "no NVIDIA driver is installed (libcuda.so.1 was not found)";
  const auto Init = find<InitFunction>(Library, "cuInit");
  const auto Count = find<CountFunction>(Library, "cuDeviceGetCount");
  const auto ErrorText = find<ErrorFunction>(Library, "cuGetErrorString");
  if (!Init || !Count || !ErrorText)
    return "libcuda.so.1 is not the NVIDIA driver's";
  int Devices = 0;
  int Result = Init(0);
  if (Result == 0)
    Result = Count(&Devices);
  if (Result != 0) {
    const char *Text = nullptr;
    ErrorText(Result, &Text);
    return std::string("the NVIDIA driver says: ") +
           (Text ? Text : "unknown error");
  }
  return Devices > 0 ? "" : "the NVIDIA driver sees no GPU";
}

std::string bankstripe::runtime::busIdOfFirstGpu() {
  void *Library = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (!Library)
    return "";
  const auto Init = find<InitFunction>(Library, "cuInit");
  const auto BusId = find<BusFunction>(Library, "cuDeviceGetPCIBusId");
  std::array<char, 32> Text{};
  if (!Init || !BusId || Init(0) != 0 ||
      BusId(Text.data(), static_cast<int>(Text.size()), 0) != 0)
    return "";
  return Text.data();
}
