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
// Of a stream, in both of its forms.
#define BOTH(NAME, WHAT, TEXT)                                                 \
  {CALL(NAME), WHAT, TEXT}, { CALL(NAME##_ptsz), WHAT, TEXT, true }

static constexpr WatchedCall Watched[] = {
    BOTH(cuLaunchKernel, Action::Launch, nullptr),
    BOTH(cuLaunchKernelEx, Action::LaunchEx, nullptr),
    BOTH(cuLaunchCooperativeKernel, Action::LaunchCooperative, nullptr),
    BOTH(cuGraphLaunch, Action::LaunchGraph, nullptr),
    {CALL(cuMemAlloc_v2), Action::Allocate},
    {CALL(cuMemAllocPitch_v2), Action::AllocatePitch},
    {CALL(cuMemAllocManaged), Action::AllocateManaged},
    BOTH(cuMemAllocAsync, Action::AllocateAsync, nullptr),
    BOTH(cuMemAllocFromPoolAsync, Action::AllocateFromPool, nullptr),
    {CALL(cuMemHostAlloc), Action::AllocateHost},
    {CALL(cuMemHostAlloc_v2), Action::AllocateHost},
    {CALL(cuMemAllocHost_v2), Action::AllocateHost},
    {CALL(cuMemHostRegister_v2), Action::RegisterHost},
    {CALL(cuMemCreate), Action::Create},
    {CALL(cuMemMap), Action::Map},
    {CALL(cuMemSetAccess), Action::SetAccess},
    {CALL(cuMemUnmap), Action::Unmap},
    {CALL(cuMemFree_v2), Action::Free},
    BOTH(cuMemFreeAsync, Action::FreeAsync, nullptr),
    {CALL(cuMemFreeHost), Action::FreeHost},
    {CALL(cuMemHostUnregister), Action::UnregisterHost},
    BOTH(cuStreamBeginCapture_v2, Action::CaptureBegins, nullptr),
    BOTH(cuStreamBeginCaptureToGraph, Action::CaptureBegins, nullptr),
    BOTH(cuStreamEndCapture, Action::CaptureEnds, nullptr),
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
    {CALL(cuLaunch), Action::Note, "launches by cuLaunch, not recorded"},
    {CALL(cuLaunchGrid), Action::Note,
     "launches by cuLaunchGrid, not recorded"},
    {CALL(cuLaunchGridAsync), Action::Note,
     "launches by cuLaunchGridAsync, not recorded"},
    {CALL(cuLaunchCooperativeKernelMultiDevice), Action::Note,
     "launches on several devices, not recorded"},
    BOTH(cuLaunchHostFunc, Action::Note,
         "host functions in streams (cuLaunchHostFunc), not recorded"),
    BOTH(cuStreamAddCallback, Action::Note,
         "host functions in streams (cuStreamAddCallback), not recorded"),
    {CALL(cuGraphAddHostNode), Action::Note,
     "host functions in graphs (cuGraphAddHostNode), not recorded"},
    {CALL(cuGraphAddMemAllocNode), Action::Unseen,
     "allocations inside graphs (cuGraphAddMemAllocNode), not digested"},
    BOTH(cuMemMapArrayAsync, Action::Unseen,
         "sparse arrays (cuMemMapArrayAsync), not digested"),
    {CALL(cuMulticastCreate), Action::Unseen,
     "multicast memory (cuMulticastCreate), not digested"},
    {CALL(cuArrayCreate_v2), Action::Unseen,
     "CUDA arrays (cuArrayCreate), not digested"},
    {CALL(cuArray3DCreate_v2), Action::Unseen,
     "CUDA arrays (cuArray3DCreate), not digested"},
    {CALL(cuMipmappedArrayCreate), Action::Unseen,
     "mipmapped arrays (cuMipmappedArrayCreate), not digested"},
    {CALL(cuImportExternalMemory), Action::Unseen,
     "memory of another API (cuImportExternalMemory), not digested"},
    {CALL(cuImportExternalSemaphore), Action::Unseen,
     "semaphores of another API (cuImportExternalSemaphore), not followed"},
    BOTH(cuGraphicsMapResources, Action::Unseen,
         "memory of another API (cuGraphicsMapResources), not digested"),
    {CALL(cuIpcOpenMemHandle), Action::Unseen,
     "memory of another process (cuIpcOpenMemHandle), not digested"},
    {CALL(cuIpcOpenMemHandle_v2), Action::Unseen,
     "memory of another process (cuIpcOpenMemHandle), not digested"},
    {CALL(cuIpcGetMemHandle), Action::Unseen,
     "memory that other processes may write (cuIpcGetMemHandle)"},
    {CALL(cuMemExportToShareableHandle), Action::Unseen,
     "memory that other processes may write (cuMemExportToShareableHandle)"},
    {CALL(cuMemPoolImportPointer), Action::Unseen,
     "memory of another process (cuMemPoolImportPointer), not digested"},
    {CALL(cuTexObjectCreate), Action::Object,
     "texture objects (cuTexObjectCreate)"},
    {CALL(cuSurfObjectCreate), Action::Object,
     "surface objects (cuSurfObjectCreate)"},
    {CALL(cuTexRefSetAddress_v2), Action::Object,
     "texture references (cuTexRefSetAddress)"},
    {CALL(cuTexRefSetAddress2D_v3), Action::Object,
     "texture references (cuTexRefSetAddress2D)"},
};

#undef BOTH
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
