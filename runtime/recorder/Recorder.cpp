//===-- Recorder.cpp - what happens at each event of a program ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/Recorder.h"
#include "recorder/KernelHandle.h"
#include "recording/ModuleSymbols.h"
#include <algorithm>
#include <cstdio>

using namespace bankstripe;
using namespace bankstripe::runtime;

// Host memory is read over the bus: 20 to 40 ms for this.
constexpr uint64_t MostHostBytes = uint64_t(1) << 30;

// What a note lists of the memory that a capture lacks.
constexpr size_t MostListedNames = 8;

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

std::string bankstripe::runtime::errorName(CUresult Result) {
  const char *Name = nullptr;
  if (cuGetErrorName(Result, &Name) != CUDA_SUCCESS || !Name)
    return "CUDA error " + std::to_string(static_cast<int>(Result));
  return Name;
}

// Of several processes that inherit the same request, each captures into files
// of its own: what stands behind the name of its recording stands behind the
// files', too.
Recorder::Recorder(RecordingWriter &Output, const RecordRequest &Request)
    : Output(Output), Select(Request.Digests), Dump(Request.Bytes) {
  if (Request.Mode == RecordingMode::Survey)
    Capture.emplace(Request.Survey,
                    Output.path().substr(std::min(Request.Recording.size(),
                                                  Output.path().size())));
}

void Recorder::contextEnds(CUcontext Context) {
  const std::lock_guard Lock(MessagesMutex);
  EndedContexts.push_back(Context);
}

void Recorder::moduleLoaded(const void *Image, size_t Bytes) {
  const std::string_view Code(static_cast<const char *>(Image), Bytes);
  const std::vector<std::string> Symbols = symbolsOf(Code).Variables;
  const std::lock_guard Lock(MessagesMutex);
  LoadedSymbols.insert(LoadedSymbols.end(), Symbols.begin(), Symbols.end());
  if (Capture)
    LoadedImages.emplace_back(Code);
}

void Recorder::handleMessages() {
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
  handleMessages();
  MemoryPart Variables;
  Variables.VariablesOnly = true;
  digestBeforeFree(Variables);
  Memory.removeVariables();
  KnownHomes.clear();
  Kernels.clear();
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
  if (Capture)
    Known.Name = kernelName(Known.Symbol);
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

bool Recorder::isSelected(const KnownKernel &Kernel, unsigned Index) {
  const std::string_view Reason = Select.launch(Index, *Kernel.Selected);
  if (!Reason.empty())
    Output.skipped(std::string(Reason));
  return Reason.empty() && canWait("launches");
}

void Recorder::launched(const LaunchRequest &Request) {
  const OwnCalls Own;
  handleMessages();
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
    const bool Selected = isSelected(Kernel, L.Index);
    const bool Waits = Selected || (Capture && Capture->isUnderWay());
    // An error here is the kernel's own; a later one is the recorder's.
    if (const CUresult Result = Waits ? cuCtxSynchronize() : CUDA_SUCCESS) {
      L.Error = errorName(Result);
      Lost = true;
    } else {
      findVariables(Request, Kernel);
      L.Digested = Selected && digest({}, DeviceOf[Request.Context], L.Changes);
    }
  }
  if (Capture && Capture->isUnderWay())
    if (const std::string Problem = Capture->end(L.Error, Engines);
        !Problem.empty())
      noCapture(Problem);
  LastDigested = L.Digested;
  Output.launch(L);
  if (L.Digested)
    dump({});
}

CUresult Recorder::digestIn(CUcontext Context, const MemoryPart &Of,
                            std::span<const uint64_t> &Digests) {
  const CurrentContext Current(Context);
  if (Current.Result != CUDA_SUCCESS)
    return Current.Result;
  if (const CUresult Result = cuCtxSynchronize())
    return Result;
  return Engines[Context].run(Memory.segments(Context, Of), Digests);
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
  // What a digest left stale lies on another device.
  if (!LastDigested && !Select.digestsFrees())
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
  handleMessages();
  MemoryPart Stale;
  Stale.StaleOnly = true;
  if (!Memory.contexts(Stale).empty() && canWait("last launches"))
    digestLate(Stale, /*AtEnd=*/true);
}

void Recorder::dump(const MemoryPart &Of) {
  if (!Dump || Dump->Launch + 1 != Launches)
    return;
  const auto At = std::ranges::find_if(Memory.pieces(), [this](const auto &P) {
    return P.second.What.IsVariable == Dump->IsVariable &&
           P.second.What.Id == Dump->Allocation;
  });
  if (At == Memory.pieces().end())
    return;
  const auto &[Address, Piece] = *At;
  if (Dump->Begin >= Piece.What.Bytes ||
      (Of.Address && *Of.Address != Address) ||
      (Of.VariablesOnly && !Dump->IsVariable))
    return;
  std::string Bytes(std::min(Dump->End, Piece.What.Bytes) - Dump->Begin, '\0');
  auto *const Context = static_cast<CUcontext>(const_cast<void *>(Piece.In));
  const CurrentContext Current(Context);
  if (Current.Result != CUDA_SUCCESS)
    return;
  const CUresult Result = Engines[Context].copyOut(Address + Dump->Begin,
                                                   Bytes.data(), Bytes.size());
  if (Result != CUDA_SUCCESS)
    return;
  // Half of the bytes would tell of another difference.
  const std::string Path = Output.path() + ".bytes";
  if (!writeFile(Path, Bytes)) {
    std::remove(Path.c_str());
    note("bytes that differ could not be written");
  }
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
  handleMessages();
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
  A.Device = static_cast<unsigned>(DeviceOf[Request.In]);
  Output.allocation(A);
}

void Recorder::accessible(CUcontext In, CUdeviceptr Address, uint64_t Bytes,
                          std::span<const CUmemAccessDesc> Rights) {
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
    if (Memory.pieces().contains(Range.Address))
      continue;
    AllocationRequest Request;
    Request.In = In;
    Request.Kind = "virtual";
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
  handleMessages();
  MemoryPart Freed;
  Freed.Address = Address;
  digestBeforeFree(Freed);
  if (const auto Id = Memory.remove(Address))
    Output.free(*Id);
}

//===----------------------------------------------------------------------===//
// A capture: which memory there is, and that nothing happens to it between the
// two looks at it.
//===----------------------------------------------------------------------===//

void Recorder::launching(const LaunchRequest &Request) {
  if (!Capture)
    return;
  const OwnCalls Own;
  handleMessages();
  describeDevice(Request.Context);
  // Not a launch yet; the one of this number is still to come.
  if (isCaptured(Request.Stream))
    return;
  const KnownKernel &Known = known(Request);
  if (!Capture->wants(Known.Name, Known.Selected->Launches,
                      {Request.Grid, Request.Block}))
    return;
  if (const std::string Problem = capture(Request); !Problem.empty())
    noCapture(Problem);
}

void Recorder::noCapture(const std::string &Why) {
  Capture->stop();
  note(NoCaptureNote + Capture->kernel() + ": " + Why);
}

std::string Recorder::capture(const LaunchRequest &Request) {
  if (!Request.Function)
    return "the launch of a graph cannot be captured";
  if (Captures > 0)
    return "a stream was being captured into a graph";
  if (Lost)
    return "an earlier launch failed";
  // A kernel may be loaded only when it is asked for; then its image follows.
  const KernelHandle Handle(Request.Function);
  handleMessages();
  const KnownKernel &Known = known(Request);
  if (Known.Selected->IsCollective)
    return "a kernel that waits for others, on other devices, cannot be "
           "captured";
  std::set<std::string> Notes = Unseen;
  CapturedKernel Kernel;
  std::string Problem =
      Capture->describe(Request, Handle, Known.Symbol, Kernel, Notes);
  std::vector<LaunchCapture::Place> Places;
  if (Problem.empty()) {
    findVariables(Request, Known);
    Places = reachable(Request.Context, Handle, Kernel.Image, Notes);
    Problem = waitFor(Request.Context, Places);
  }
  if (!Problem.empty())
    return Problem;
  const auto [Name, Capability] = describeGpu(DeviceOf[Request.Context]);
  return Capture->begin({Name, Capability, Launches}, Kernel, std::move(Places),
                        Notes, Engines);
}

// "WHAT: a, b, ...", when there are such names.
static void noteNames(std::set<std::string> &Notes, const char *What,
                      const std::vector<std::string> &Names) {
  if (Names.empty())
    return;
  std::string Text = What;
  for (size_t I = 0; I < std::min(Names.size(), MostListedNames); ++I)
    Text += (I ? ", " : ": ") + Names[I];
  Notes.insert(Names.size() > MostListedNames ? Text + ", ..." : Text);
}

static std::string nameOf(const Allocation &A) {
  return A.IsVariable ? canonicalName(A.Name)
                      : "allocation " + std::to_string(A.Id);
}

std::vector<LaunchCapture::Place>
Recorder::reachable(CUcontext In, const KernelHandle &Kernel,
                    const std::string &Image, std::set<std::string> &Notes) {
  std::vector<LaunchCapture::Place> Places;
  std::vector<std::string> Elsewhere, Unknown, OfOthers;
  std::set<uint64_t> Own;
  const auto AddVariable = [&](const std::string &Symbol, const char *Kind) {
    CUdeviceptr Address = 0;
    size_t Bytes = 0;
    if (!Kernel.variable(Symbol, Address, Bytes) || Bytes == 0)
      return Unknown.push_back(canonicalName(Symbol));
    if (Own.insert(Address).second)
      Places.push_back({In, {Address, Bytes, Kind, Symbol, 0, {}, {}}});
  };
  const ModuleSymbols Symbols = symbolsOf(Image);
  for (const std::string &S : Symbols.Variables)
    AddVariable(S, "variable");
  for (const std::string &S : Symbols.Constants)
    AddVariable(S, "constant");
  for (const auto &[Address, Piece] : Memory.pieces()) {
    const Allocation &What = Piece.What;
    auto *const Context = static_cast<CUcontext>(const_cast<void *>(Piece.In));
    if (DeviceOf[Context] != DeviceOf[In])
      Elsewhere.push_back(nameOf(What));
    else if (!What.IsVariable)
      Places.push_back(
          {Context, {Address, What.Bytes, What.Kind, "", What.Id, {}, {}}});
    else if (!Own.contains(Address))
      OfOthers.push_back(nameOf(What));
  }
  noteNames(Notes, "memory of other devices", Elsewhere);
  noteNames(Notes, "variables of other modules or contexts", OfOthers);
  noteNames(Notes, "variables whose addresses the driver does not tell",
            Unknown);
  return Places;
}

// Waits for everything that may still write what is captured.
std::string Recorder::waitFor(CUcontext Launching,
                              std::vector<LaunchCapture::Place> &Places) {
  std::set<CUcontext> Contexts{Launching};
  for (const LaunchCapture::Place &P : Places)
    Contexts.insert(P.In);
  for (CUcontext Context : Contexts) {
    const CurrentContext Current(Context);
    if (Current.Result != CUDA_SUCCESS)
      return "a context cannot be used any more";
    if (const CUresult Result = cuCtxSynchronize())
      return "an earlier launch failed: " + errorName(Result);
  }
  return {};
}
