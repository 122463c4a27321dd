//===-- Recorder.cpp - what happens at each event of a program ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/Recorder.h"
#include "recorder/KernelHandle.h"
#include "recorder/ModuleSymbols.h"
#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace bankstripe::runtime;

// Host memory is read over the bus: 20 to 40 ms for this.
constexpr uint64_t MostHostBytes = uint64_t(1) << 30;

// What a wait costs the program beside the wait for its own work: until the
// host knows that a launch is through, and the next one has reached the GPU,
// the GPU does nothing. Launches of 22 us that were all digested took 5 to 6 us
// more, on an H200, than they and the rest of the recorder's time.
constexpr Selection::Time CostOfWait = 6'000;

// What CUPTI takes to call back twice for a launch, which no clock here sees: a
// program with 440,000 launches took 0.1 us to 0.4 us more for each with
// callbacks that do nothing, on a host of an H200. One with 1.2 million varied
// by more than that from run to run (measurements/record-programs.txt.xz).
constexpr Selection::Time CostOfCallbacks = 400;

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

static Selection::Time now() {
  return static_cast<Selection::Time>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

OwnTime::OwnTime(Selection &Select, const Selection::Time &Waited, bool AtFrees)
    : Select(Select), Waited(Waited), Start(now()), WaitedBefore(Waited),
      AtFrees(AtFrees) {}

OwnTime::~OwnTime() {
  Select.spent(now() - Start - (Waited - WaitedBefore), AtFrees);
}

std::string bankstripe::runtime::errorName(CUresult Result) {
  const char *Name = nullptr;
  if (cuGetErrorName(Result, &Name) != CUDA_SUCCESS || !Name)
    return "CUDA error " + std::to_string(static_cast<int>(Result));
  return Name;
}

Recorder::Recorder(RecordingWriter &Output, SelectionSettings Settings)
    : Output(Output), Select(std::move(Settings), now()) {}

void Recorder::contextEnds(CUcontext Context) {
  const std::lock_guard Lock(MessagesMutex);
  EndedContexts.push_back(Context);
}

void Recorder::moduleLoaded(const void *Image, size_t Bytes) {
  std::vector<std::string> Symbols = variableSymbols(Image, Bytes);
  const std::lock_guard Lock(MessagesMutex);
  LoadedSymbols.insert(LoadedSymbols.end(), Symbols.begin(), Symbols.end());
  if (Capture)
    LoadedImages.emplace_back(static_cast<const char *>(Image), Bytes);
}

void Recorder::takeMessages() {
  const std::lock_guard Lock(MessagesMutex);
  for (CUcontext Ended : EndedContexts) {
    for (const unsigned Id : Memory.removeContext(Ended))
      Output.free(Id);
    Engines.erase(Ended);
    DeviceOf.erase(Ended);
    KnownHomes.clear();
    Kernels.clear();
    Lost = false;
  }
  EndedContexts.clear();
  if (!LoadedSymbols.empty()) {
    VariableSymbols.insert(LoadedSymbols.begin(), LoadedSymbols.end());
    LoadedSymbols.clear();
    KnownHomes.clear();
  }
  for (std::string &Image : LoadedImages)
    Capture->keepImage(std::move(Image));
  LoadedImages.clear();
}

void Recorder::modulesUnload() {
  const OwnCalls Own;
  const OwnTime Timed(Select, Waited, /*AtFrees=*/true);
  takeMessages();
  MemoryPart Variables;
  Variables.VariablesOnly = true;
  digestBeforeFree(Variables);
  Memory.removeVariables();
  KnownHomes.clear();
  Kernels.clear();
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

void Recorder::describeDevice(CUcontext Current) {
  CUdevice Device = 0;
  if (DeviceOf.contains(Current) || cuCtxGetDevice(&Device) != CUDA_SUCCESS)
    return;
  DeviceOf[Current] = Device;
  if (!Devices.insert(Device).second)
    return;
  const auto [Name, Capability] = describeGpu(Device);
  Output.device(Name, Capability);
}

std::pair<std::string, std::string> Recorder::describeGpu(CUdevice Device) {
  char Name[256] = "";
  int Major = 0, Minor = 0;
  cuDeviceGetName(Name, sizeof Name - 1, Device);
  cuDeviceGetAttribute(&Major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                       Device);
  cuDeviceGetAttribute(&Minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                       Device);
  return {Name, std::to_string(Major) + '.' + std::to_string(Minor)};
}

const Recorder::KnownKernel &Recorder::known(const LaunchRequest &Request) {
  const auto [At, IsNew] =
      Kernels.try_emplace({Request.Context, Request.Function});
  KnownKernel &Known = At->second;
  if (!IsNew)
    return Known;
  if (Request.Function) {
    const KernelHandle Kernel(Request.Function);
    Known.Symbol = Request.Symbol ? Request.Symbol : Kernel.symbol();
    Known.Takes = Kernel.resources();
    Known.Home = Kernel.home();
  } else {
    Known.Symbol = "graph";
  }
  Known.Selected = &Select.kernel(Known.Symbol);
  return Known;
}

void Recorder::findVariables(const LaunchRequest &Request,
                             const KnownKernel &Known) {
  CUcontext In = Request.Context;
  if (VariableSymbols.empty() || !Known.Home ||
      !KnownHomes.emplace(In, Known.Home).second)
    return;
  const KernelHandle Kernel(Request.Function);
  for (const std::string &Symbol : VariableSymbols) {
    CUdeviceptr Address = 0;
    size_t Bytes = 0;
    if (!Kernel.variable(Symbol, Address, Bytes) || Bytes == 0)
      continue;
    bool IsNew = false;
    Allocation A = Memory.addVariable(In, Address, Bytes, Symbol, IsNew);
    A.Device = static_cast<unsigned>(DeviceOf[In]);
    if (IsNew)
      Output.allocation(A);
  }
}

void Recorder::describe(const LaunchRequest &Request, const KnownKernel &Known,
                        Launch &L) {
  L.Kernel = Known.Symbol;
  L.Takes = Known.Takes;
  L.Index = Launches++;
  L.Grid = Request.Grid;
  L.Block = Request.Block;
  L.DynamicSharedBytes = Request.DynamicSharedBytes;
  L.Stream = streamNumber(Request.Stream);
  L.Thread = threadNumber();
  L.Device = static_cast<unsigned>(DeviceOf[Request.Context]);
  if (Request.Result != CUDA_SUCCESS)
    L.Error = errorName(Request.Result);
  if (!Request.Function)
    note("graph launches, each recorded as one launch");
}

// Whether the device can be waited for now.
bool Recorder::canWait(const char *What) {
  if (Captures > 0)
    note(std::string(What) +
         " not digested because a stream was being captured");
  else if (Lost)
    note(std::string(What) + " not digested because an earlier launch failed");
  return Captures == 0 && !Lost;
}

bool Recorder::isSelected(const LaunchRequest &Request,
                          const KnownKernel &Kernel, const Launch &L) {
  // Graphs have no grids, but are as different as kernels with other grids.
  Extent Shape = L.Grid;
  if (Request.Graph)
    Shape.X =
        Graphs.try_emplace(Request.Graph, static_cast<unsigned>(Graphs.size()))
            .first->second;
  const Skip Reason =
      Select.launch(L.Index, *Kernel.Selected, Shape, L.Block, now());
  if (Reason != Skip::No)
    Output.skipped(skipName(Reason));
  return Reason == Skip::No && canWait("launches");
}

void Recorder::launched(const LaunchRequest &Request) {
  const OwnCalls Own;
  const OwnTime Timed(Select, Waited);
  Select.spent(CostOfCallbacks);
  takeMessages();
  describeDevice(Request.Context);
  if (isCaptured(Request.Stream)) {
    note("kernel launches captured into a graph");
    return;
  }
  const KnownKernel &Kernel = known(Request);
  Launch L;
  describe(Request, Kernel, L);
  if (L.Error.empty()) {
    Memory.launched();
    const bool Selected = isSelected(Request, Kernel, L);
    const bool Waits = Selected || (Capture && Capture->isUnderWay());
    // An error here is the kernel's own; a later one is the recorder's.
    if (const CUresult Result = Waits ? wait() : CUDA_SUCCESS) {
      L.Error = errorName(Result);
      Lost = true;
    } else {
      findVariables(Request, Kernel);
      L.Digested = Selected && digest({}, DeviceOf[Request.Context], L.Changes);
    }
  }
  if (Capture && Capture->isUnderWay())
    captured(L.Error);
  LastDigested = L.Digested;
  Output.launch(L);
  if (L.Digested)
    dump({});
}

CUresult Recorder::wait() {
  const Selection::Time Before = now();
  const CUresult Result = cuCtxSynchronize();
  const Selection::Time Passed = now() - Before;
  Waited += Passed > CostOfWait ? Passed - CostOfWait : 0;
  return Result;
}

CUresult Recorder::digestIn(CUcontext Context, const MemoryPart &Of,
                            std::span<const uint64_t> &Digests) {
  if (const CUresult Result = cuCtxPushCurrent(Context))
    return Result;
  CUresult Result = wait();
  if (Result == CUDA_SUCCESS)
    Result = Engines[Context].run(Memory.segments(Context, Of), Digests);
  CUcontext Popped = nullptr;
  cuCtxPopCurrent(&Popped);
  return Result;
}

bool Recorder::digest(const MemoryPart &Of, std::optional<CUdevice> On,
                      std::vector<DigestChange> &Changes) {
  // All contexts are digested before the digests of any are kept: should one
  // fail, the next launch still lists everything that changed since.
  std::vector<std::pair<const void *, std::span<const uint64_t>>> Found;
  for (const void *In : Memory.contexts(Of)) {
    auto *const Context = static_cast<CUcontext>(const_cast<void *>(In));
    if (On && DeviceOf[Context] != *On)
      continue;
    auto &Digests = Found.emplace_back(In, std::span<const uint64_t>()).second;
    if (const CUresult Result = digestIn(Context, Of, Digests)) {
      note("launches not digested: " + errorName(Result));
      return false;
    }
  }
  for (const auto &[In, Digests] : Found)
    for (DigestChange &Change : Memory.update(In, Digests, Of))
      Changes.push_back(std::move(Change));
  return true;
}

// Memory goes; what launches since its last digest wrote would stay unseen.
void Recorder::digestBeforeFree(MemoryPart Of) {
  Of.StaleOnly = true;
  if (Memory.contexts(Of).empty())
    return;
  // What a digest left stale lies on another device. A schedule has no entry
  // for that, so that it is digested in every run.
  if (!LastDigested && Select.free(Launches - 1, now()) != Skip::No)
    Output.skipped("freed");
  else if (canWait("freed allocations"))
    digestLate(Of, /*AtEnd=*/false);
}

void Recorder::digestLate(const MemoryPart &Of, bool AtEnd) {
  std::vector<DigestChange> Changes;
  if (!digest(Of, std::nullopt, Changes))
    return;
  Output.late(AtEnd, Changes);
  dump(Of);
}

void Recorder::ending() {
  const OwnCalls Own;
  const OwnTime Timed(Select, Waited);
  takeMessages();
  MemoryPart Stale;
  Stale.StaleOnly = true;
  if (!Memory.contexts(Stale).empty() && canWait("last launches"))
    digestLate(Stale, /*AtEnd=*/true);
}

void Recorder::dump(const MemoryPart &Of) {
  if (!Dump || Dump->Launch + 1 != Launches)
    return;
  const auto Place = Memory.find(Dump->IsVariable, Dump->Allocation);
  if (!Place || Dump->Begin >= Place->Bytes ||
      (Of.Address && *Of.Address != Place->Address) ||
      (Of.VariablesOnly && !Dump->IsVariable))
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
  Dump.reset();
}

// Whether the digest kernel may and should read this memory; if not, a note
// says why.
bool Recorder::canLookAt(const AllocationRequest &Request) {
  const auto No = [this](const char *Why) {
    unseen(Why);
    return false;
  };
  if (Request.IsOrdered && isCaptured(Request.Order))
    return No("allocations captured into a graph");
  if (!Request.In)
    return No("allocations without a context");
  if (Request.IsHost && Request.Bytes > MostHostBytes)
    return No("host memory of more than 1 GiB, not digested");
  if (!Request.IsHostFirst)
    return true;
  int Concurrent = 0;
  CUdevice Device = 0;
  if (cuCtxGetDevice(&Device) == CUDA_SUCCESS &&
      cuDeviceGetAttribute(&Concurrent,
                           CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                           Device) == CUDA_SUCCESS &&
      Concurrent)
    return true;
  return No("managed allocations that belong to the host");
}

void Recorder::allocated(const AllocationRequest &Request) {
  if (Request.Bytes == 0 || Request.Address == 0)
    return;
  const OwnCalls Own;
  const OwnTime Timed(Select, Waited);
  takeMessages();
  if (!canLookAt(Request))
    return;
  // What the host allocates is as the host left it.
  if (!Request.IsHost && !Request.IsFilled) {
    const CUresult Filled =
        Request.IsOrdered
            ? cuMemsetD8Async(Request.Address, FillByte, Request.Bytes,
                              Request.Order)
            : Engines[Request.In].fill(Request.Address, Request.Bytes);
    if (Filled != CUDA_SUCCESS)
      note("allocations not filled: " + errorName(Filled));
  }
  describeDevice(Request.In);
  std::vector<unsigned> Gone;
  Allocation A = Memory.add(Request.In, Request.Address, Request.Bytes,
                            Request.Kind, Gone);
  for (const unsigned Id : Gone)
    Output.free(Id);
  A.Made = Request.Made;
  A.Device = static_cast<unsigned>(DeviceOf[Request.In]);
  Output.allocation(A);
}

void Recorder::accessible(CUcontext In, CUdeviceptr Address, uint64_t Bytes,
                          std::span<const CUmemAccessDesc> Rights,
                          std::optional<unsigned> Made) {
  CUdevice Device = 0;
  {
    const OwnCalls Own;
    if (!In || cuCtxGetDevice(&Device) != CUDA_SUCCESS)
      return unseen("virtual memory without a context, not digested");
  }
  const CUmemAccessDesc *Right = nullptr;
  for (const CUmemAccessDesc &One : Rights)
    if (One.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
        One.location.id == Device)
      Right = &One;
  if (!Right)
    return unseen("virtual memory for another device, not digested");
  for (const MappedRanges::Range &Range : Mapped.within(Address, Bytes)) {
    if (Right->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE) {
      forget(Range.Address);
      continue;
    }
    if (Memory.holds(Range.Address))
      continue;
    AllocationRequest Request;
    Request.In = In;
    Request.Kind = "virtual";
    Request.Made = Made;
    Request.Address = Range.Address;
    Request.Bytes = Range.Bytes;
    Request.IsFilled =
        !Range.IsFresh || Right->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (!Request.IsFilled)
      Mapped.filled(Range.Address);
    allocated(Request);
  }
}

// Access is gone already, so that nothing can be read there any more.
void Recorder::forget(CUdeviceptr Address) {
  MemoryPart Unseen;
  Unseen.StaleOnly = true;
  Unseen.Address = Address;
  if (!Memory.contexts(Unseen).empty())
    Output.skipped("freed");
  if (const auto Id = Memory.remove(Address))
    Output.free(*Id);
}

void Recorder::unmapping(CUdeviceptr Address, uint64_t Bytes) {
  for (const MappedRanges::Range &Range : Mapped.within(Address, Bytes))
    freeing(Range.Address);
  Mapped.unmapped(Address, Bytes);
}

void Recorder::freeing(CUdeviceptr Address) {
  const OwnCalls Own;
  const OwnTime Timed(Select, Waited, /*AtFrees=*/true);
  takeMessages();
  MemoryPart Freed;
  Freed.Address = Address;
  digestBeforeFree(Freed);
  if (const auto Id = Memory.remove(Address))
    Output.free(*Id);
}
