//===-- Timing.cpp - runs both programs for their durations ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Timing.h"
#include "verify/Gpu.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <dlfcn.h>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <variant>

using namespace bankstripe::runtime;

constexpr auto Period = std::chrono::milliseconds(50);

// What is needed of the management library; 0 is success.
using NvmlDevice = void *;
using NvmlInit = int (*)();
using NvmlFind = int (*)(const char *, NvmlDevice *);
using NvmlClock = int (*)(NvmlDevice, int, unsigned *);
constexpr int SmClock = 1, MemoryClock = 2;

// Reads the clocks; nothing when they cannot be read just now.
using ClockSource = std::function<std::optional<ClockSample>()>;

// The clocks of the first GPU that this process sees, by way of NVIDIA's
// management library, which is looked for at run time; or why there are none.
static std::variant<ClockSource, std::string> findClocks() {
  Driver D;
  char BusId[32] = "";
  if (!D.load().empty() || D.cuInit(0) != CUDA_SUCCESS ||
      D.cuDeviceGetPCIBusId(BusId, sizeof BusId, 0) != CUDA_SUCCESS)
    return std::string("the driver does not name the GPU's bus");
  void *Library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!Library)
    return std::string("libnvidia-ml.so.1 was not found");
  const auto Init = reinterpret_cast<NvmlInit>(::dlsym(Library, "nvmlInit_v2"));
  const auto Find = reinterpret_cast<NvmlFind>(
      ::dlsym(Library, "nvmlDeviceGetHandleByPciBusId_v2"));
  const auto Clock =
      reinterpret_cast<NvmlClock>(::dlsym(Library, "nvmlDeviceGetClockInfo"));
  NvmlDevice Device = nullptr;
  if (!Init || !Find || !Clock || Init() != 0 || Find(BusId, &Device) != 0)
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

// Reads clocks until the thread is told to stop, as it is when it goes.
static std::jthread sampleClocks(const ClockSource &Source,
                                 std::vector<ClockSample> &Into) {
  if (!Source)
    return {};
  return std::jthread([Source, &Into](const std::stop_token &Stop) {
    std::mutex Mutex;
    std::unique_lock Lock(Mutex);
    std::condition_variable_any Waiting;
    const auto Never = [] { return false; };
    while (Waiting.wait_for(Lock, Stop, Period, Never), !Stop.stop_requested())
      if (const auto Sample = Source())
        Into.push_back(*Sample);
  });
}

static ClockSummary::Range rangeOf(const std::vector<ClockSample> &Samples,
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
  return ClockSummary{Samples.size(), rangeOf(Samples, &ClockSample::Sm),
                      rangeOf(Samples, &ClockSample::Memory)};
}

// One run. \returns false when there will be no more durations.
static bool timeOne(Runner &Runs, bool IsRewritten, int ExitStatus,
                    const ClockSource &Source, std::vector<ClockSample> &Clocks,
                    TimedRuns &Result) {
  const Options &O = Runs.options();
  const char *Which = IsRewritten ? "rewritten" : "original";
  RecordedRun Run;
  {
    const std::jthread Sampler = sampleClocks(Source, Clocks);
    RecordRequest Request;
    Request.Mode = RecordingMode::Time;
    Run = Runs.run(IsRewritten ? O.Rewritten : O.Original, std::move(Request));
  }
  Runs.forget(Run);
  if (!Run.Child.exited() || Run.Child.ExitStatus != ExitStatus) {
    Result.Failure = {IsRewritten,
                      fmt::format("the {} program, run without digests: {}{}",
                                  Which, Run.Child.describe(),
                                  lastWords(Run.Child))};
    return false;
  }
  if (!Run.Problem.empty()) {
    Result.Notes.push_back(fmt::format("the {} program could not be timed: {}",
                                       Which, Run.Problem));
    return false;
  }
  if (Run.Record.Launches.empty()) {
    Result.Notes.push_back(
        fmt::format("the {} program, run without digests, left no durations; "
                    "does it end through _exit?",
                    Which));
    return false;
  }
  (IsRewritten ? Result.Rewrittens : Result.Originals)
      .push_back(std::move(Run.Record));
  return true;
}

// The two take turns in going first, so that a GPU that warms up slows neither
// more than the other.
TimedRuns bankstripe::runtime::timeBoth(Runner &Runs, int ExitStatus) {
  const Options &O = Runs.options();
  TimedRuns Result;
  if (O.Runs == 0) {
    Result.ClocksUnknown = "nothing was timed";
    return Result;
  }
  const auto Found = findClocks();
  const auto *Source = std::get_if<ClockSource>(&Found);
  if (!Source)
    Result.ClocksUnknown = std::get<std::string>(Found);
  std::vector<ClockSample> Clocks[2];
  bool GoesOn = true;
  for (unsigned I = 0; I < O.Runs && GoesOn; ++I) {
    Runs.tell(fmt::format("timing, run {} of {}", I + 1, O.Runs));
    for (const bool IsRewritten : {I % 2 == 1, I % 2 == 0})
      GoesOn = GoesOn && timeOne(Runs, IsRewritten, ExitStatus,
                                 Source ? *Source : ClockSource(),
                                 Clocks[IsRewritten], Result);
    Result.Runs += GoesOn;
  }
  Result.OriginalClocks = summarise(Clocks[0]);
  Result.RewrittenClocks = summarise(Clocks[1]);
  if (Source && (!Result.OriginalClocks || !Result.RewrittenClocks))
    Result.ClocksUnknown = "the programs end before they could be read";
  return Result;
}
