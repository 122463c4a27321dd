//===-- Injection.cpp - the recorder in a program -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the driver loads and CUPTI calls back: docs/internals/recorder.md,
// "Interposition". A request says what the recorder does (recording/Request.h).
// Without one it does nothing; with one that it cannot read, the recording says
// so.
//
//===----------------------------------------------------------------------===//

#include "recorder/Calls.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace bankstripe::runtime;

static Recorder *TheRecorder = nullptr;
static RecordingWriter *TheWriter = nullptr;
static pid_t RecordedProcess = 0;
static bool IsTiming = false;
static std::jthread *Flushing = nullptr;

// A child that was forked off inherits the file and what is called at its end,
// but not the device.
static bool isForkedOff() { return ::getpid() != RecordedProcess; }

static void resourceEvent(CUpti_CallbackId Id, const CUpti_ResourceData &Data) {
  if (Id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
    TheRecorder->contextEnds(Data.context);
  if (Id == CUPTI_CBID_RESOURCE_MODULE_LOADED && Data.resourceDescriptor) {
    const auto &Module =
        *static_cast<const CUpti_ModuleResourceData *>(Data.resourceDescriptor);
    if (Module.pCubin)
      TheRecorder->moduleLoaded(Module.pCubin, Module.cubinSize);
  }
}

// Writes all executions that are over.
static void flushTiming() {
  if (IsTiming)
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

static void CUPTIAPI callback(void *, CUpti_CallbackDomain Domain,
                              CUpti_CallbackId Id, const void *Data) {
  if (isForkedOff())
    return;
  // What the recorder asks for may be what makes the driver load a module.
  if (Domain == CUPTI_CB_DOMAIN_RESOURCE)
    return resourceEvent(Id, *static_cast<const CUpti_ResourceData *>(Data));
  if (OwnCalls::active())
    return;
  const auto &Call = *static_cast<const CUpti_CallbackData *>(Data);
  // Executions must be written before their context goes.
  if (IsTiming && Call.callbackSite == CUPTI_API_ENTER &&
      std::ranges::any_of(watchedCalls(), [Id](const WatchedCall &Watched) {
        return Watched.Id == Id && Watched.endsContext();
      }))
    flushTiming();
  if (TheRecorder)
    handleCall(Id, Call, *TheRecorder);
}

static std::string cuptiProblem(CUptiResult Result) {
  const char *Text = nullptr;
  cuptiGetResultString(Result, &Text);
  return std::string("CUPTI cannot watch this program: ") +
         (Text ? Text : "unknown error");
}

static std::string watchCalls(const RecordRequest &Request) {
  const bool IsFollowed = Request.Mode != RecordingMode::Time;
  if (IsFollowed)
    TheRecorder = new Recorder(*TheWriter, Request);
  CUpti_SubscriberHandle Subscriber = nullptr;
  if (const CUptiResult Result = cuptiSubscribe(&Subscriber, callback, nullptr))
    return cuptiProblem(Result);
  for (const WatchedCall &Call : watchedCalls()) {
    if (!IsFollowed && !Call.endsContext())
      continue;
    const CUptiResult Result =
        cuptiEnableCallback(1, Subscriber, CUPTI_CB_DOMAIN_DRIVER_API, Call.Id);
    if (Result != CUPTI_SUCCESS && !Call.Text)
      return cuptiProblem(Result);
  }
  if (!IsFollowed)
    return {};
  for (const CUpti_CallbackId Id :
       {CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
        CUPTI_CBID_RESOURCE_MODULE_LOADED})
    if (const CUptiResult Result =
            cuptiEnableCallback(1, Subscriber, CUPTI_CB_DOMAIN_RESOURCE, Id))
      return cuptiProblem(Result);
  return {};
}

//===----------------------------------------------------------------------===//
// Times: CUPTI has a record of every kernel's execution. They arrive when
// they are over, and carry the number of the launch's call, which puts them in
// order.
//===----------------------------------------------------------------------===//

// CUPTI fills buffers of this size; a record takes about 200 bytes.
constexpr size_t BufferBytes = 1 << 20;
constexpr size_t BufferAlignment = 8;
// A program that never synchronises or leaves through _exit keeps at least
// what is older than this, where buffers are full.
constexpr uint32_t FlushMilliseconds = 250;

static void CUPTIAPI requestBuffer(uint8_t **Buffer, size_t *Size,
                                   size_t *MaxRecords) {
  *Buffer =
      static_cast<uint8_t *>(std::aligned_alloc(BufferAlignment, BufferBytes));
  *Size = *Buffer ? BufferBytes : 0;
  *MaxRecords = 0;
}

static unsigned unsignedOf(int32_t Value) {
  return static_cast<unsigned>(Value);
}

static void writeExecution(const CUpti_ActivityKernel10 &Record) {
  if (Record.name && std::string_view(Record.name) == DigestKernelName)
    return; // The recorder's own.
  if (Record.start == 0 || Record.end < Record.start) {
    TheWriter->note("kernel executions without a duration");
    return;
  }
  Launch L;
  L.Kernel = Record.name ? Record.name : "unknown kernel";
  L.Grid = {unsignedOf(Record.gridX), unsignedOf(Record.gridY),
            unsignedOf(Record.gridZ)};
  L.Block = {unsignedOf(Record.blockX), unsignedOf(Record.blockY),
             unsignedOf(Record.blockZ)};
  L.Takes = {Record.registersPerThread, unsignedOf(Record.staticSharedMemory),
             Record.localMemoryPerThread};
  L.DynamicSharedBytes = unsignedOf(Record.dynamicSharedMemory);
  TheWriter->execution(L, Record.correlationId, Record.start, Record.end);
}

// Called from threads of CUPTI's own.
static void CUPTIAPI writeBuffer(CUcontext Context, uint32_t Stream,
                                 uint8_t *Buffer, size_t, size_t ValidSize) {
  CUpti_Activity *Record = nullptr;
  while (ValidSize > 0 && cuptiActivityGetNextRecord(Buffer, ValidSize,
                                                     &Record) == CUPTI_SUCCESS)
    if (Record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ||
        Record->kind == CUPTI_ACTIVITY_KIND_KERNEL)
      writeExecution(*reinterpret_cast<CUpti_ActivityKernel10 *>(Record));
  size_t Dropped = 0;
  if (cuptiActivityGetNumDroppedRecords(Context, Stream, &Dropped) ==
      CUPTI_SUCCESS)
    for (; Dropped > 0; --Dropped)
      TheWriter->note("kernel executions that CUPTI dropped");
  TheWriter->flush();
  std::free(Buffer);
}

// CUPTI's own period returns no buffer that is not full (seen with CUDA 13.0);
// who looks at a recording while the program runs needs all that is over.
static void flushNowAndThen(std::stop_token Stop) {
  std::mutex Own;
  std::condition_variable_any Never;
  std::unique_lock Lock(Own);
  while (!Never.wait_for(Lock, Stop,
                         std::chrono::milliseconds(FlushMilliseconds),
                         [&] { return Stop.stop_requested(); }))
    cuptiActivityFlushAll(0);
}

// Signals are the program's matter.
static std::jthread *startFlushing() {
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  auto *const Started = new std::jthread(flushNowAndThen);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  return Started;
}

static std::string startTimes(RecordingMode Mode) {
  CUptiResult Result =
      cuptiActivityRegisterCallbacks(requestBuffer, writeBuffer);
  if (Result == CUPTI_SUCCESS)
    Result = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (Result != CUPTI_SUCCESS)
    return cuptiProblem(Result);
  IsTiming = true;
  cuptiActivityFlushPeriod(FlushMilliseconds);
  if (Mode == RecordingMode::Survey)
    Flushing = startFlushing();
  return {};
}

// A thread that hangs in a launch holds the lock for good.
constexpr std::chrono::seconds LongestWaitAtEnd(30);

static void processEnds() {
  if (isForkedOff())
    return;
  if (auto *const Thread = std::exchange(Flushing, nullptr)) {
    Thread->request_stop();
    Thread->join();
  }
  flushTiming();
  if (TheRecorder) {
    const std::unique_lock Lock(TheRecorder->mutex(), LongestWaitAtEnd);
    if (Lock.owns_lock())
      TheRecorder->ending();
    else
      TheRecorder->note("last launches not digested because a thread still "
                        "launches");
  }
  TheWriter->end();
}

/// Called by the CUDA driver. Always answers 1: a recorder that cannot record
/// must not keep the program from running.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char *Path = std::getenv(RequestVariable);
  if (!Path || !*Path || TheWriter)
    return 1;
  RecordRequest Request;
  std::string Problem = parseRequest(readFile(Path).value_or(""), Request);
  TheWriter = new RecordingWriter;
  RecordedProcess = ::getpid();
  if (!TheWriter->open(Request.Recording))
    return 1;
  if (Problem.empty() && Request.Mode != RecordingMode::Digest)
    Problem = startTimes(Request.Mode);
  if (Problem.empty())
    Problem = watchCalls(Request);
  if (!Problem.empty()) {
    TheWriter->failure(Problem);
    return 1;
  }
  std::atexit(processEnds);
  std::at_quick_exit(processEnds);
  return 1;
}
