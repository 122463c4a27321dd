//===-- Timing.cpp - durations of kernels ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/Timing.h"
#include <cstdlib>
#include <cupti.h>

using namespace bankstripe::runtime;

// CUPTI fills buffers of this size; a record takes about 200 bytes.
constexpr size_t BufferBytes = 1 << 20;
constexpr size_t BufferAlignment = 8;
// A program that never synchronises or leaves through _exit keeps at least
// what is older than this.
constexpr uint32_t FlushMilliseconds = 250;

static RecordingWriter *Output = nullptr;

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
  if (Record.start == 0 || Record.end < Record.start) {
    Output->note("kernel executions without a duration");
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
  L.Stream = Record.streamId;
  Output->execution(L, Record.correlationId, Record.start, Record.end);
}

// Called from threads of CUPTI's own.
static void CUPTIAPI takeBuffer(CUcontext Context, uint32_t Stream,
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
      Output->note("kernel executions that CUPTI dropped");
  std::free(Buffer);
}

std::string bankstripe::runtime::startTiming(RecordingWriter &Writer) {
  Output = &Writer;
  CUptiResult Result =
      cuptiActivityRegisterCallbacks(requestBuffer, takeBuffer);
  if (Result == CUPTI_SUCCESS)
    Result = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (Result == CUPTI_SUCCESS) {
    cuptiActivityFlushPeriod(FlushMilliseconds);
    return {};
  }
  const char *Text = nullptr;
  cuptiGetResultString(Result, &Text);
  return std::string("CUPTI cannot time kernels: ") +
         (Text ? Text : "unknown error");
}

void bankstripe::runtime::flushTiming() {
  if (Output)
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}
