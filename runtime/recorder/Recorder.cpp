//===-- Recorder.cpp - what happens at each event of a program ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/Recorder.h"
#include "recorder/KernelHandle.h"
#include "recorder/ModuleVariables.h"
#include <algorithm>
#include <cstdio>

using namespace bankstripe::runtime;

static thread_local unsigned OwnDepth = 0;

// A thread that captures a stream may not wait or allocate unless it says so;
// what the recorder does touches no stream of the program's.
OwnCalls::OwnCalls() {
  ++OwnDepth;
  cuThreadExchangeStreamCaptureMode(&Mode);
}

OwnCalls::~OwnCalls() {
  cuThreadExchangeStreamCaptureMode(&Mode);
  --OwnDepth;
}

bool OwnCalls::active() { return OwnDepth > 0; }

static std::string errorName(CUresult Result) {
  const char *Name = nullptr;
  if (cuGetErrorName(Result, &Name) != CUDA_SUCCESS || !Name)
    return "CUDA error " + std::to_string(static_cast<int>(Result));
  return Name;
}

void Recorder::contextEnds(CUcontext Context) {
  const std::lock_guard Lock(MessagesMutex);
  EndedContexts.push_back(Context);
}

void Recorder::moduleLoaded(const void *Image, size_t Bytes) {
  std::vector<std::string> Symbols = variableSymbols(Image, Bytes);
  const std::lock_guard Lock(MessagesMutex);
  LoadedSymbols.insert(LoadedSymbols.end(), Symbols.begin(), Symbols.end());
}

void Recorder::takeMessages() {
  const std::lock_guard Lock(MessagesMutex);
  for (CUcontext Ended : EndedContexts) {
    for (const unsigned Id : Memory.removeContext(Ended))
      Output.free(Id);
    Engines.erase(Ended);
    KnownHomes.clear();
    Lost = false;
  }
  EndedContexts.clear();
  if (!LoadedSymbols.empty()) {
    VariableSymbols.insert(LoadedSymbols.begin(), LoadedSymbols.end());
    LoadedSymbols.clear();
    KnownHomes.clear();
  }
}

void Recorder::modulesUnload() {
  Memory.removeVariables();
  KnownHomes.clear();
}

unsigned Recorder::streamNumber(CUstream Stream) {
  if (!Stream || Stream == CU_STREAM_LEGACY)
    return 0;
  return Streams.try_emplace(Stream, static_cast<unsigned>(Streams.size() + 1))
      .first->second;
}

unsigned Recorder::threadNumber() {
  return Threads
      .try_emplace(std::this_thread::get_id(),
                   static_cast<unsigned>(Threads.size()))
      .first->second;
}

bool Recorder::isCaptured(CUstream Stream) {
  if (Captures == 0)
    return false;
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  return cuStreamIsCapturing(Stream, &Status) == CUDA_SUCCESS &&
         Status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Recorder::describeDevice() {
  CUdevice Device = 0;
  if (cuCtxGetDevice(&Device) != CUDA_SUCCESS || !Devices.insert(Device).second)
    return;
  char Name[256] = "";
  int Major = 0, Minor = 0;
  cuDeviceGetName(Name, sizeof Name - 1, Device);
  cuDeviceGetAttribute(&Major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                       Device);
  cuDeviceGetAttribute(&Minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                       Device);
  Output.device(Name, std::to_string(Major) + '.' + std::to_string(Minor));
}

void Recorder::findVariables(CUcontext In, CUfunction Function) {
  if (VariableSymbols.empty())
    return;
  const KernelHandle Kernel(Function);
  if (!Kernel.home() || !KnownHomes.insert(Kernel.home()).second)
    return;
  for (const std::string &Symbol : VariableSymbols) {
    CUdeviceptr Address = 0;
    size_t Bytes = 0;
    if (!Kernel.variable(Symbol, Address, Bytes) || Bytes == 0)
      continue;
    bool IsNew = false;
    const Allocation A = Memory.addVariable(In, Address, Bytes, Symbol, IsNew);
    if (IsNew)
      Output.allocation(A);
  }
}

void Recorder::launched(const LaunchRequest &Request) {
  const OwnCalls Own;
  takeMessages();
  describeDevice();
  if (isCaptured(Request.Stream)) {
    note("kernel launches captured into a graph");
    return;
  }

  Launch L;
  L.Index = Launches++;
  L.Grid = Request.Grid;
  L.Block = Request.Block;
  L.DynamicSharedBytes = Request.DynamicSharedBytes;
  L.Stream = streamNumber(Request.Stream);
  L.Thread = threadNumber();
  if (Request.Function) {
    const KernelHandle Kernel(Request.Function);
    L.Kernel = Request.Symbol ? Request.Symbol : Kernel.symbol();
    L.Takes = Kernel.resources();
  } else {
    L.Kernel = "graph";
    note("graph launches, each recorded as one launch");
  }
  if (Request.Result != CUDA_SUCCESS)
    L.Error = errorName(Request.Result);
  else if (Captures > 0)
    note("launches not digested because a stream was being captured");
  else if (Lost)
    note("launches not digested because an earlier one failed");
  else
    waitAndDigest(Request, L);
  Output.launch(L);
  if (L.Digested)
    dumpAfter(L.Index);
}

void Recorder::waitAndDigest(const LaunchRequest &Request, Launch &L) {
  // An error here is the kernel's own; a later one is the recorder's.
  if (const CUresult Result = cuCtxSynchronize()) {
    L.Error = errorName(Result);
    Lost = true;
    return;
  }
  if (Request.Function)
    findVariables(Request.Context, Request.Function);
  if (const CUresult Result = digestAll(L))
    note("launches not digested: " + errorName(Result));
}

CUresult Recorder::digestAll(Launch &L) {
  // All contexts are digested before the digests of any are kept: should one
  // fail, the next launch still lists everything that changed since.
  std::vector<std::pair<const void *, std::vector<uint64_t>>> Found;
  for (const void *In : Memory.contexts()) {
    auto *const Context = static_cast<CUcontext>(const_cast<void *>(In));
    if (const CUresult Result = cuCtxPushCurrent(Context))
      return Result;
    const CUresult Result = Engines[Context].run(
        Memory.segments(Context),
        Found.emplace_back(In, std::vector<uint64_t>()).second);
    CUcontext Popped = nullptr;
    cuCtxPopCurrent(&Popped);
    if (Result != CUDA_SUCCESS)
      return Result;
  }
  for (const auto &[In, Digests] : Found)
    for (DigestChange &Change : Memory.update(In, Digests))
      L.Changes.push_back(std::move(Change));
  L.Digested = true;
  return CUDA_SUCCESS;
}

void Recorder::dumpAfter(unsigned LaunchIndex) {
  if (!Dump || Dump->Launch != LaunchIndex)
    return;
  const auto Place = Memory.find(Dump->IsVariable, Dump->Allocation);
  if (!Place || Dump->Begin >= Place->Bytes)
    return;
  std::vector<char> Bytes(std::min(Dump->End, Place->Bytes) - Dump->Begin);
  auto *const Context = static_cast<CUcontext>(const_cast<void *>(Place->In));
  if (cuCtxPushCurrent(Context) != CUDA_SUCCESS)
    return;
  const CUresult Result = Engines[Context].copyOut(Place->Address + Dump->Begin,
                                                   Bytes.data(), Bytes.size());
  CUcontext Popped = nullptr;
  cuCtxPopCurrent(&Popped);
  std::FILE *File =
      Result == CUDA_SUCCESS ? std::fopen(Dump->Path.c_str(), "wb") : nullptr;
  if (!File)
    return;
  std::fwrite(Bytes.data(), 1, Bytes.size(), File);
  std::fclose(File);
}

void Recorder::allocated(CUcontext In, const std::string &Kind,
                         CUdeviceptr Address, uint64_t Bytes, CUstream Order,
                         bool HostFirst) {
  if (Bytes == 0 || Address == 0)
    return;
  const OwnCalls Own;
  takeMessages();
  const bool IsOrdered = Kind == "async" || Kind == "pool";
  if (IsOrdered && isCaptured(Order)) {
    note("allocations captured into a graph");
    return;
  }
  if (!In) {
    note("allocations without a context");
    return;
  }
  if (HostFirst) {
    int Concurrent = 0;
    CUdevice Device = 0;
    if (cuCtxGetDevice(&Device) != CUDA_SUCCESS ||
        cuDeviceGetAttribute(&Concurrent,
                             CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                             Device) != CUDA_SUCCESS ||
        !Concurrent) {
      note("managed allocations that belong to the host");
      return;
    }
  }
  const CUresult Filled = IsOrdered
                              ? cuMemsetD8Async(Address, FillByte, Bytes, Order)
                              : Engines[In].fill(Address, Bytes);
  if (Filled != CUDA_SUCCESS)
    note("allocations not filled: " + errorName(Filled));
  std::vector<unsigned> Gone;
  const Allocation A = Memory.add(In, Address, Bytes, Kind, Gone);
  for (const unsigned Id : Gone)
    Output.free(Id);
  Output.allocation(A);
}

void Recorder::freeing(CUdeviceptr Address) {
  takeMessages();
  if (const auto Id = Memory.remove(Address))
    Output.free(*Id);
}
