//===-- RecorderCapture.cpp - the launch that is captured -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder's part in a capture: which memory there is, and that nothing
// happens to it between the two looks at it.
//
//===----------------------------------------------------------------------===//

#include "recorder/ModuleSymbols.h"
#include "recorder/Recorder.h"
#include <algorithm>

using namespace bankstripe::runtime;

constexpr size_t MostListedNames = 8;

void Recorder::launching(const LaunchRequest &Request) {
  if (!Capture || !Capture->wants(Launches))
    return;
  const OwnCalls Own;
  const OwnTime Timed(Select, Waited);
  takeMessages();
  describeDevice(Request.Context);
  // Not a launch yet; the one of this number is still to come.
  if (isCaptured(Request.Stream))
    return;
  if (const std::string Problem = capture(Request); !Problem.empty())
    noCapture(Problem);
}

void Recorder::noCapture(const std::string &Why) {
  Capture->stop();
  note(NoCaptureNote + Why);
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
  takeMessages();
  const KnownKernel &Known = known(Request);
  if (Known.Selected->IsCollective)
    return "a kernel that waits for others, on other devices, cannot be "
           "captured";
  std::set<std::string> Notes = Unseen;
  CapturedKernel Kernel;
  std::string Problem =
      Capture->describe(Request, Handle, Known.Symbol, Kernel, Notes);
  std::vector<LaunchCapture::Place> Places;
  if (Problem.empty() && Capture->wantsMemory()) {
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
  for (const std::string &S : variableSymbols(Image.data(), Image.size()))
    AddVariable(S, "variable");
  for (const std::string &S : constantSymbols(Image.data(), Image.size()))
    AddVariable(S, "constant");
  for (const auto &[Where, What] : Memory.all()) {
    auto *const Context = static_cast<CUcontext>(const_cast<void *>(Where.In));
    if (DeviceOf[Context] != DeviceOf[In])
      Elsewhere.push_back(nameOf(What));
    else if (!What.IsVariable)
      Places.push_back(
          {Context,
           {Where.Address, Where.Bytes, What.Kind, "", What.Id, {}, {}}});
    else if (!Own.contains(Where.Address))
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
    if (cuCtxPushCurrent(Context) != CUDA_SUCCESS)
      return "a context cannot be used any more";
    const CUresult Result = wait();
    CUcontext Popped = nullptr;
    cuCtxPopCurrent(&Popped);
    if (Result != CUDA_SUCCESS)
      return "an earlier launch failed: " + errorName(Result);
  }
  return {};
}

void Recorder::captured(const std::string &Error) {
  if (const std::string Problem = Capture->end(Error, Engines);
      !Problem.empty())
    noCapture(Problem);
}
