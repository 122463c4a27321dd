//===-- Injection.cpp - driver calls to events ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CUDA driver loads the library that CUDA_INJECTION64_PATH names and calls
// its InitializeInjection before the program's first CUDA call goes through.
// From then on CUPTI calls back at the entry and the exit of the driver calls
// that are listed here. The CUDA runtime, also a statically linked one, goes
// through the same driver calls, so nothing else has to be watched.
//
// What the recorder does is said by the environment:
//
//     BANKSTRIPE_RECORD=PATH   write a recording there; unset: do nothing
//     BANKSTRIPE_MODE=digest   digests of device memory (the default)
//     BANKSTRIPE_MODE=time     durations of the kernels
//     BANKSTRIPE_DUMP=LAUNCH:ALLOCATION:BEGIN:END
//                              with digest: the bytes BEGIN to END of an
//                              allocation (`v3`: of a variable) after a launch,
//                              into PATH.bytes
//
// and, for the launches to digest after, by the variables in Selection.h.
//
// Nothing here is ever destroyed: the program's last CUDA calls may come from
// destructors that run after this library's own.
//
//===----------------------------------------------------------------------===//

#include "recorder/Recorder.h"
#include "recorder/Timing.h"
#include <chrono>
#include <cstdlib>
#include <cupti.h>

using namespace bankstripe::runtime;

namespace {

// What is done at a driver call.
enum class Action {
  Launch,
  LaunchEx,
  LaunchCooperative,
  LaunchGraph,
  Allocate,
  AllocatePitch,
  AllocateManaged,
  AllocateAsync,
  AllocateFromPool,
  Free,
  FreeAsync,
  CaptureBegins,
  CaptureEnds,
  Unload,
  ContextEnds,
  Note, // Counted at its successful exit.
};

struct WatchedCall {
  CUpti_CallbackId Id;
  Action What;
  // Without a stream the call means the calling thread's own default stream.
  bool PerThread = false;
  const char *NoteText = nullptr;
};

} // namespace

#define CALL(NAME) CUPTI_DRIVER_TRACE_CBID_##NAME

static const WatchedCall Watched[] = {
    {CALL(cuLaunchKernel), Action::Launch},
    {CALL(cuLaunchKernel_ptsz), Action::Launch, true},
    {CALL(cuLaunchKernelEx), Action::LaunchEx},
    {CALL(cuLaunchKernelEx_ptsz), Action::LaunchEx, true},
    {CALL(cuLaunchCooperativeKernel), Action::LaunchCooperative},
    {CALL(cuLaunchCooperativeKernel_ptsz), Action::LaunchCooperative, true},
    {CALL(cuGraphLaunch), Action::LaunchGraph},
    {CALL(cuGraphLaunch_ptsz), Action::LaunchGraph, true},
    {CALL(cuMemAlloc_v2), Action::Allocate},
    {CALL(cuMemAllocPitch_v2), Action::AllocatePitch},
    {CALL(cuMemAllocManaged), Action::AllocateManaged},
    {CALL(cuMemAllocAsync), Action::AllocateAsync},
    {CALL(cuMemAllocAsync_ptsz), Action::AllocateAsync, true},
    {CALL(cuMemAllocFromPoolAsync), Action::AllocateFromPool},
    {CALL(cuMemAllocFromPoolAsync_ptsz), Action::AllocateFromPool, true},
    {CALL(cuMemFree_v2), Action::Free},
    {CALL(cuMemFreeAsync), Action::FreeAsync},
    {CALL(cuMemFreeAsync_ptsz), Action::FreeAsync, true},
    {CALL(cuStreamBeginCapture_v2), Action::CaptureBegins},
    {CALL(cuStreamBeginCapture_v2_ptsz), Action::CaptureBegins},
    {CALL(cuStreamBeginCaptureToGraph), Action::CaptureBegins},
    {CALL(cuStreamBeginCaptureToGraph_ptsz), Action::CaptureBegins},
    {CALL(cuStreamEndCapture), Action::CaptureEnds},
    {CALL(cuStreamEndCapture_ptsz), Action::CaptureEnds},
    {CALL(cuModuleUnload), Action::Unload},
    {CALL(cuLibraryUnload), Action::Unload},
    {CALL(cuCtxDestroy), Action::ContextEnds},
    {CALL(cuCtxDestroy_v2), Action::ContextEnds},
    {CALL(cuDevicePrimaryCtxReset), Action::ContextEnds},
    {CALL(cuDevicePrimaryCtxReset_v2), Action::ContextEnds},
    {CALL(cuDevicePrimaryCtxRelease), Action::ContextEnds},
    {CALL(cuDevicePrimaryCtxRelease_v2), Action::ContextEnds},
    {CALL(cuMemCreate), Action::Note, false,
     "virtual memory (cuMemCreate), not digested"},
    {CALL(cuMemMapArrayAsync), Action::Note, false,
     "sparse arrays (cuMemMapArrayAsync), not digested"},
    {CALL(cuMulticastCreate), Action::Note, false,
     "multicast memory (cuMulticastCreate), not digested"},
    {CALL(cuArrayCreate_v2), Action::Note, false,
     "CUDA arrays (cuArrayCreate), not digested"},
    {CALL(cuArray3DCreate_v2), Action::Note, false,
     "CUDA arrays (cuArray3DCreate), not digested"},
    {CALL(cuMipmappedArrayCreate), Action::Note, false,
     "mipmapped arrays (cuMipmappedArrayCreate), not digested"},
    {CALL(cuMemHostAlloc), Action::Note, false,
     "pinned host memory (cuMemHostAlloc), not digested"},
    {CALL(cuMemHostAlloc_v2), Action::Note, false,
     "pinned host memory (cuMemHostAlloc), not digested"},
    {CALL(cuMemAllocHost_v2), Action::Note, false,
     "pinned host memory (cuMemAllocHost), not digested"},
    {CALL(cuMemHostRegister_v2), Action::Note, false,
     "registered host memory (cuMemHostRegister), not digested"},
    {CALL(cuExternalMemoryGetMappedBuffer), Action::Note, false,
     "memory of another API (cuExternalMemoryGetMappedBuffer), not digested"},
    {CALL(cuIpcOpenMemHandle_v2), Action::Note, false,
     "memory of another process (cuIpcOpenMemHandle), not digested"},
    {CALL(cuMemPoolImportPointer), Action::Note, false,
     "memory of another process (cuMemPoolImportPointer), not digested"},
    {CALL(cuGraphAddMemAllocNode), Action::Note, false,
     "allocations inside graphs (cuGraphAddMemAllocNode), not digested"},
    {CALL(cuLaunchCooperativeKernelMultiDevice), Action::Note, false,
     "launches on several devices, not recorded"},
};

#undef CALL

static Recorder *TheRecorder = nullptr;
static RecordingWriter *TheWriter = nullptr;

static bool isLaunch(Action What) {
  return What == Action::Launch || What == Action::LaunchEx ||
         What == Action::LaunchCooperative || What == Action::LaunchGraph;
}

template <class Parameters>
static const Parameters &parameters(const CUpti_CallbackData &Data) {
  return *static_cast<const Parameters *>(Data.functionParams);
}

static CUstream streamOf(const WatchedCall &Call, CUstream Stream) {
  return Call.PerThread && !Stream ? CU_STREAM_PER_THREAD : Stream;
}

// The three launch calls that spell out grid and block name them alike.
template <class Parameters>
static void describe(LaunchRequest &Request, const Parameters &P) {
  Request.Grid = {P.gridDimX, P.gridDimY, P.gridDimZ};
  Request.Block = {P.blockDimX, P.blockDimY, P.blockDimZ};
  Request.DynamicSharedBytes = P.sharedMemBytes;
  Request.Stream = P.hStream;
}

static LaunchRequest launchRequest(const WatchedCall &Call,
                                   const CUpti_CallbackData &Data) {
  LaunchRequest Request;
  Request.Symbol = Data.symbolName;
  Request.Context = Data.context;
  Request.Result = *static_cast<const CUresult *>(Data.functionReturnValue);
  if (Call.What == Action::LaunchEx) {
    const auto &P = parameters<cuLaunchKernelEx_params>(Data);
    Request.Function = P.f;
    if (P.config)
      describe(Request, *P.config);
  } else if (Call.What == Action::LaunchCooperative) {
    const auto &P = parameters<cuLaunchCooperativeKernel_params>(Data);
    Request.Function = P.f;
    describe(Request, P);
  } else if (Call.What == Action::Launch) {
    const auto &P = parameters<cuLaunchKernel_params>(Data);
    Request.Function = P.f;
    describe(Request, P);
  } else {
    Request.Stream = parameters<cuGraphLaunch_params>(Data).hStream;
  }
  Request.Stream = streamOf(Call, Request.Stream);
  return Request;
}

// At the entry of a call: what must happen before the driver acts.
static void entering(const WatchedCall &Call, const CUpti_CallbackData &Data) {
  if (isLaunch(Call.What)) {
    TheRecorder->mutex().lock(); // leaving() releases it.
    return;
  }
  const std::lock_guard Lock(TheRecorder->mutex());
  if (Call.What == Action::Free)
    TheRecorder->freeing(parameters<cuMemFree_v2_params>(Data).dptr);
  else if (Call.What == Action::FreeAsync)
    TheRecorder->freeing(parameters<cuMemFreeAsync_params>(Data).dptr);
  else if (Call.What == Action::Unload)
    TheRecorder->modulesUnload();
  else if (Call.What == Action::ContextEnds)
    TheRecorder->ending();
}

static void allocated(const WatchedCall &Call, const CUpti_CallbackData &Data) {
  CUcontext In = Data.context;
  switch (Call.What) {
  case Action::Allocate: {
    const auto &P = parameters<cuMemAlloc_v2_params>(Data);
    return TheRecorder->allocated(In, "device", *P.dptr, P.bytesize, nullptr,
                                  false);
  }
  case Action::AllocatePitch: {
    const auto &P = parameters<cuMemAllocPitch_v2_params>(Data);
    return TheRecorder->allocated(In, "pitch", *P.dptr, *P.pPitch * P.Height,
                                  nullptr, false);
  }
  case Action::AllocateManaged: {
    const auto &P = parameters<cuMemAllocManaged_params>(Data);
    return TheRecorder->allocated(In, "managed", *P.dptr, P.bytesize, nullptr,
                                  P.flags & CU_MEM_ATTACH_HOST);
  }
  case Action::AllocateAsync: {
    const auto &P = parameters<cuMemAllocAsync_params>(Data);
    return TheRecorder->allocated(In, "async", *P.dptr, P.bytesize,
                                  streamOf(Call, P.hStream), false);
  }
  case Action::AllocateFromPool: {
    const auto &P = parameters<cuMemAllocFromPoolAsync_params>(Data);
    return TheRecorder->allocated(In, "pool", *P.dptr, P.bytesize,
                                  streamOf(Call, P.hStream), false);
  }
  default:
    return;
  }
}

// At the exit of a call: what the driver has done.
static void leaving(const WatchedCall &Call, const CUpti_CallbackData &Data) {
  if (isLaunch(Call.What)) {
    TheRecorder->launched(launchRequest(Call, Data));
    TheRecorder->mutex().unlock();
    return;
  }
  const std::lock_guard Lock(TheRecorder->mutex());
  // A capture that was invalidated ends with an error, and ends.
  if (Call.What == Action::CaptureEnds)
    TheRecorder->captureEnds();
  if (*static_cast<const CUresult *>(Data.functionReturnValue) != CUDA_SUCCESS)
    return;
  if (Call.What == Action::CaptureBegins)
    TheRecorder->captureBegins();
  else if (Call.What == Action::Note)
    TheRecorder->note(Call.NoteText);
  else
    allocated(Call, Data);
}

static void resourceEvent(CUpti_CallbackId Id, const CUpti_ResourceData &Data) {
  if (Id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
    TheRecorder->contextEnds(Data.context);
  if (Id == CUPTI_CBID_RESOURCE_MODULE_LOADED && Data.resourceDescriptor) {
    const auto &Module =
        *static_cast<const CUpti_ModuleResourceData *>(Data.resourceDescriptor);
    if (Module.pCubin)
      TheRecorder->moduleLoaded(Module.pCubin, Module.cubinSize);
  }
}

static void CUPTIAPI callback(void *, CUpti_CallbackDomain Domain,
                              CUpti_CallbackId Id, const void *Data) {
  if (OwnCalls::active())
    return;
  if (Domain == CUPTI_CB_DOMAIN_RESOURCE)
    return resourceEvent(Id, *static_cast<const CUpti_ResourceData *>(Data));
  for (const WatchedCall &Call : Watched) {
    if (Call.Id != Id)
      continue;
    const auto &D = *static_cast<const CUpti_CallbackData *>(Data);
    return D.callbackSite == CUPTI_API_ENTER ? entering(Call, D)
                                             : leaving(Call, D);
  }
}

// In mode time: executions must be written before their context goes.
static void CUPTIAPI flushCallback(void *, CUpti_CallbackDomain,
                                   CUpti_CallbackId, const void *Data) {
  if (static_cast<const CUpti_CallbackData *>(Data)->callbackSite ==
      CUPTI_API_ENTER)
    flushTiming();
}

static std::string cuptiProblem(CUptiResult Result) {
  const char *Text = nullptr;
  cuptiGetResultString(Result, &Text);
  return std::string("CUPTI cannot watch this program: ") +
         (Text ? Text : "unknown error");
}

static std::string startDigests() {
  auto Settings = SelectionSettings::read(
      [](const char *Name) -> const char * { return std::getenv(Name); });
  if (auto *Problem = std::get_if<std::string>(&Settings))
    return *Problem;
  TheRecorder = new Recorder(*TheWriter,
                             std::move(std::get<SelectionSettings>(Settings)));
  CUpti_SubscriberHandle Subscriber = nullptr;
  if (const CUptiResult Result = cuptiSubscribe(&Subscriber, callback, nullptr))
    return cuptiProblem(Result);
  for (const WatchedCall &Call : Watched) {
    const CUptiResult Result =
        cuptiEnableCallback(1, Subscriber, CUPTI_CB_DOMAIN_DRIVER_API, Call.Id);
    // An older CUPTI does not know the newest calls, nor does its driver.
    if (Result != CUPTI_SUCCESS && Call.What != Action::Note)
      return cuptiProblem(Result);
  }
  for (const CUpti_CallbackId Id :
       {CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
        CUPTI_CBID_RESOURCE_MODULE_LOADED})
    if (const CUptiResult Result =
            cuptiEnableCallback(1, Subscriber, CUPTI_CB_DOMAIN_RESOURCE, Id))
      return cuptiProblem(Result);
  return {};
}

static std::string startTimes() {
  std::string Problem = startTiming(*TheWriter);
  if (!Problem.empty())
    return Problem;
  CUpti_SubscriberHandle Subscriber = nullptr;
  if (const CUptiResult Result =
          cuptiSubscribe(&Subscriber, flushCallback, nullptr))
    return cuptiProblem(Result);
  for (const CUpti_CallbackId Id :
       {CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset,
        CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2,
        CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease,
        CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease_v2,
        CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy,
        CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2})
    cuptiEnableCallback(1, Subscriber, CUPTI_CB_DOMAIN_DRIVER_API, Id);
  return {};
}

// A thread that hangs in a launch holds the lock for good.
constexpr std::chrono::seconds LongestWaitAtEnd(30);

static void processEnds() {
  flushTiming();
  if (TheRecorder) {
    const std::unique_lock Lock(TheRecorder->mutex(), LongestWaitAtEnd);
    if (Lock.owns_lock())
      TheRecorder->ending();
    else
      TheRecorder->note("last launches not digested because a thread still "
                        "launches");
  }
  TheWriter->end();
}

/// Called by the CUDA driver. Always answers 1: a recorder that cannot record
/// must not keep the program from running.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char *Path = std::getenv("BANKSTRIPE_RECORD");
  if (!Path || !*Path || TheWriter)
    return 1;
  const char *ModeText = std::getenv("BANKSTRIPE_MODE");
  const bool Times = ModeText && std::string(ModeText) == "time";
  TheWriter = new RecordingWriter;
  if (!TheWriter->open(Path,
                       Times ? RecordingMode::Time : RecordingMode::Digest))
    return 1;
  const std::string Problem = Times ? startTimes() : startDigests();
  if (!Problem.empty()) {
    TheWriter->failure(Problem);
    return 1;
  }
  if (const char *Text = std::getenv("BANKSTRIPE_DUMP"); Text && TheRecorder)
    if (auto Dump = DumpRequest::parse(Text)) {
      Dump->Path = std::string(Path) + ".bytes";
      TheRecorder->setDump(std::move(*Dump));
    }
  std::atexit(processEnds);
  return 1;
}
