//===-- Calls.h - driver calls to events ------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table: what the recorder follows, and what it cannot follow and counts.
// No call reports memory that kernels allocate themselves (malloc in device
// code), nor the contents of printf's buffer.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_CALLS_H
#define BANKSTRIPE_RECORDER_CALLS_H

#include "recorder/Recorder.h"
#include <cupti.h>

namespace bankstripe::runtime {

struct WatchedCall;

/// The entry or the exit of a call.
struct CallSite {
  const WatchedCall &Call;
  const CUpti_CallbackData &Data;
  Recorder &To;
};

/// What is done at a driver call; nothing where there is no handler.
struct WatchedCall {
  using Handler = void (*)(const CallSite &);

  CUpti_CallbackId Id;
  Handler Entering = nullptr;  ///< Before the driver acts.
  Handler Leaving = nullptr;   ///< At the exit, whatever came of it,
  Handler Succeeded = nullptr; ///< or of a call that succeeded.
  /// Of a call that is only counted or remembered. An older CUPTI does not know
  /// the newest of these, nor does its driver.
  const char *Text = nullptr;
  /// Without a stream the call means the calling thread's own default stream.
  bool PerThread = false;
  /// Nothing else happens between its entry and its exit.
  bool IsLaunch = false;

  bool endsContext() const;
};

std::span<const WatchedCall> watchedCalls();

/// Tells \p To of the entry or the exit of the call \p Id, if it is watched.
void handleCall(CUpti_CallbackId Id, const CUpti_CallbackData &Data,
                Recorder &To);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_CALLS_H
