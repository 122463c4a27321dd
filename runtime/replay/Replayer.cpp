//===-- Replayer.cpp - launches a captured kernel again -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "replay/Replayer.h"
#include "contract/Launch.h"
#include "recording/ModuleSymbols.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

using namespace bankstripe;
using namespace bankstripe::runtime;

void Replayer::prepare() {
  if (const std::string Problem = D.load(); !Problem.empty())
    throw GpuProblem(Problem);
  D.need(D.cuInit(0), "the NVIDIA driver says");
  Memory.reserve();
  makeContext();
  Memory.map(Device);
  for (const CapturedMemory &M : Of.Memory)
    Memory.upload(M, M.Address, 0, M.Before.size());
}

void Replayer::makeContext() {
  const char *NoGpu = "there is no GPU to replay on";
  CUcontext Context = nullptr;
  D.need(D.cuDeviceGet(&Device, 0), NoGpu);
  D.need(D.cuDevicePrimaryCtxRetain(&Context, Device), NoGpu);
  D.need(D.cuCtxSetCurrent(Context), NoGpu);
  int Major = 0, Minor = 0;
  D.cuDeviceGetAttribute(&Major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                         Device);
  D.cuDeviceGetAttribute(&Minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                         Device);
  // Modules are machine code for one kind of GPU.
  if (fmt::format("{}.{}", Major, Minor) != Of.Program.Capability)
    throw GpuProblem(fmt::format("the capture was made on a GPU of compute "
                                 "capability {}, this one has {}.{}",
                                 Of.Program.Capability, Major, Minor));
  const CapturedKernel &K = Of.Original;
  for (const auto &[Limit, Bytes] :
       {std::pair{CU_LIMIT_STACK_SIZE, K.StackBytes},
        {CU_LIMIT_MALLOC_HEAP_SIZE, K.HeapBytes},
        {CU_LIMIT_PRINTF_FIFO_SIZE, K.PrintBytes}})
    if (Bytes)
      D.need(D.cuCtxSetLimit(Limit, Bytes),
             fmt::format("a limit of {} bytes cannot be set", Bytes));
}

// A variable of internal linkage has another symbol in each build.
static std::string symbolIn(const std::vector<std::string> &Symbols,
                            const std::string &Wanted) {
  if (std::ranges::find(Symbols, Wanted) != Symbols.end())
    return Wanted;
  const std::string Name = canonicalName(Wanted);
  for (const std::string &Symbol : Symbols)
    if (canonicalName(Symbol) == Name && mayBeOfOneFile(Symbol, Wanted))
      return Symbol;
  return Wanted;
}

void Replayer::findVariables(CUmodule Module, const CapturedKernel &Kernel,
                             Loaded &Into) {
  ModuleSymbols InModule = symbolsOf(Kernel.Image);
  std::vector<std::string> &Symbols = InModule.Variables;
  std::ranges::move(InModule.Constants, std::back_inserter(Symbols));
  for (unsigned I = 0; I < Of.Memory.size(); ++I) {
    const CapturedMemory &M = Of.Memory[I];
    CUdeviceptr Address = 0;
    size_t Bytes = 0;
    if (M.isVariable() &&
        D.cuModuleGetGlobal(&Address, &Bytes, Module,
                            symbolIn(Symbols, M.Symbol).c_str()) ==
            CUDA_SUCCESS &&
        Bytes == M.Bytes)
      Into.Variables[I] = Address;
  }
}

// Nothing was asked for yet, so that all blocks count which could be resident.
int Replayer::carveoutOfGrid(const CapturedKernel &Kernel,
                             CUfunction Function) {
  const auto OfDevice = [&](CUdevice_attribute Which) {
    int Value = 0;
    D.cuDeviceGetAttribute(&Value, Which, Device);
    return std::max<uint64_t>(Value, 1);
  };
  const auto Count = [](const Extent &E) { return uint64_t{E.X} * E.Y * E.Z; };
  int Static = 0, Resident = 0;
  D.cuFuncGetAttribute(&Static, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, Function);
  D.cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &Resident, Function, static_cast<int>(Count(Kernel.Block)),
      Kernel.DynamicSharedBytes);
  const uint64_t Processors =
      OfDevice(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return percentNeeded(
      std::min<uint64_t>(Resident,
                         (Count(Kernel.Grid) + Processors - 1) / Processors),
      Static + Kernel.DynamicSharedBytes +
          OfDevice(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK),
      OfDevice(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
}

void Replayer::setAttributes(const CapturedKernel &Kernel,
                             CUfunction Function) {
  const auto Set = [&](CUfunction_attribute Attribute, int Value) {
    D.need(D.cuFuncSetAttribute(Function, Attribute, Value),
           "the attributes of the kernel cannot be set");
  };
  const int Dynamic = std::max(Kernel.MostDynamicSharedBytes,
                               static_cast<int>(Kernel.DynamicSharedBytes));
  if (Dynamic > 0)
    Set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, Dynamic);
  if (Kernel.Carveout >= 0 || Kernel.Carveout == CarveoutOfGrid)
    Set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
        Kernel.Carveout >= 0 ? Kernel.Carveout
                             : carveoutOfGrid(Kernel, Function));
  // More blocks in a cluster than every GPU can do have to be asked for.
  constexpr unsigned PortableClusterBlocks = 8;
  if (Kernel.Cluster.X * Kernel.Cluster.Y * Kernel.Cluster.Z >
      PortableClusterBlocks)
    Set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
}

void Replayer::load(Side Which, const CapturedKernel &Kernel) {
  Loaded &Into = Sides[Which] = {};
  Into.Kernel = &Kernel;
  CUmodule Module = nullptr;
  D.need(D.cuModuleLoadData(&Module, Kernel.Image.data()),
         fmt::format("the module of the {} kernel cannot be loaded",
                     sideName(Which)));
  D.need(D.cuModuleGetFunction(&Into.Function, Module, Kernel.Symbol.c_str()),
         fmt::format("the module of the {} kernel has no {}", sideName(Which),
                     Kernel.Symbol));
  findVariables(Module, Kernel, Into);
  std::vector<MovedVariable> Moved;
  Moved.reserve(Into.Variables.size());
  for (const auto &[Index, Address] : Into.Variables)
    Moved.push_back(
        {{Of.Memory[Index].Address, Of.Memory[Index].Bytes}, Address});
  Into.Parameters = parameterBuffer(Of.Original.Parameters, Moved);
  setAttributes(Kernel, Into.Function);
}

void Replayer::setVariables(const Loaded &Side) {
  for (const auto &[Index, Address] : Side.Variables) {
    const CapturedMemory &M = Of.Memory[Index];
    Memory.upload(M, Address, 0, M.Before.size());
    Memory.upload(M, M.Address, 0, M.Before.size());
  }
}

// Calls Do with the memory, first page and number of pages of each run of pages
// that lie one behind the other.
template <class Function>
static void forEachRun(const std::set<PageNumber> &Pages, Function Do) {
  for (auto At = Pages.begin(); At != Pages.end();) {
    const PageNumber First = *At;
    uint64_t Count = 0;
    for (; At != Pages.end() && At->Memory == First.Memory &&
           At->Page == First.Page + Count;
         ++At)
      ++Count;
    Do(First.Memory, First.Page, Count);
  }
}

void Replayer::restore(const std::set<PageNumber> &Pages) {
  forEachRun(Pages, [this](unsigned Index, uint64_t First, uint64_t Count) {
    const CapturedMemory &M = Of.Memory[Index];
    Memory.upload(M, M.Address, First, Count);
  });
}

// Copies on the device, where there is room, of what each timed launch changes.
std::vector<Replayer::KeptRange>
Replayer::keep(const std::set<PageNumber> &Pages) {
  std::vector<KeptRange> Kept;
  forEachRun(Pages, [&](unsigned Index, uint64_t First, uint64_t Count) {
    const CapturedMemory &M = Of.Memory[Index];
    const uint64_t Begin = First * CapturePageBytes;
    KeptRange K{M.Address + Begin, 0,
                std::min(Count * CapturePageBytes, M.Bytes - Begin)};
    if (D.cuMemAlloc(&K.Copy, K.Bytes) != CUDA_SUCCESS)
      K.Copy = 0;
    else
      D.need(D.cuMemcpyDtoD(K.Copy, K.At, K.Bytes), "memory cannot be copied");
    Kept.push_back(K);
  });
  return Kept;
}

CUresult Replayer::run(Side Which) {
  Loaded &Ready = Sides[Which];
  const CapturedKernel &K = *Ready.Kernel;
  CUlaunchAttribute Attributes[2] = {};
  CUlaunchConfig Config = {};
  Config.gridDimX = K.Grid.X;
  Config.gridDimY = K.Grid.Y;
  Config.gridDimZ = K.Grid.Z;
  Config.blockDimX = K.Block.X;
  Config.blockDimY = K.Block.Y;
  Config.blockDimZ = K.Block.Z;
  Config.sharedMemBytes = K.DynamicSharedBytes;
  Config.attrs = Attributes;
  if (K.IsCooperative) {
    CUlaunchAttribute &A = Attributes[Config.numAttrs++];
    A.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    A.value.cooperative = 1;
  }
  if (K.Cluster.X > 0) {
    CUlaunchAttribute &A = Attributes[Config.numAttrs++];
    A.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    A.value.clusterDim = {K.Cluster.X, K.Cluster.Y, K.Cluster.Z};
  }
  size_t Bytes = Ready.Parameters.size();
  void *Extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, Ready.Parameters.data(),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &Bytes, CU_LAUNCH_PARAM_END};
  if (const CUresult Result = D.cuLaunchKernelEx(
          &Config, Ready.Function, nullptr, Bytes ? Extra : nullptr))
    return Result;
  return D.cuCtxSynchronize();
}

static bool holds(const CapturedPage &Page, std::string_view Bytes) {
  if (!Page.Bytes.empty())
    return Page.Bytes == Bytes;
  if (Bytes.size() < sizeof Page.Word)
    return pageBytes(Page, Bytes.size()) == Bytes;
  // A page is one word over and over when it is itself, one word further on.
  return std::memcmp(Bytes.data(), &Page.Word, sizeof Page.Word) == 0 &&
         std::memcmp(Bytes.data(), Bytes.data() + sizeof Page.Word,
                     Bytes.size() - sizeof Page.Word) == 0;
}

std::optional<ByteDifference>
Replayer::comparePage(PageNumber At, std::string_view Bytes,
                      std::set<PageNumber> &Changed) const {
  const CapturedMemory &M = Of.Memory[At.Memory];
  const CapturedPage &Before = M.Before[At.Page], &After = M.After[At.Page];
  const bool IsUnchanged = holds(Before, Bytes);
  if (!IsUnchanged)
    Changed.insert(At);
  if (After.IsThere ? holds(After, Bytes) : IsUnchanged)
    return std::nullopt;
  return findByteDifference(
      pageBytes(After.IsThere ? After : Before, Bytes.size()),
      std::string(Bytes), At.Page * CapturePageBytes);
}

void Replayer::compare(Side Which, SideResult &Result) {
  constexpr uint64_t Prime = 0x100000001b3; // FNV
  Loaded &Ready = Sides[Which];
  uint64_t Digest = 0;
  for (unsigned I = 0; I < Of.Memory.size(); ++I) {
    const CapturedMemory &M = Of.Memory[I];
    const auto Own = Ready.Variables.find(I);
    std::optional<ByteDifference> First;
    uint64_t Bytes = 0;
    Memory.download(
        M, Own == Ready.Variables.end() ? M.Address : Own->second,
        [&](uint64_t Page, std::string_view Rest) {
          for (; !Rest.empty(); ++Page) {
            const std::string_view Now = Rest.substr(0, CapturePageBytes);
            Rest.remove_prefix(Now.size());
            const auto Found = comparePage({I, Page}, Now, Ready.Changed);
            if (!Found)
              continue;
            Digest =
                (Digest * Prime ^ std::hash<std::string_view>{}(Now)) * Prime ^
                (uint64_t{I} << 48 ^ Page);
            Bytes += Found->DifferingBytes;
            First = First ? First : Found;
          }
        });
    if (First)
      Result.Differences.push_back(fmt::format(
          "  {}: {} in all\n{}", memoryName(M.Symbol, M.Number, M.Bytes),
          Bytes == 1 ? "1 byte differs" : fmt::format("{} bytes differ", Bytes),
          differenceText(*First, "captured", sideName(Which))));
  }
  if (!Result.Differences.empty())
    Result.Digest = fmt::format("{:016x}", Digest);
  Result.ChangedPages = Ready.Changed.size();
}

SideResult Replayer::launch(Side Which, const CapturedKernel &Kernel) {
  load(Which, Kernel);
  setVariables(Sides[Which]);
  SideResult Result;
  if (const CUresult Failed = run(Which)) {
    Result.Error = D.name(Failed);
    return Result;
  }
  compare(Which, Result);
  restore(Sides[Which].Changed);
  return Result;
}

Replayer::Timing Replayer::time(unsigned Times, double MostSeconds) {
  using Clock = std::chrono::steady_clock;
  // How much slower is a loss that no further launch makes good. Those that
  // take a good part of the time that there is hardly vary: by 0.01 % on an
  // H200.
  constexpr double ClearlySlower = 1.1, LongPair = 0.8;
  constexpr unsigned FewestToTell = 2;
  std::set<PageNumber> Changed = Sides[Side::Original].Changed;
  Changed.insert(Sides[Side::Rewritten].Changed.begin(),
                 Sides[Side::Rewritten].Changed.end());
  const std::vector<KeptRange> Kept = keep(Changed);
  const bool IsKept =
      std::ranges::all_of(Kept, [](const KeptRange &K) { return K.Copy != 0; });
  const Clock::time_point Begin = Clock::now();
  std::map<Side, Clock::duration> Longest, Shortest;
  Timing Result;
  for (; Result.Done < Times; ++Result.Done) {
    for (const unsigned I : {2 * Result.Done, 2 * Result.Done + 1}) {
      const Side Which = timedSide(I);
      setVariables(Sides[Which]);
      const Clock::time_point Launched = Clock::now();
      if (const CUresult Failed = run(Which)) {
        Result.Failed = {Which, D.name(Failed)};
        return Result;
      }
      const Clock::duration Duration = Clock::now() - Launched;
      Longest[Which] = std::max(Longest[Which], Duration);
      Shortest[Which] = std::min(
          Shortest.try_emplace(Which, Duration).first->second, Duration);
      if (!IsKept)
        restore(Changed);
      else
        for (const KeptRange &K : Kept)
          D.need(D.cuMemcpyDtoD(K.At, K.Copy, K.Bytes),
                 "memory cannot be copied");
    }
    const std::chrono::duration<double> Sofar = Clock::now() - Begin;
    const unsigned Pairs = Result.Done + 1;
    const bool AreLong = Sofar.count() > LongPair * MostSeconds * Pairs;
    const bool IsLost =
        Pairs >= (AreLong ? 1 : FewestToTell) &&
        Shortest[Side::Rewritten] >
            (AreLong ? 1 : ClearlySlower) * Longest[Side::Original];
    const bool AreEnough =
        Pairs >= (AreLong ? FewestToTell : FewestRunsForInterval) &&
        Sofar.count() > MostSeconds;
    if (MostSeconds > 0 && (IsLost || AreEnough)) {
      Result.Done = Pairs;
      Result.IsStopped = IsLost;
      break;
    }
  }
  for (const KeptRange &K : Kept)
    D.cuMemFree(K.Copy);
  return Result;
}

static void movePointers(std::string &Bytes,
                         const std::vector<MovedVariable> &Moved) {
  uint64_t Word = 0;
  for (size_t At = 0; At + sizeof Word <= Bytes.size(); At += sizeof Word) {
    std::memcpy(&Word, Bytes.data() + At, sizeof Word);
    for (const MovedVariable &V : Moved)
      if (Word >= V.Was.Address && Word < V.Was.end()) {
        Word += V.IsAt - V.Was.Address;
        std::memcpy(Bytes.data() + At, &Word, sizeof Word);
        break;
      }
  }
}

std::string bankstripe::runtime::parameterBuffer(
    const std::vector<CapturedParameter> &Parameters,
    const std::vector<MovedVariable> &Moved) {
  // Far above what any GPU takes; an offset beyond is a fault of the file.
  constexpr uint64_t MostBytes = 1 << 20;
  std::string Buffer;
  for (const CapturedParameter &P : Parameters) {
    if (P.Offset > MostBytes || P.Bytes.size() > MostBytes)
      continue;
    std::string Bytes = P.Bytes;
    movePointers(Bytes, Moved);
    Buffer.resize(std::max<size_t>(Buffer.size(), P.Offset + Bytes.size()));
    std::memcpy(Buffer.data() + P.Offset, Bytes.data(), Bytes.size());
  }
  return Buffer;
}

std::string
bankstripe::runtime::kernelIn(const std::vector<std::string> &InModule,
                              const std::string &Symbol, bool MayBeVersion) {
  const std::string Name = kernelName(Symbol);
  std::string Found = Symbol;
  for (const std::string &Kernel : InModule) {
    if (kernelName(Kernel) != Name || !mayBeOfOneFile(Kernel, Symbol))
      continue;
    if (isVersion(Kernel) && MayBeVersion)
      return Kernel;
    if (!isVersion(Kernel) &&
        std::ranges::find(InModule, Symbol) == InModule.end())
      Found = Kernel;
  }
  return Found;
}

std::string
bankstripe::runtime::readKernel(const Candidate &From,
                                const CapturedKernel &Original,
                                std::optional<CapturedKernel> &Result) {
  Result.reset();
  if (From.Module.empty())
    return "";
  CapturedKernel K = Original;
  K.Carveout = From.Carveout.value_or(K.Carveout);
  const unsigned Threads = K.Block.X * K.Block.Y * K.Block.Z;
  if (From.WarpBytes)
    K.DynamicSharedBytes = static_cast<unsigned>(
        launchBytes(From.WarpBytes, Threads, K.DynamicSharedBytes));
  std::optional<std::string> Image = readFile(From.Module);
  if (!Image || Image->empty())
    return "cannot read '" + From.Module + "'";
  K.Image = std::move(*Image);
  K.Symbol = kernelIn(symbolsOf(K.Image).Kernels, Original.Symbol,
                      !From.MostThreads || Threads <= From.MostThreads);
  Result = std::move(K);
  return "";
}

std::string bankstripe::runtime::readCandidates(const std::string &Path,
                                                std::vector<Candidate> &Into) {
  // The library has no other way to say what is wrong.
  try {
    for (const auto &One : nlohmann::json::parse(readFile(Path).value_or(""))) {
      Candidate &C = Into.emplace_back();
      C.Module = One.at("module");
      C.WarpBytes = One.value("warpBytes", 0U);
      C.MostThreads = One.value("mostThreads", 0U);
      if (One.contains("carveout"))
        C.Carveout = One["carveout"] == "auto" ? CarveoutOfGrid
                                               : One["carveout"].get<int>();
    }
  } catch (const std::exception &Error) {
    return "'" + Path + "' is no list of candidates: " + Error.what();
  }
  return Into.empty() ? "'" + Path + "' lists no candidate" : "";
}
