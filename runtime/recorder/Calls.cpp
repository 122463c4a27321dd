//===-- Calls.cpp - driver calls to events --------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/Calls.h"
#include <array>

using namespace bankstripe::runtime;

template <class Parameters>
static const Parameters &parameters(const CallSite &At) {
  return *static_cast<const Parameters *>(At.Data.functionParams);
}

static CUresult resultOf(const CallSite &At) {
  return *static_cast<const CUresult *>(At.Data.functionReturnValue);
}

static CUstream streamOf(const CallSite &At, CUstream Stream) {
  return At.Call.PerThread && !Stream ? CU_STREAM_PER_THREAD : Stream;
}

// Launches

// The calls that spell out grid and block name them alike.
template <class From> static LaunchRequest shaped(const From &P) {
  LaunchRequest Request;
  Request.Grid = {P.gridDimX, P.gridDimY, P.gridDimZ};
  Request.Block = {P.blockDimX, P.blockDimY, P.blockDimZ};
  Request.DynamicSharedBytes = P.sharedMemBytes;
  Request.Stream = P.hStream;
  return Request;
}

static LaunchRequest described(const cuLaunchKernel_params &P) {
  LaunchRequest Request = shaped(P);
  Request.Function = P.f;
  Request.Parameters = P.kernelParams;
  Request.Extra = P.extra;
  return Request;
}

static LaunchRequest described(const cuLaunchKernelEx_params &P) {
  LaunchRequest Request = P.config ? shaped(*P.config) : LaunchRequest();
  Request.Function = P.f;
  Request.Parameters = P.kernelParams;
  Request.Extra = P.extra;
  if (P.config)
    Request.Attributes = {P.config->attrs, P.config->numAttrs};
  return Request;
}

static LaunchRequest described(const cuLaunchCooperativeKernel_params &P) {
  LaunchRequest Request = shaped(P);
  Request.Function = P.f;
  Request.Parameters = P.kernelParams;
  Request.IsCooperative = true;
  return Request;
}

static LaunchRequest described(const cuGraphLaunch_params &P) {
  LaunchRequest Request;
  Request.Stream = P.hStream;
  return Request;
}

template <class Parameters> static LaunchRequest launch(const CallSite &At) {
  LaunchRequest Request = described(parameters<Parameters>(At));
  Request.Symbol = At.Data.symbolName;
  Request.Context = At.Data.context;
  Request.Stream = streamOf(At, Request.Stream);
  return Request;
}

template <class Parameters> static void launching(const CallSite &At) {
  At.To.launching(launch<Parameters>(At));
}

template <class Parameters> static void launched(const CallSite &At) {
  LaunchRequest Request = launch<Parameters>(At);
  Request.Result = resultOf(At);
  At.To.launched(Request);
}

// Memory

// Where kernels see host memory, which need not be where the host sees it.
static CUdeviceptr seenByKernels(void *Host) {
  const OwnCalls Own;
  CUdeviceptr Address = 0;
  return cuMemHostGetDevicePointer(&Address, Host, 0) == CUDA_SUCCESS ? Address
                                                                      : 0;
}

static AllocationRequest memory(const CallSite &At, const char *Kind,
                                CUdeviceptr Address, uint64_t Bytes) {
  AllocationRequest Request;
  Request.In = At.Data.context;
  Request.Kind = Kind;
  Request.Address = Address;
  Request.Bytes = Bytes;
  return Request;
}

static void allocated(const CallSite &At, const char *Kind, CUdeviceptr Address,
                      uint64_t Bytes) {
  At.To.allocated(memory(At, Kind, Address, Bytes));
}

static void hostAllocated(const CallSite &At, const char *Kind, void *Host,
                          uint64_t Bytes) {
  AllocationRequest Request = memory(At, Kind, seenByKernels(Host), Bytes);
  Request.IsHost = true;
  At.To.allocated(Request);
}

static void hostAllocated(const CallSite &At) {
  const auto &P = parameters<cuMemHostAlloc_params>(At);
  hostAllocated(At, "pinned", *P.pp, P.bytesize);
}

static void managedAllocated(const CallSite &At) {
  const auto &P = parameters<cuMemAllocManaged_params>(At);
  AllocationRequest Request = memory(At, "managed", *P.dptr, P.bytesize);
  Request.IsHostFirst = P.flags & CU_MEM_ATTACH_HOST;
  At.To.allocated(Request);
}

static void registered(const CallSite &At) {
  const auto &P = parameters<cuMemHostRegister_v2_params>(At);
  // Devices may answer reads of their registers with more than a value.
  if (P.Flags & CU_MEMHOSTREGISTER_IOMEMORY)
    At.To.unseen("registered memory of devices (cuMemHostRegister), not "
                 "digested");
  else
    hostAllocated(At, "registered", P.p, P.bytesize);
}

// Memory that becomes usable in the order of a stream, by two calls.
template <class Parameters>
static void allocatedInOrder(const CallSite &At, const char *Kind,
                             const Parameters &P) {
  AllocationRequest Request = memory(At, Kind, *P.dptr, P.bytesize);
  Request.Order = streamOf(At, P.hStream);
  Request.IsOrdered = true;
  At.To.allocated(Request);
}

// Whatever else

static void graphNodeAdded(Recorder &To, const CUgraphNodeParams &Node) {
  if (Node.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    To.unseen("allocations inside graphs (cuGraphAddNode), not digested");
  else if (Node.type == CU_GRAPH_NODE_TYPE_HOST)
    To.note("host functions in graphs (cuGraphAddNode), not recorded");
}

static void captureBegins(const CallSite &At) { At.To.captureBegins(); }
// A capture that was invalidated ends with an error, and ends.
static void captureEnds(const CallSite &At) { At.To.captureEnds(); }
static void modulesUnload(const CallSite &At) { At.To.modulesUnload(); }
static void contextEnds(const CallSite &At) { At.To.ending(); }

// What is only counted: kernels cannot reach it,
static void noted(const CallSite &At) { At.To.note(At.Call.Text); }
// or they can, and it is not looked at.
static void unseen(const CallSite &At) { At.To.unseen(At.Call.Text); }
// A handle that no other process can have.
static void object(const CallSite &At) { At.To.onlyReplayMisses(At.Call.Text); }

bool WatchedCall::endsContext() const { return Entering == contextEnds; }

#define CALL(NAME) .Id = CUPTI_DRIVER_TRACE_CBID_##NAME
// What is done with the parameters P of a call, at the entry or where it
// succeeded.
#define ON(WHEN, NAME, ...)                                                    \
  .WHEN = [](const CallSite &At) {                                             \
    const auto &P = parameters<NAME##_params>(At);                             \
    __VA_ARGS__;                                                               \
  }
// A call of a stream, in both of its forms.
#define BOTH(NAME, ...)                                                        \
  {CALL(NAME), __VA_ARGS__}, {                                                 \
    CALL(NAME##_ptsz), __VA_ARGS__, .PerThread = true                          \
  }
#define LAUNCH(NAME)                                                           \
  {CALL(NAME), .Entering = launching<NAME##_params>,                           \
   .Leaving = launched<NAME##_params>, .IsLaunch = true},                      \
  {                                                                            \
    CALL(NAME##_ptsz), .Entering = launching<NAME##_params>,                   \
        .Leaving = launched<NAME##_params>, .PerThread = true,                 \
        .IsLaunch = true                                                       \
  }
#define COUNT(HOW, NAME, TEXT) {CALL(NAME), .Succeeded = HOW, .Text = TEXT}
#define COUNT_BOTH(HOW, NAME, TEXT) BOTH(NAME, .Succeeded = HOW, .Text = TEXT)

// clang-format off
static constexpr WatchedCall Watched[] = {
    LAUNCH(cuLaunchKernel),
    LAUNCH(cuLaunchKernelEx),
    LAUNCH(cuLaunchCooperativeKernel),
    LAUNCH(cuGraphLaunch),
    {CALL(cuMemAlloc_v2),
     ON(Succeeded, cuMemAlloc_v2,
        allocated(At, "device", *P.dptr, P.bytesize))},
    {CALL(cuMemAllocPitch_v2),
     ON(Succeeded, cuMemAllocPitch_v2,
        allocated(At, "pitch", *P.dptr, *P.pPitch * P.Height))},
    {CALL(cuMemAllocManaged), .Succeeded = managedAllocated},
    BOTH(cuMemAllocAsync, ON(Succeeded, cuMemAllocAsync,
                             allocatedInOrder(At, "async", P))),
    BOTH(cuMemAllocFromPoolAsync, ON(Succeeded, cuMemAllocFromPoolAsync,
                                     allocatedInOrder(At, "pool", P))),
    {CALL(cuMemHostAlloc), .Succeeded = hostAllocated},
    {CALL(cuMemHostAlloc_v2), .Succeeded = hostAllocated},
    {CALL(cuMemAllocHost_v2),
     ON(Succeeded, cuMemAllocHost_v2,
        hostAllocated(At, "pinned", *P.pp, P.bytesize))},
    {CALL(cuMemHostRegister_v2), .Succeeded = registered},
    {CALL(cuMemCreate),
     ON(Succeeded, cuMemCreate, At.To.created(*P.handle))},
    {CALL(cuMemMap),
     ON(Succeeded, cuMemMap, At.To.mapped(P.ptr, P.size, P.handle))},
    {CALL(cuMemSetAccess),
     ON(Succeeded, cuMemSetAccess,
        At.To.accessible(At.Data.context, P.ptr, P.size, {P.desc, P.count}))},
    {CALL(cuMemUnmap),
     ON(Entering, cuMemUnmap, At.To.unmapping(P.ptr, P.size))},
    {CALL(cuMemFree_v2), ON(Entering, cuMemFree_v2, At.To.freeing(P.dptr))},
    BOTH(cuMemFreeAsync,
         ON(Entering, cuMemFreeAsync, At.To.freeing(P.dptr))),
    {CALL(cuMemFreeHost),
     ON(Entering, cuMemFreeHost, At.To.freeing(seenByKernels(P.p)))},
    {CALL(cuMemHostUnregister),
     ON(Entering, cuMemHostUnregister, At.To.freeing(seenByKernels(P.p)))},
    BOTH(cuStreamBeginCapture_v2, .Succeeded = captureBegins),
    BOTH(cuStreamBeginCaptureToGraph, .Succeeded = captureBegins),
    BOTH(cuStreamEndCapture, .Leaving = captureEnds),
    {CALL(cuModuleUnload), .Entering = modulesUnload},
    {CALL(cuLibraryUnload), .Entering = modulesUnload},
    {CALL(cuCtxDestroy), .Entering = contextEnds},
    {CALL(cuCtxDestroy_v2), .Entering = contextEnds},
    {CALL(cuDevicePrimaryCtxReset), .Entering = contextEnds},
    {CALL(cuDevicePrimaryCtxReset_v2), .Entering = contextEnds},
    {CALL(cuDevicePrimaryCtxRelease), .Entering = contextEnds},
    {CALL(cuDevicePrimaryCtxRelease_v2), .Entering = contextEnds},
    {CALL(cuGraphAddNode),
     ON(Succeeded, cuGraphAddNode, graphNodeAdded(At.To, *P.nodeParams))},
    {CALL(cuGraphAddNode_v2),
     ON(Succeeded, cuGraphAddNode_v2, graphNodeAdded(At.To, *P.nodeParams))},
    COUNT(noted, cuOccupancyMaxActiveBlocksPerMultiprocessor, OccupancyNote),
    COUNT(noted, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
          OccupancyNote),
    COUNT(noted, cuOccupancyMaxPotentialBlockSize, OccupancyNote),
    COUNT(noted, cuOccupancyMaxPotentialBlockSizeWithFlags, OccupancyNote),
    COUNT(noted, cuOccupancyMaxActiveClusters, OccupancyNote),
    COUNT(noted, cuOccupancyMaxPotentialClusterSize, OccupancyNote),
    COUNT(noted, cuOccupancyAvailableDynamicSMemPerBlock, OccupancyNote),
    COUNT(noted, cuLaunch, "launches by cuLaunch, not recorded"),
    COUNT(noted, cuLaunchGrid, "launches by cuLaunchGrid, not recorded"),
    COUNT(noted, cuLaunchGridAsync,
          "launches by cuLaunchGridAsync, not recorded"),
    COUNT(noted, cuLaunchCooperativeKernelMultiDevice,
          "launches on several devices, not recorded"),
    COUNT_BOTH(noted, cuLaunchHostFunc,
               "host functions in streams (cuLaunchHostFunc), not recorded"),
    COUNT_BOTH(noted, cuStreamAddCallback,
               "host functions in streams (cuStreamAddCallback), not recorded"),
    COUNT(noted, cuGraphAddHostNode,
          "host functions in graphs (cuGraphAddHostNode), not recorded"),
    COUNT(unseen, cuGraphAddMemAllocNode,
          "allocations inside graphs (cuGraphAddMemAllocNode), not digested"),
    COUNT_BOTH(unseen, cuMemMapArrayAsync,
               "sparse arrays (cuMemMapArrayAsync), not digested"),
    COUNT(unseen, cuMulticastCreate,
          "multicast memory (cuMulticastCreate), not digested"),
    COUNT(unseen, cuArrayCreate_v2,
          "CUDA arrays (cuArrayCreate), not digested"),
    COUNT(unseen, cuArray3DCreate_v2,
          "CUDA arrays (cuArray3DCreate), not digested"),
    COUNT(unseen, cuMipmappedArrayCreate,
          "mipmapped arrays (cuMipmappedArrayCreate), not digested"),
    COUNT(unseen, cuImportExternalMemory,
          "memory of another API (cuImportExternalMemory), not digested"),
    COUNT(unseen, cuImportExternalSemaphore,
          "semaphores of another API (cuImportExternalSemaphore), not followed"),
    COUNT_BOTH(unseen, cuGraphicsMapResources,
               "memory of another API (cuGraphicsMapResources), not digested"),
    COUNT(unseen, cuIpcOpenMemHandle,
          "memory of another process (cuIpcOpenMemHandle), not digested"),
    COUNT(unseen, cuIpcOpenMemHandle_v2,
          "memory of another process (cuIpcOpenMemHandle), not digested"),
    COUNT(unseen, cuIpcGetMemHandle,
          "memory that other processes may write (cuIpcGetMemHandle)"),
    COUNT(unseen, cuMemExportToShareableHandle,
          "memory that other processes may write (cuMemExportToShareableHandle)"),
    COUNT(unseen, cuMemPoolImportPointer,
          "memory of another process (cuMemPoolImportPointer), not digested"),
    COUNT(object, cuTexObjectCreate, "texture objects (cuTexObjectCreate)"),
    COUNT(object, cuSurfObjectCreate, "surface objects (cuSurfObjectCreate)"),
    COUNT(object, cuTexRefSetAddress_v2,
          "texture references (cuTexRefSetAddress)"),
    COUNT(object, cuTexRefSetAddress2D_v3,
          "texture references (cuTexRefSetAddress2D)"),
};
// clang-format on

std::span<const WatchedCall> bankstripe::runtime::watchedCalls() {
  return Watched;
}

// Every launch asks twice, so the calls are found by their numbers.
static constexpr auto ByNumber = [] {
  std::array<const WatchedCall *, CUPTI_DRIVER_TRACE_CBID_SIZE> Table = {};
  for (const WatchedCall &Call : Watched)
    Table[Call.Id] = &Call;
  return Table;
}();

void bankstripe::runtime::handleCall(CUpti_CallbackId Id,
                                     const CUpti_CallbackData &Data,
                                     Recorder &To) {
  const WatchedCall *Call = Id < ByNumber.size() ? ByNumber[Id] : nullptr;
  if (!Call)
    return;
  const CallSite At{*Call, Data, To};
  const bool IsEntry = Data.callbackSite == CUPTI_API_ENTER;
  WatchedCall::Handler Handle = Call->Entering;
  if (!IsEntry)
    Handle = Call->Leaving || resultOf(At) != CUDA_SUCCESS ? Call->Leaving
                                                           : Call->Succeeded;
  if (!Handle)
    return;
  if (IsEntry || !Call->IsLaunch)
    To.mutex().lock();
  Handle(At);
  if (!IsEntry || !Call->IsLaunch)
    To.mutex().unlock();
}
