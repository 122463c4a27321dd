//===-- Recorder.h - what happens at each event of a program ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder in modes Digest and Survey: docs/internals/recorder.md.
// Injection.cpp translates driver calls into the calls of this class.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_RECORDER_H
#define BANKSTRIPE_RECORDER_RECORDER_H

#include "recorder/DigestEngine.h"
#include "recorder/LaunchCapture.h"
#include "recorder/LiveMemory.h"
#include "recording/Recording.h"
#include <cuda.h>
#include <mutex>
#include <set>
#include <thread>

namespace bankstripe::runtime {

/// A launch as the program asked for it.
struct LaunchRequest {
  CUfunction Function = nullptr; ///< Null for a graph.
  const char *Symbol = nullptr;  ///< Of the kernel, when CUPTI knows it.
  Extent Grid, Block;
  unsigned DynamicSharedBytes = 0;
  CUstream Stream = nullptr;
  CUcontext Context = nullptr;
  /// \name How its parameters are handed over: one of these.
  /// @{
  void **Parameters = nullptr;
  void **Extra = nullptr;
  /// @}
  bool IsCooperative = false;
  std::span<const CUlaunchAttribute> Attributes;
  CUresult Result = CUDA_SUCCESS; ///< Known at its exit.
};

/// Memory that the program was given.
struct AllocationRequest {
  CUcontext In = nullptr;
  std::string Kind;
  CUdeviceptr Address = 0; ///< Where kernels see it.
  uint64_t Bytes = 0;
  bool IsOrdered = false;   ///< It becomes usable in the order of a stream.
  CUstream Order = nullptr; ///< That stream.
  bool IsHostFirst = false; ///< Managed memory that the host has first.
  bool IsHost = false;      ///< Host memory.
  bool IsFilled = false;    ///< It may hold something already.
};

/// The driver's name of an error.
std::string errorName(CUresult Result);

class Recorder {
public:
  Recorder(RecordingWriter &Output, const RecordRequest &Request);

  std::recursive_timed_mutex &mutex() { return Mutex; }

  /// \name Events, with mutex() held.
  /// @{
  void launching(const LaunchRequest &Request);
  void launched(const LaunchRequest &Request);
  void allocated(const AllocationRequest &Request);
  void freeing(CUdeviceptr Address);
  void created(CUmemGenericAllocationHandle Memory) { Mapped.created(Memory); }
  void mapped(CUdeviceptr Address, uint64_t Bytes,
              CUmemGenericAllocationHandle Memory) {
    if (Mapped.mapped(Address, Bytes, Memory))
      onlyReplayMisses("memory that has several addresses (cuMemMap)");
  }
  void accessible(CUcontext In, CUdeviceptr Address, uint64_t Bytes,
                  std::span<const CUmemAccessDesc> Rights);
  void unmapping(CUdeviceptr Address, uint64_t Bytes);
  /// A context or the program ends: digests what no digest has seen.
  void ending();
  void captureBegins() { ++Captures; }
  void captureEnds() { Captures -= Captures > 0; }
  /// A module or library may go: its variables are looked up again.
  void modulesUnload();
  void note(const std::string &Text) { Output.note(Text); }
  /// Notes that kernels can reach memory that is not looked at.
  void unseen(const std::string &Text) {
    note(Text);
    onlyReplayMisses(Text);
  }
  /// Something that is recorded all the same, but not part of a capture.
  void onlyReplayMisses(const std::string &Text) { Unseen.insert(Text); }
  /// @}

  /// \name Events inside the driver, where its locks may be held. They only
  /// leave a message for the next event above.
  /// @{
  void contextEnds(CUcontext Context);
  void moduleLoaded(const void *Image, size_t Bytes);
  /// @}

private:
  /// What is known of a launched handle until modules are unloaded.
  struct KnownKernel {
    SharedText Symbol;
    std::string Name; ///< As of kernelName(), when there are to be captures.
    Resources Takes;
    Selection::Kernel *Selected = nullptr;
    const void *Home = nullptr;
  };

  void handleMessages();
  bool isCaptured(CUstream Stream);
  void describeDevice(CUcontext Current);
  /// Its name and compute capability.
  static std::pair<std::string, std::string> describeGpu(CUdevice Device);
  const KnownKernel &known(const LaunchRequest &Request);
  void findVariables(const LaunchRequest &Request, const KnownKernel &Known);
  void describe(const LaunchRequest &Request, const KnownKernel &Known,
                Launch &L);
  bool isSelected(const KnownKernel &Kernel, unsigned Index);
  bool canWait(const char *What);
  /// \param On only memory of this device.
  bool digest(const MemoryPart &Of, std::optional<CUdevice> On,
              std::vector<DigestChange> &Changes);
  CUresult digestIn(CUcontext Context, const MemoryPart &Of,
                    std::span<const uint64_t> &Digests);
  bool canLookAt(const AllocationRequest &Request);
  void digestBeforeFree(MemoryPart Of);
  void forget(CUdeviceptr Address);
  void digestLate(const MemoryPart &Of, bool AtEnd);
  void dump(const MemoryPart &Of);
  /// \name Launches that are captured; the first three return why not.
  /// @{
  std::string capture(const LaunchRequest &Request);
  std::string waitFor(CUcontext Launching,
                      std::vector<LaunchCapture::Place> &Places);
  std::vector<LaunchCapture::Place> reachable(CUcontext In,
                                              const KernelHandle &Kernel,
                                              const std::string &Image,
                                              std::set<std::string> &Notes);
  void noCapture(const std::string &Why);
  /// @}
  unsigned threadNumber();

  RecordingWriter &Output;
  std::recursive_timed_mutex Mutex;
  Selection Select;
  LiveMemory Memory;
  MappedRanges Mapped;
  std::map<CUcontext, DigestEngine> Engines;
  std::map<std::pair<CUcontext, CUfunction>, KnownKernel> Kernels;
  /// Libraries whose variables are known, in the contexts where they are.
  std::set<std::pair<CUcontext, const void *>> KnownHomes;
  std::set<std::string> VariableSymbols;
  std::set<CUdevice> Devices;
  std::map<CUcontext, CUdevice> DeviceOf; ///< Of contexts in use.
  std::map<std::thread::id, unsigned> Threads;
  std::optional<WantedBytes> Dump;
  std::optional<LaunchCapture> Capture;
  std::set<std::string> Unseen; ///< What captures lack.
  unsigned Launches = 0;
  unsigned Captures = 0;
  bool LastDigested = false; ///< The latest launch was.
  bool Lost = false; ///< A launch left an error that memory cannot outlive.

  std::mutex MessagesMutex;
  std::vector<CUcontext> EndedContexts;
  std::vector<std::string> LoadedSymbols;
  std::vector<std::string> LoadedImages; ///< When there is to be a capture.
};

/// While it lives, what this thread asks of the driver is the recorder's own.
class OwnCalls {
public:
  OwnCalls();
  ~OwnCalls();
  OwnCalls(const OwnCalls &) = delete;
  OwnCalls &operator=(const OwnCalls &) = delete;
  static bool active();

private:
  CUstreamCaptureMode Mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_RECORDER_H
