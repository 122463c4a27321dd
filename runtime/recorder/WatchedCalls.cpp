//===-- WatchedCalls.cpp - the driver calls that are watched --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/WatchedCalls.h"
#include <array>

using namespace bankstripe::runtime;

#define CALL(NAME) CUPTI_DRIVER_TRACE_CBID_##NAME

static constexpr WatchedCall Watched[] = {
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
    {CALL(cuMemHostAlloc), Action::AllocateHost},
    {CALL(cuMemHostAlloc_v2), Action::AllocateHost},
    {CALL(cuMemAllocHost_v2), Action::AllocateHost},
    {CALL(cuMemHostRegister_v2), Action::RegisterHost},
    {CALL(cuMemCreate), Action::Create},
    {CALL(cuMemMap), Action::Map},
    {CALL(cuMemSetAccess), Action::SetAccess},
    {CALL(cuMemUnmap), Action::Unmap},
    {CALL(cuMemFree_v2), Action::Free},
    {CALL(cuMemFreeAsync), Action::FreeAsync},
    {CALL(cuMemFreeAsync_ptsz), Action::FreeAsync, true},
    {CALL(cuMemFreeHost), Action::FreeHost},
    {CALL(cuMemHostUnregister), Action::UnregisterHost},
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
    {CALL(cuGraphAddNode), Action::GraphNode},
    {CALL(cuGraphAddNode_v2), Action::GraphNode},
    {CALL(cuLaunch), Action::Note, false, "launches by cuLaunch, not recorded"},
    {CALL(cuLaunchGrid), Action::Note, false,
     "launches by cuLaunchGrid, not recorded"},
    {CALL(cuLaunchGridAsync), Action::Note, false,
     "launches by cuLaunchGridAsync, not recorded"},
    {CALL(cuLaunchCooperativeKernelMultiDevice), Action::Note, false,
     "launches on several devices, not recorded"},
    {CALL(cuLaunchHostFunc), Action::Note, false,
     "host functions in streams (cuLaunchHostFunc), not recorded"},
    {CALL(cuLaunchHostFunc_ptsz), Action::Note, false,
     "host functions in streams (cuLaunchHostFunc), not recorded"},
    {CALL(cuStreamAddCallback), Action::Note, false,
     "host functions in streams (cuStreamAddCallback), not recorded"},
    {CALL(cuStreamAddCallback_ptsz), Action::Note, false,
     "host functions in streams (cuStreamAddCallback), not recorded"},
    {CALL(cuGraphAddHostNode), Action::Note, false,
     "host functions in graphs (cuGraphAddHostNode), not recorded"},
    {CALL(cuGraphAddMemAllocNode), Action::Unseen, false,
     "allocations inside graphs (cuGraphAddMemAllocNode), not digested"},
    {CALL(cuMemMapArrayAsync), Action::Unseen, false,
     "sparse arrays (cuMemMapArrayAsync), not digested"},
    {CALL(cuMemMapArrayAsync_ptsz), Action::Unseen, false,
     "sparse arrays (cuMemMapArrayAsync), not digested"},
    {CALL(cuMulticastCreate), Action::Unseen, false,
     "multicast memory (cuMulticastCreate), not digested"},
    {CALL(cuArrayCreate_v2), Action::Unseen, false,
     "CUDA arrays (cuArrayCreate), not digested"},
    {CALL(cuArray3DCreate_v2), Action::Unseen, false,
     "CUDA arrays (cuArray3DCreate), not digested"},
    {CALL(cuMipmappedArrayCreate), Action::Unseen, false,
     "mipmapped arrays (cuMipmappedArrayCreate), not digested"},
    {CALL(cuImportExternalMemory), Action::Unseen, false,
     "memory of another API (cuImportExternalMemory), not digested"},
    {CALL(cuImportExternalSemaphore), Action::Unseen, false,
     "semaphores of another API (cuImportExternalSemaphore), not followed"},
    {CALL(cuGraphicsMapResources), Action::Unseen, false,
     "memory of another API (cuGraphicsMapResources), not digested"},
    {CALL(cuGraphicsMapResources_ptsz), Action::Unseen, false,
     "memory of another API (cuGraphicsMapResources), not digested"},
    {CALL(cuIpcOpenMemHandle), Action::Unseen, false,
     "memory of another process (cuIpcOpenMemHandle), not digested"},
    {CALL(cuIpcOpenMemHandle_v2), Action::Unseen, false,
     "memory of another process (cuIpcOpenMemHandle), not digested"},
    {CALL(cuIpcGetMemHandle), Action::Unseen, false,
     "memory that other processes may write (cuIpcGetMemHandle)"},
    {CALL(cuMemExportToShareableHandle), Action::Unseen, false,
     "memory that other processes may write (cuMemExportToShareableHandle)"},
    {CALL(cuMemPoolImportPointer), Action::Unseen, false,
     "memory of another process (cuMemPoolImportPointer), not digested"},
    {CALL(cuTexObjectCreate), Action::Object, false,
     "texture objects (cuTexObjectCreate)"},
    {CALL(cuSurfObjectCreate), Action::Object, false,
     "surface objects (cuSurfObjectCreate)"},
    {CALL(cuTexRefSetAddress_v2), Action::Object, false,
     "texture references (cuTexRefSetAddress)"},
    {CALL(cuTexRefSetAddress2D_v3), Action::Object, false,
     "texture references (cuTexRefSetAddress2D)"},
};

#undef CALL

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

const WatchedCall *bankstripe::runtime::findWatchedCall(CUpti_CallbackId Id) {
  return Id < ByNumber.size() ? ByNumber[Id] : nullptr;
}
