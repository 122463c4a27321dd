//===-- LaunchCapture.cpp - launches into files ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/LaunchCapture.h"
#include "recorder/Recorder.h"
#include "recording/ModuleSymbols.h"
#include <algorithm>
#include <cstdio>

using namespace bankstripe::runtime;

// What is copied at a time: whole pages.
constexpr uint64_t PieceBytes = DigestEngine::StagingBytes;
static_assert(PieceBytes % CapturePageBytes == 0);

LaunchCapture::LaunchCapture(const WantedSurvey &Wanted,
                             const std::string &Ending)
    : Survey(Wanted), Ending(Ending),
      Store(Survey.Folder + "/pages" + Ending, Survey.MostBytes) {}

// A survey takes little longer than the program, but for the first launches.
bool LaunchCapture::isWorthItsTime() const {
  constexpr Seconds Free{2};
  constexpr double PartOfProgram = 0.15;
  return Spent <= Free + PartOfProgram * (Clock::now() - *Begin);
}

std::string LaunchCapture::fileOf(uint64_t OfKernel) const {
  const auto At = std::ranges::find(Survey.Kernels, Kernel);
  return Survey.Folder + '/' + std::to_string(At - Survey.Kernels.begin()) +
         '-' + std::to_string(OfKernel) + Ending;
}

bool LaunchCapture::wants(const std::string &OfName, uint64_t Number,
                          const LaunchSize &OfSize) {
  if (std::ranges::find(Survey.Kernels, OfName) == Survey.Kernels.end())
    return false;
  Asked = Clock::now();
  if (!Begin)
    Begin = Asked;
  const auto [At, IsFirst] = Choices.try_emplace(OfName);
  if (!At->second.wants(OfSize) || !(IsFirst || isWorthItsTime()))
    return false;
  Kernel = OfName;
  OfKernel = Number;
  Size = OfSize;
  Path = fileOf(Number);
  return IsWanted = true;
}

// What was captured is among those that are kept; another one may go.
void LaunchCapture::keep() {
  Stored[Path] = std::move(Writer->stored());
  const auto Gone =
      Choices[Kernel].captured(OfKernel, Size, LaunchTime.count());
  if (!Gone)
    return;
  const std::string File = fileOf(*Gone);
  for (const uint64_t Place : Stored[File])
    Store.drop(Place);
  Stored.erase(File);
  std::remove(File.c_str());
}

// The values of the parameters, handed over in either way. \returns why they
// are not known.
static std::string readParameters(const LaunchRequest &Launch,
                                  const KernelHandle &Kernel,
                                  std::vector<CapturedParameter> &Parameters) {
  std::vector<ParameterPlace> Places;
  if (!Kernel.parameters(Places))
    return "the driver does not tell the kernel's parameters";
  const void *Buffer = nullptr;
  size_t Bytes = 0;
  for (void **At = Launch.Extra; At && *At != CU_LAUNCH_PARAM_END; At += 2) {
    if (At[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      Buffer = At[1];
    else if (At[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
      Bytes = *static_cast<const size_t *>(At[1]);
    else
      return "the launch has parameters of an unknown form";
  }
  auto Copied =
      copyParameters(Places, Launch.Parameters,
                     {static_cast<const char *>(Buffer), Buffer ? Bytes : 0});
  if (!Copied)
    return "the launch has fewer parameters than its kernel";
  Parameters = std::move(*Copied);
  return {};
}

// How the launch asked to be made. What changes its time and place, but not
// what it computes, is passed over.
static void readAttribute(const CUlaunchAttribute &Attribute,
                          CapturedKernel &Kernel,
                          std::set<std::string> &Notes) {
  const CUlaunchAttributeValue &Value = Attribute.value;
  switch (Attribute.id) {
  case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    Kernel.IsCooperative = Value.cooperative != 0;
    return;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    Kernel.Cluster = {Value.clusterDim.x, Value.clusterDim.y,
                      Value.clusterDim.z};
    return;
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    Kernel.Carveout = static_cast<int>(Value.sharedMemCarveout);
    return;
  case CU_LAUNCH_ATTRIBUTE_IGNORE:
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
  case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
  case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
    return;
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    Notes.insert("programmatic dependent launch: the kernel started when the "
                 "one before it was over");
    return;
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    Notes.insert("a preferred size of clusters");
    return;
  default:
    Notes.insert("launch attribute " +
                 std::to_string(static_cast<int>(Attribute.id)) +
                 ", whose meaning is not known");
  }
}

static uint64_t limit(CUlimit Which) {
  size_t Bytes = 0;
  return cuCtxGetLimit(&Bytes, Which) == CUDA_SUCCESS ? Bytes : 0;
}

std::string LaunchCapture::describe(const LaunchRequest &Launch,
                                    const KernelHandle &Kernel,
                                    const std::string &Symbol,
                                    CapturedKernel &Result,
                                    std::set<std::string> &Notes) const {
  Result.Symbol = Symbol;
  if (std::string Problem =
          findImage(Images, Symbol, Kernel.neighbours(), Result.Image);
      !Problem.empty())
    return Problem;
  if (std::string Problem = readParameters(Launch, Kernel, Result.Parameters);
      !Problem.empty())
    return Problem;
  Result.Grid = Launch.Grid;
  Result.Block = Launch.Block;
  Result.DynamicSharedBytes = Launch.DynamicSharedBytes;
  Result.IsCooperative = Launch.IsCooperative;
  Result.MostDynamicSharedBytes =
      Kernel.attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  Result.Carveout =
      Kernel.attribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  Result.StackBytes = limit(CU_LIMIT_STACK_SIZE);
  Result.HeapBytes = limit(CU_LIMIT_MALLOC_HEAP_SIZE);
  Result.PrintBytes = limit(CU_LIMIT_PRINTF_FIFO_SIZE);
  for (const CUlaunchAttribute &Attribute : Launch.Attributes)
    readAttribute(Attribute, Result, Notes);
  for (const std::string &Name : symbolsOf(Result.Image).Outside)
    if (Name == "malloc" || Name == "free")
      Notes.insert("memory that kernels allocate (malloc in device code)");
  return {};
}

std::string LaunchCapture::begin(const CapturedProgram &Program,
                                 const CapturedKernel &Kernel,
                                 std::vector<Place> Captured,
                                 const std::set<std::string> &Notes,
                                 Engines &With) {
  uint64_t Bytes = 0;
  for (const Place &P : Captured)
    Bytes += P.What.Bytes;
  if (Bytes > Survey.MostBytes) {
    stop();
    return "its " + std::to_string(Bytes) +
           " bytes of memory are more than captures may have";
  }
  Writer = std::make_unique<CaptureWriter>(Path, &Store);
  if (!Writer->problem().empty()) {
    // Whose file it is, if there is one, is not known.
    const std::string Problem = cannotWrite();
    stop();
    return Problem;
  }
  Memory = std::move(Captured);
  Writer->program(Program);
  Writer->kernel(Kernel);
  for (const std::string &Note : Notes)
    Writer->note(Note);
  for (const Place &P : Memory)
    Writer->memory(P.What);
  std::string Problem = writePages(CaptureMoment::Before, With);
  Launched = Clock::now();
  return Problem.empty() ? "" : giveUp(Problem);
}

std::string LaunchCapture::end(const std::string &Error, Engines &With) {
  LaunchTime = Clock::now() - Launched;
  if (!Error.empty())
    return giveUp("it ends with " + Error);
  if (std::string Problem = writePages(CaptureMoment::After, With);
      !Problem.empty())
    return giveUp(Problem);
  if (!Writer->end())
    return giveUp(cannotWrite());
  keep();
  stop();
  return {};
}

std::string LaunchCapture::writePages(CaptureMoment When, Engines &With) {
  for (unsigned Number = 0; Number < Memory.size(); ++Number) {
    const Place &P = Memory[Number];
    const CurrentContext Context(P.In);
    if (Context.Result != CUDA_SUCCESS)
      return "a context cannot be used any more";
    if (const CUresult Result = writePages(P, Number, When, With[P.In]))
      return "device memory could not be read: " + errorName(Result);
    if (!Writer->problem().empty())
      return cannotWrite();
  }
  return {};
}

CUresult LaunchCapture::writePages(const Place &Of, unsigned Number,
                                   CaptureMoment When, DigestEngine &With) {
  for (uint64_t At = 0; At < Of.What.Bytes; At += PieceBytes) {
    std::string_view Bytes;
    if (const CUresult Result =
            With.copyOut(Of.What.Address + At,
                         std::min(PieceBytes, Of.What.Bytes - At), Bytes))
      return Result;
    if (!Survey.Discards)
      Writer->pages(Number, When, At / CapturePageBytes, Bytes);
  }
  return CUDA_SUCCESS;
}

std::string LaunchCapture::cannotWrite() {
  return "'" + Path + "' cannot be written: " + Writer->problem();
}

// Half a capture is of no use, and may be large.
std::string LaunchCapture::giveUp(const std::string &Reason) {
  std::remove(Path.c_str());
  for (const uint64_t Place : Writer->stored())
    Store.drop(Place);
  stop();
  return Reason;
}

void LaunchCapture::stop() {
  if (IsWanted)
    Spent += Clock::now() - Asked;
  IsWanted = false;
  Writer.reset();
  Memory.clear();
}
