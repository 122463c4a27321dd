//===-- Timing.h - durations of kernels -------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks CUPTI for a record of every kernel's execution and writes it to the
// recording. Executions arrive when they are over; they carry the number of
// the launch's API call, which puts them in order.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_TIMING_H
#define BANKSTRIPE_RECORDER_TIMING_H

#include "recording/RecordingWriter.h"

namespace bankstripe::runtime {

/// Starts the records. \p Writer must live as long as the process.
///
/// \returns an empty text, or why CUPTI cannot time kernels here.
std::string startTiming(RecordingWriter &Writer);

/// Writes all executions that are over. Called at the end of the process and
/// before a context goes.
void flushTiming();

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_TIMING_H
