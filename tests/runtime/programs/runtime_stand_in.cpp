//===-- runtime_stand_in.cpp - a CUDA runtime without a GPU ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What launches of rows ask of the runtime
// (runtime/device/bankstripe_launch.cuh and bankstripe_choose.cuh), and what
// nvcc's own code does. A launch fails where one of an H100 would: with blocks
// that are too large, grids of size 0, and more shared memory than the kernel
// is allowed.
//
//===----------------------------------------------------------------------===//

#include "runtime_stand_in.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <map>
#include <mutex>
#include <utility>

// They are defined under both of their names.
#undef cudaLaunchKernel
#undef cudaLaunchKernelExC
#undef cudaLaunchCooperativeKernel
#undef cudaEventRecord
#undef cudaStreamIsCapturing

namespace stand_in {

// Kernels are registered before other objects are made.
__attribute__((init_priority(101))) Runtime State;
__attribute__((init_priority(101))) static std::map<const void *, Kernel>
    Kernels; // By their stubs.
thread_local cudaError_t Error = cudaSuccess;
static std::mutex Busy; // Of all that.

static cudaError_t fail(cudaError_t Why) {
  if (Why != cudaSuccess)
    Error = Why;
  return Why;
}

Kernel &kernel(const std::string &Name) {
  const auto It =
      std::find_if(Kernels.begin(), Kernels.end(),
                   [&](const auto &Each) { return Each.second.Name == Name; });
  if (It == Kernels.end())
    abort();
  return It->second;
}

// `space::sum<int>` of `(anonymous namespace)::type space::sum<int>(int*)`.
// With -rdc the names of static kernels have more before them.
static std::string readable(const char *Mangled) {
  if (const char *Static = strstr(Mangled, "__Z"))
    Mangled = Static + 1;
  char *Demangled = abi::__cxa_demangle(Mangled, nullptr, nullptr, nullptr);
  std::string Text = Demangled ? Demangled : Mangled;
  free(Demangled);
  const std::string Unnamed = "(anonymous namespace)::";
  for (size_t At; (At = Text.find(Unnamed)) != std::string::npos;)
    Text.erase(At, Unnamed.size());
  std::string Name;
  int Depth = 0;
  for (char C : Text) {
    Depth += (C == '<') - (C == '>');
    if (Depth == 0 && C == '(')
      break;
    if (Depth == 0 && C == ' ')
      Name.clear();
    else
      Name += C;
  }
  return Name;
}

static cudaError_t launch(const void *Stub, dim3 Grid, dim3 Block,
                          void **Arguments, size_t Bytes, cudaStream_t Stream) {
  if (void (*Other)() = std::exchange(State.DuringLaunch, nullptr))
    Other();
  const std::lock_guard<std::mutex> Lock(Busy);
  Kernel &K = Kernels.at(Stub);
  const unsigned Threads = Block.x * Block.y * Block.z;
  if (!Grid.x || !Grid.y || !Grid.z || !Threads || Threads > 1024)
    return fail(cudaErrorInvalidConfiguration);
  if (Threads > unsigned(K.Attributes.maxThreadsPerBlock))
    return fail(cudaErrorLaunchOutOfResources);
  if (Bytes > size_t(K.Attributes.maxDynamicSharedSizeBytes))
    return fail(cudaErrorInvalidValue);
  ++K.Launches;
  State.Last = {K.Name, Grid,   Block,
                Bytes,  Stream, Arguments ? Arguments[0] : nullptr};
  State.Clock += K.Name.find("_striped") == std::string::npos
                     ? State.OriginalTakes
                     : State.VersionTakes;
  return cudaSuccess;
}

} // namespace stand_in

using namespace stand_in;

extern "C" {

// --- What nvcc's code calls --------------------------------------------------

void **__cudaRegisterFatBinary(void *) {
  static void *Handle;
  return &Handle;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 1; }
void __cudaRegisterFunction(void **, const char *Stub, char *, const char *Name,
                            int, uint3 *, uint3 *, dim3 *, dim3 *, int *) {
  Kernel &K = Kernels[Stub];
  K.Name = readable(Name);
  K.Attributes.numRegs = 32;
  K.Attributes.maxThreadsPerBlock = 1024;
  K.Attributes.maxDynamicSharedSizeBytes = 48 * 1024;
}

static thread_local Launch Pushed;
unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Bytes,
                                     struct CUstream_st *Stream) {
  Pushed = {"", Grid, Block, Bytes, Stream, nullptr};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block, size_t *Bytes,
                                       void *Stream) {
  *Grid = Pushed.Grid;
  *Block = Pushed.Block;
  *Bytes = Pushed.Bytes;
  *static_cast<cudaStream_t *>(Stream) = Pushed.Stream;
  return cudaSuccess;
}

#define LAUNCH(name)                                                           \
  cudaError_t name(const void *Stub, dim3 Grid, dim3 Block, void **Arguments,  \
                   size_t Bytes, cudaStream_t Stream) {                        \
    return launch(Stub, Grid, Block, Arguments, Bytes, Stream);                \
  }
LAUNCH(cudaLaunchKernel)
LAUNCH(cudaLaunchKernel_ptsz)
LAUNCH(cudaLaunchCooperativeKernel)
LAUNCH(cudaLaunchCooperativeKernel_ptsz)

#define LAUNCH_BY_CONFIGURATION(name)                                          \
  cudaError_t name(const cudaLaunchConfig_t *How, const void *Stub,            \
                   void **Arguments) {                                         \
    return launch(Stub, How->gridDim, How->blockDim, Arguments,                \
                  How->dynamicSmemBytes, How->stream);                         \
  }
LAUNCH_BY_CONFIGURATION(cudaLaunchKernelExC)
LAUNCH_BY_CONFIGURATION(cudaLaunchKernelExC_ptsz)

// Of CUDA 13.
cudaError_t __cudaGetKernel(void **Kernel, const void *Stub) {
  *Kernel = const_cast<void *>(Stub);
  return cudaSuccess;
}
LAUNCH(__cudaLaunchKernel)
LAUNCH(__cudaLaunchKernel_ptsz)

// --- What rows ask -----------------------------------------------------------

cudaError_t cudaGetLastError() { return std::exchange(Error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return Error; }
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *) {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *Count) {
  *Count = State.Devices;
  return fail(State.Devices ? cudaSuccess : cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int *Device) {
  *Device = State.Device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *Properties, int) {
  *Properties = {};
  strcpy(Properties->name, "Stand-in");
  Properties->major = 9;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *Value, cudaDeviceAttr What,
                                   int Device) {
  if (Device < 0 || Device >= State.Devices)
    return fail(cudaErrorInvalidDevice);
  *Value = What == cudaDevAttrMaxSharedMemoryPerBlockOptin    ? State.OptinBytes
           : What == cudaDevAttrReservedSharedMemoryPerBlock  ? 1024
           : What == cudaDevAttrMultiProcessorCount           ? State.Processors
           : What == cudaDevAttrMaxThreadsPerMultiProcessor   ? 2048
           : What == cudaDevAttrMaxBlocksPerMultiprocessor    ? 32
           : What == cudaDevAttrMaxRegistersPerMultiprocessor ? 65536
           : What == cudaDevAttrMaxSharedMemoryPerMultiprocessor
               ? State.OptinBytes + 1024
               : -1;
  return fail(*Value < 0 ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *Result,
                                  const void *Stub) {
  const std::lock_guard<std::mutex> Lock(Busy);
  *Result = Kernels.at(Stub).Attributes;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *Stub, cudaFuncAttribute What,
                                 int Value) {
  const std::lock_guard<std::mutex> Lock(Busy);
  cudaFuncAttributes &All = Kernels.at(Stub).Attributes;
  (What == cudaFuncAttributeMaxDynamicSharedMemorySize
       ? All.maxDynamicSharedSizeBytes
       : All.preferredShmemCarveout) = Value;
  return cudaSuccess;
}
// As cuda_occupancy.h, as far as blocks here differ.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Count,
                                                          const void *Stub,
                                                          int Threads,
                                                          size_t Bytes) {
  const std::lock_guard<std::mutex> Lock(Busy);
  const int Most = Kernels.at(Stub).Attributes.maxDynamicSharedSizeBytes;
  *Count = Bytes > size_t(Most)
               ? 0
               : std::min(2048 / Threads,
                          int((State.OptinBytes + 1024) / (Bytes + 1024)));
  return cudaSuccess;
}

// --- What choices ask --------------------------------------------------------

#define IS_CAPTURING(name)                                                     \
  cudaError_t name(cudaStream_t, cudaStreamCaptureStatus *Status) {            \
    *Status = State.IsCapturing ? cudaStreamCaptureStatusActive                \
                                : cudaStreamCaptureStatusNone;                 \
    return cudaSuccess;                                                        \
  }
IS_CAPTURING(cudaStreamIsCapturing)
IS_CAPTURING(cudaStreamIsCapturing_ptsz)

static int contextId(void *, unsigned long long *Id) {
  *Id = State.Context;
  return 0;
}
#define ENTRY_POINT(name, ...)                                                 \
  cudaError_t name(const char *, void **Function, ##__VA_ARGS__,               \
                   unsigned long long, cudaDriverEntryPointQueryResult *R) {   \
    *Function = reinterpret_cast<void *>(contextId);                           \
    *R = cudaDriverEntryPointSuccess;                                          \
    return cudaSuccess;                                                        \
  }
#if CUDART_VERSION >= 12050
#undef cudaGetDriverEntryPointByVersion
ENTRY_POINT(cudaGetDriverEntryPointByVersion, unsigned)
ENTRY_POINT(cudaGetDriverEntryPointByVersion_ptsz, unsigned)
#elif CUDART_VERSION >= 12000
#undef cudaGetDriverEntryPoint
ENTRY_POINT(cudaGetDriverEntryPoint)
ENTRY_POINT(cudaGetDriverEntryPoint_ptsz)
#endif

// The program may not touch one of another context.
struct Event {
  double Time = 0;
  int Asked = 0;
  unsigned long long Context = State.Context;
};
static Event &valid(cudaEvent_t Handle) {
  Event &E = *reinterpret_cast<Event *>(Handle);
  if (E.Context != State.Context)
    abort();
  return E;
}
cudaError_t cudaEventCreate(cudaEvent_t *Handle) {
  *Handle = reinterpret_cast<cudaEvent_t>(new Event());
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t Handle) {
  delete &valid(Handle);
  return cudaSuccess;
}
#define EVENT_RECORD(name)                                                     \
  cudaError_t name(cudaEvent_t Handle, cudaStream_t) {                         \
    const std::lock_guard<std::mutex> Lock(Busy);                              \
    valid(Handle).Time = State.Clock;                                          \
    valid(Handle).Asked = 0;                                                   \
    ++State.Events;                                                            \
    return cudaSuccess;                                                        \
  }
EVENT_RECORD(cudaEventRecord)
EVENT_RECORD(cudaEventRecord_ptsz)
cudaError_t cudaEventQuery(cudaEvent_t Handle) {
  const bool IsReady = valid(Handle).Asked++ >= State.ReadyAfter;
  return fail(State.IsAhead || !IsReady ? cudaErrorNotReady : cudaSuccess);
}
cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t Begin,
                                 cudaEvent_t End) {
  const std::lock_guard<std::mutex> Lock(Busy);
  *Milliseconds = float(valid(End).Time - valid(Begin).Time) / 1000;
  return cudaSuccess;
}

} // extern "C"
