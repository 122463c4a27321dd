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
// in WatchedCalls.cpp. The CUDA runtime, also a statically linked one, goes
// through the same driver calls, so nothing else has to be watched.
//
// What the recorder does is said by a request (recording/Request.h). Without
// one it does nothing; with one that it cannot read, the recording says so.
//
// Nothing here is ever destroyed: the program's last CUDA calls may come from
// destructors that run after this library's own.
//
//===----------------------------------------------------------------------===//

#include "recorder/Recorder.h"
#include "recorder/WatchedCalls.h"
#include <chrono>
#include <cstdlib>
#include <cupti.h>
#include <unistd.h>

using namespace bankstripe::runtime;

static Recorder *TheRecorder = nullptr;
static RecordingWriter *TheWriter = nullptr;

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

// The two of these that take parameters in either way do so alike.
template <class Parameters>
static void describeParameters(LaunchRequest &Request, const Parameters &P) {
  Request.Parameters = P.kernelParams;
  Request.Extra = P.extra;
}

static LaunchRequest launchRequest(const WatchedCall &Call,
                                   const CUpti_CallbackData &Data) {
  LaunchRequest Request;
  Request.Symbol = Data.symbolName;
  Request.Context = Data.context;
  if (Call.What == Action::LaunchEx) {
    const auto &P = parameters<cuLaunchKernelEx_params>(Data);
    Request.Function = P.f;
    describeParameters(Request, P);
    if (P.config) {
      describe(Request, *P.config);
      Request.Attributes = {P.config->attrs, P.config->numAttrs};
    }
  } else if (Call.What == Action::LaunchCooperative) {
    const auto &P = parameters<cuLaunchCooperativeKernel_params>(Data);
    Request.Function = P.f;
    Request.Parameters = P.kernelParams;
    Request.IsCooperative = true;
    describe(Request, P);
  } else if (Call.What == Action::Launch) {
    const auto &P = parameters<cuLaunchKernel_params>(Data);
    Request.Function = P.f;
    describeParameters(Request, P);
    describe(Request, P);
  } else {
    const auto &P = parameters<cuGraphLaunch_params>(Data);
    Request.Graph = P.hGraph;
    Request.Stream = P.hStream;
  }
  Request.Stream = streamOf(Call, Request.Stream);
  return Request;
}

// Where kernels see host memory, which need not be where the host sees it.
static CUdeviceptr seenByKernels(void *Host) {
  const OwnCalls Own;
  CUdeviceptr Address = 0;
  return cuMemHostGetDevicePointer(&Address, Host, 0) == CUDA_SUCCESS ? Address
                                                                      : 0;
}

// At the entry of a call: what must happen before the driver acts.
static void entering(const WatchedCall &Call, const CUpti_CallbackData &Data) {
  if (isLaunch(Call.What)) {
    TheRecorder->mutex().lock(); // leaving() releases it.
    return TheRecorder->launching(launchRequest(Call, Data));
  }
  const std::lock_guard Lock(TheRecorder->mutex());
  switch (Call.What) {
  case Action::Free:
    return TheRecorder->freeing(parameters<cuMemFree_v2_params>(Data).dptr);
  case Action::FreeAsync:
    return TheRecorder->freeing(parameters<cuMemFreeAsync_params>(Data).dptr);
  case Action::FreeHost:
    return TheRecorder->freeing(
        seenByKernels(parameters<cuMemFreeHost_params>(Data).p));
  case Action::UnregisterHost:
    return TheRecorder->freeing(
        seenByKernels(parameters<cuMemHostUnregister_params>(Data).p));
  case Action::Unmap: {
    const auto &P = parameters<cuMemUnmap_params>(Data);
    return TheRecorder->unmapping(P.ptr, P.size);
  }
  case Action::Unload:
    return TheRecorder->modulesUnload();
  case Action::ContextEnds:
    return TheRecorder->ending();
  default:
    return;
  }
}

static AllocationRequest memory(const CUpti_CallbackData &Data,
                                const char *Kind, CUdeviceptr Address,
                                uint64_t Bytes) {
  AllocationRequest Request;
  Request.In = Data.context;
  Request.Kind = Kind;
  Request.Address = Address;
  Request.Bytes = Bytes;
  return Request;
}

static AllocationRequest hostMemory(const CUpti_CallbackData &Data,
                                    const char *Kind, void *Host,
                                    uint64_t Bytes) {
  AllocationRequest Request = memory(Data, Kind, seenByKernels(Host), Bytes);
  Request.IsHost = true;
  return Request;
}

static AllocationRequest registered(const CUpti_CallbackData &Data) {
  const auto &P = parameters<cuMemHostRegister_v2_params>(Data);
  // Devices may answer reads of their registers with more than a value.
  if (!(P.Flags & CU_MEMHOSTREGISTER_IOMEMORY))
    return hostMemory(Data, "registered", P.p, P.bytesize);
  TheRecorder->unseen("registered memory of devices (cuMemHostRegister), not "
                      "digested");
  return {};
}

// Memory that becomes usable in the order of a stream, by two calls.
template <class Parameters>
static AllocationRequest ordered(const WatchedCall &Call,
                                 const CUpti_CallbackData &Data,
                                 const char *Kind) {
  const auto &P = parameters<Parameters>(Data);
  AllocationRequest Request = memory(Data, Kind, *P.dptr, P.bytesize);
  Request.Order = streamOf(Call, P.hStream);
  Request.IsOrdered = true;
  return Request;
}

static AllocationRequest allocation(const WatchedCall &Call,
                                    const CUpti_CallbackData &Data) {
  switch (Call.What) {
  case Action::Allocate: {
    const auto &P = parameters<cuMemAlloc_v2_params>(Data);
    return memory(Data, "device", *P.dptr, P.bytesize);
  }
  case Action::AllocatePitch: {
    const auto &P = parameters<cuMemAllocPitch_v2_params>(Data);
    return memory(Data, "pitch", *P.dptr, *P.pPitch * P.Height);
  }
  case Action::AllocateManaged: {
    const auto &P = parameters<cuMemAllocManaged_params>(Data);
    AllocationRequest Request = memory(Data, "managed", *P.dptr, P.bytesize);
    Request.IsHostFirst = P.flags & CU_MEM_ATTACH_HOST;
    return Request;
  }
  case Action::AllocateAsync:
    return ordered<cuMemAllocAsync_params>(Call, Data, "async");
  case Action::AllocateFromPool:
    return ordered<cuMemAllocFromPoolAsync_params>(Call, Data, "pool");
  case Action::AllocateHost: {
    // Two of three calls share their parameters.
    if (Call.Id != CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2) {
      const auto &P = parameters<cuMemHostAlloc_params>(Data);
      return hostMemory(Data, "pinned", *P.pp, P.bytesize);
    }
    const auto &P = parameters<cuMemAllocHost_v2_params>(Data);
    return hostMemory(Data, "pinned", *P.pp, P.bytesize);
  }
  case Action::RegisterHost:
    return registered(Data);
  default:
    return {};
  }
}

static void graphNodeAdded(const WatchedCall &Call,
                           const CUpti_CallbackData &Data) {
  const CUgraphNodeParams *Node =
      Call.Id == CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode_v2
          ? parameters<cuGraphAddNode_v2_params>(Data).nodeParams
          : parameters<cuGraphAddNode_params>(Data).nodeParams;
  if (Node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    TheRecorder->unseen(
        "allocations inside graphs (cuGraphAddNode), not digested");
  else if (Node->type == CU_GRAPH_NODE_TYPE_HOST)
    TheRecorder->note("host functions in graphs (cuGraphAddNode), not "
                      "recorded");
}

// After a call that succeeded.
static void succeeded(const WatchedCall &Call, const CUpti_CallbackData &Data) {
  switch (Call.What) {
  case Action::CaptureBegins:
    return TheRecorder->captureBegins();
  case Action::Note:
    return TheRecorder->note(Call.NoteText);
  case Action::Unseen:
    return TheRecorder->unseen(Call.NoteText);
  case Action::Object:
    return TheRecorder->onlyReplayMisses(Call.NoteText);
  case Action::GraphNode:
    return graphNodeAdded(Call, Data);
  case Action::Create:
    return TheRecorder->created(*parameters<cuMemCreate_params>(Data).handle);
  case Action::Map: {
    const auto &P = parameters<cuMemMap_params>(Data);
    return TheRecorder->mapped(P.ptr, P.size, P.handle);
  }
  case Action::SetAccess: {
    const auto &P = parameters<cuMemSetAccess_params>(Data);
    return TheRecorder->accessible(Data.context, P.ptr, P.size,
                                   {P.desc, P.count});
  }
  default:
    return TheRecorder->allocated(allocation(Call, Data));
  }
}

// At the exit of a call: what the driver has done.
static void leaving(const WatchedCall &Call, const CUpti_CallbackData &Data) {
  const auto Result = *static_cast<const CUresult *>(Data.functionReturnValue);
  if (isLaunch(Call.What)) {
    LaunchRequest Request = launchRequest(Call, Data);
    Request.Result = Result;
    TheRecorder->launched(Request);
    TheRecorder->mutex().unlock();
    return;
  }
  const std::lock_guard Lock(TheRecorder->mutex());
  // A capture that was invalidated ends with an error, and ends.
  if (Call.What == Action::CaptureEnds)
    TheRecorder->captureEnds();
  else if (Result == CUDA_SUCCESS)
    succeeded(Call, Data);
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
  // What the recorder asks for may be what makes the driver load a module.
  if (Domain == CUPTI_CB_DOMAIN_RESOURCE)
    return resourceEvent(Id, *static_cast<const CUpti_ResourceData *>(Data));
  if (OwnCalls::active())
    return;
  const WatchedCall *Call = findWatchedCall(Id);
  if (!Call)
    return;
  const auto &D = *static_cast<const CUpti_CallbackData *>(Data);
  D.callbackSite == CUPTI_API_ENTER ? entering(*Call, D) : leaving(*Call, D);
}

static std::string cuptiProblem(CUptiResult Result) {
  const char *Text = nullptr;
  cuptiGetResultString(Result, &Text);
  return std::string("CUPTI cannot watch this program: ") +
         (Text ? Text : "unknown error");
}

static std::string startDigests(const RecordRequest &Request) {
  TheRecorder = new Recorder(*TheWriter, Request);
  CUpti_SubscriberHandle Subscriber = nullptr;
  if (const CUptiResult Result = cuptiSubscribe(&Subscriber, callback, nullptr))
    return cuptiProblem(Result);
  for (const WatchedCall &Call : watchedCalls()) {
    const CUptiResult Result =
        cuptiEnableCallback(1, Subscriber, CUPTI_CB_DOMAIN_DRIVER_API, Call.Id);
    // An older CUPTI does not know the newest calls, nor does its driver.
    if (Result != CUPTI_SUCCESS && Call.What < Action::Note)
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

//===----------------------------------------------------------------------===//
// Mode time: CUPTI has a record of every kernel's execution. They arrive when
// they are over, and carry the number of the launch's call, which puts them in
// order.
//===----------------------------------------------------------------------===//

static bool IsTiming = false;

// CUPTI fills buffers of this size; a record takes about 200 bytes.
constexpr size_t BufferBytes = 1 << 20;
constexpr size_t BufferAlignment = 8;
// A program that never synchronises or leaves through _exit keeps at least
// what is older than this.
constexpr uint32_t FlushMilliseconds = 250;

static void CUPTIAPI requestBuffer(uint8_t **Buffer, size_t *Size,
                                   size_t *MaxRecords) {
  *Buffer =
      static_cast<uint8_t *>(std::aligned_alloc(BufferAlignment, BufferBytes));
  *Size = *Buffer ? BufferBytes : 0;
  *MaxRecords = 0;
}

static unsigned unsignedOf(int32_t Value) {
  return static_cast<unsigned>(Value);
}

static void writeExecution(const CUpti_ActivityKernel10 &Record) {
  if (Record.start == 0 || Record.end < Record.start) {
    TheWriter->note("kernel executions without a duration");
    return;
  }
  Launch L;
  L.Kernel = Record.name ? Record.name : "unknown kernel";
  L.Grid = {unsignedOf(Record.gridX), unsignedOf(Record.gridY),
            unsignedOf(Record.gridZ)};
  L.Block = {unsignedOf(Record.blockX), unsignedOf(Record.blockY),
             unsignedOf(Record.blockZ)};
  L.Takes = {Record.registersPerThread, unsignedOf(Record.staticSharedMemory),
             Record.localMemoryPerThread};
  L.DynamicSharedBytes = unsignedOf(Record.dynamicSharedMemory);
  TheWriter->execution(L, Record.correlationId, Record.start, Record.end);
}

// Called from threads of CUPTI's own.
static void CUPTIAPI takeBuffer(CUcontext Context, uint32_t Stream,
                                uint8_t *Buffer, size_t, size_t ValidSize) {
  CUpti_Activity *Record = nullptr;
  while (ValidSize > 0 && cuptiActivityGetNextRecord(Buffer, ValidSize,
                                                     &Record) == CUPTI_SUCCESS)
    if (Record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ||
        Record->kind == CUPTI_ACTIVITY_KIND_KERNEL)
      writeExecution(*reinterpret_cast<CUpti_ActivityKernel10 *>(Record));
  size_t Dropped = 0;
  if (cuptiActivityGetNumDroppedRecords(Context, Stream, &Dropped) ==
      CUPTI_SUCCESS)
    for (; Dropped > 0; --Dropped)
      TheWriter->note("kernel executions that CUPTI dropped");
  std::free(Buffer);
}

// Writes all executions that are over.
static void flushTiming() {
  if (IsTiming)
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

// Executions must be written before their context goes.
static void CUPTIAPI flushCallback(void *, CUpti_CallbackDomain,
                                   CUpti_CallbackId, const void *Data) {
  if (static_cast<const CUpti_CallbackData *>(Data)->callbackSite ==
      CUPTI_API_ENTER)
    flushTiming();
}

static std::string startTimes() {
  CUptiResult Result =
      cuptiActivityRegisterCallbacks(requestBuffer, takeBuffer);
  if (Result == CUPTI_SUCCESS)
    Result = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (Result != CUPTI_SUCCESS)
    return cuptiProblem(Result);
  IsTiming = true;
  cuptiActivityFlushPeriod(FlushMilliseconds);
  CUpti_SubscriberHandle Subscriber = nullptr;
  Result = cuptiSubscribe(&Subscriber, flushCallback, nullptr);
  if (Result != CUPTI_SUCCESS)
    return cuptiProblem(Result);
  for (const WatchedCall &Call : watchedCalls())
    if (Call.What == Action::ContextEnds)
      cuptiEnableCallback(1, Subscriber, CUPTI_CB_DOMAIN_DRIVER_API, Call.Id);
  return {};
}

// A thread that hangs in a launch holds the lock for good.
constexpr std::chrono::seconds LongestWaitAtEnd(30);

static pid_t RecordedProcess = 0;

static void processEnds() {
  // A child that was forked off inherits this function, but not the device.
  if (::getpid() != RecordedProcess)
    return;
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
  const char *Path = std::getenv(RequestVariable);
  if (!Path || !*Path || TheWriter)
    return 1;
  RecordRequest Request;
  std::string Problem = parseRequest(readFile(Path).value_or(""), Request);
  TheWriter = new RecordingWriter;
  if (!TheWriter->open(Request.Recording))
    return 1;
  if (Problem.empty())
    Problem = Request.Mode == RecordingMode::Time ? startTimes()
                                                  : startDigests(Request);
  if (!Problem.empty()) {
    TheWriter->failure(Problem);
    return 1;
  }
  RecordedProcess = ::getpid();
  std::atexit(processEnds);
  std::at_quick_exit(processEnds);
  return 1;
}
