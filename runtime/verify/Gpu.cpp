//===-- Gpu.cpp - what the GPU says of itself -----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Gpu.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <dlfcn.h>

using namespace bankstripe::runtime;

constexpr auto Period = std::chrono::milliseconds(50);
constexpr auto Patience = std::chrono::milliseconds(5);

// What is needed of the management library; 0 is success.
using NvmlDevice = void *;
using NvmlInit = int (*)();
using NvmlFind = int (*)(const char *, NvmlDevice *);
using NvmlClock = int (*)(NvmlDevice, int, unsigned *);
constexpr int SmClock = 1, MemoryClock = 2;

template <class Function>
static Function find(void *Library, const char *Name) {
  return reinterpret_cast<Function>(::dlsym(Library, Name));
}

std::variant<ClockSource, std::string> bankstripe::runtime::findClocks() {
  const std::string BusId = busIdOfFirstGpu();
  if (BusId.empty())
    return std::string("the driver does not name the GPU's bus");
  void *Library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!Library)
    return std::string("libnvidia-ml.so.1 was not found");
  const auto Init = find<NvmlInit>(Library, "nvmlInit_v2");
  const auto Find = find<NvmlFind>(Library, "nvmlDeviceGetHandleByPciBusId_v2");
  const auto Clock = find<NvmlClock>(Library, "nvmlDeviceGetClockInfo");
  NvmlDevice Device = nullptr;
  if (!Init || !Find || !Clock || Init() != 0 ||
      Find(BusId.c_str(), &Device) != 0)
    return std::string("libnvidia-ml.so.1 does not know the GPU");
  ClockSource Source = [Clock, Device]() -> std::optional<ClockSample> {
    ClockSample Sample;
    if (Clock(Device, SmClock, &Sample.Sm) != 0 ||
        Clock(Device, MemoryClock, &Sample.Memory) != 0)
      return std::nullopt;
    return Sample;
  };
  if (!Source())
    return std::string("libnvidia-ml.so.1 does not tell the clocks");
  return Source;
}

ClockSampler::ClockSampler(const ClockSource &Source,
                           std::vector<ClockSample> &Into)
    : Into(Into) {
  if (!Source)
    return;
  Thread = std::thread([this, Source] {
    auto Next = std::chrono::steady_clock::now() + Period;
    while (!Ends) {
      // In short steps, so that the end of a run is not waited for.
      std::this_thread::sleep_for(Patience);
      if (std::chrono::steady_clock::now() < Next)
        continue;
      Next += Period;
      if (const auto Sample = Source())
        Samples.push_back(*Sample);
    }
  });
}

ClockSampler::~ClockSampler() {
  Ends = true;
  if (Thread.joinable())
    Thread.join();
  Into.insert(Into.end(), Samples.begin(), Samples.end());
}

namespace {

struct Range {
  unsigned Low = 0, Median = 0, High = 0;
};

} // namespace

static Range rangeOf(const std::vector<ClockSample> &Samples,
                     unsigned ClockSample::*Clock) {
  std::vector<unsigned> Values;
  Values.reserve(Samples.size());
  for (const ClockSample &Sample : Samples)
    Values.push_back(Sample.*Clock);
  std::sort(Values.begin(), Values.end());
  return {Values.front(), Values[Values.size() / 2], Values.back()};
}

std::optional<ClockSummary>
bankstripe::runtime::summarise(const std::vector<ClockSample> &Samples) {
  if (Samples.empty())
    return std::nullopt;
  const Range Sm = rangeOf(Samples, &ClockSample::Sm);
  const Range Memory = rangeOf(Samples, &ClockSample::Memory);
  return ClockSummary{Samples.size(), Sm.Low,        Sm.Median,  Sm.High,
                      Memory.Low,     Memory.Median, Memory.High};
}

// The driver functions that are needed; CUDA's results are enumerators
// of which 0 is success.
using InitFunction = int (*)(unsigned);
using CountFunction = int (*)(int *);
using BusFunction = int (*)(char *, int, int);
using ErrorFunction = int (*)(int, const char **);

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
