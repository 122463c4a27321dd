//===-- Recorder.h - what happens at each event of a program ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder in mode Digest. Injection.cpp translates driver calls into the
// calls of this class.
//
// Every launch is followed by a wait for the whole context and a digest of all
// live memory. Meanwhile no other thread of the program may launch or free:
// the lock is held from the entry of a launch to its end. Everything the
// recorder asks of the driver is done inside an OwnCalls scope, so that its own
// launches and allocations are not recorded in turn.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_RECORDER_H
#define BANKSTRIPE_RECORDER_RECORDER_H

#include "recorder/DigestEngine.h"
#include "recorder/DumpRequest.h"
#include "recorder/LiveMemory.h"
#include "recording/RecordingWriter.h"
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
  CUresult Result = CUDA_SUCCESS;
};

class Recorder {
public:
  explicit Recorder(RecordingWriter &Output) : Output(Output) {}

  std::recursive_mutex &mutex() { return Mutex; }

  /// \name Events, with mutex() held.
  /// @{
  void launched(const LaunchRequest &Request);
  /// \param Order the stream in whose order the memory becomes usable; only
  /// for the kinds "async" and "pool".
  void allocated(CUcontext In, const std::string &Kind, CUdeviceptr Address,
                 uint64_t Bytes, CUstream Order, bool HostFirst);
  void freeing(CUdeviceptr Address);
  void captureBegins() { ++Captures; }
  void captureEnds() { Captures -= Captures > 0; }
  /// A module or library may go: its variables are looked up again.
  void modulesUnload();
  void note(const std::string &Text) { Output.note(Text); }
  void setDump(DumpRequest Request) { Dump = std::move(Request); }
  /// @}

  /// \name Events inside the driver, where its locks may be held. They only
  /// leave a message for the next event above.
  /// @{
  void contextEnds(CUcontext Context);
  void moduleLoaded(const void *Image, size_t Bytes);
  /// @}

private:
  void takeMessages();
  bool isCaptured(CUstream Stream);
  void describeDevice();
  void findVariables(CUcontext In, CUfunction Function);
  void waitAndDigest(const LaunchRequest &Request, Launch &L);
  CUresult digestAll(Launch &L);
  void dumpAfter(unsigned LaunchIndex);
  unsigned streamNumber(CUstream Stream);
  unsigned threadNumber();

  RecordingWriter &Output;
  std::recursive_mutex Mutex;
  LiveMemory Memory;
  std::map<CUcontext, DigestEngine> Engines;
  std::set<const void *> KnownHomes; ///< Libraries whose variables are known.
  std::set<std::string> VariableSymbols;
  std::set<CUdevice> Devices;
  std::map<CUstream, unsigned> Streams;
  std::map<std::thread::id, unsigned> Threads;
  std::optional<DumpRequest> Dump;
  unsigned Launches = 0;
  unsigned Captures = 0;
  bool Lost = false; ///< A launch left an error that memory cannot outlive.

  std::mutex MessagesMutex;
  std::vector<CUcontext> EndedContexts;
  std::vector<std::string> LoadedSymbols;
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
