//===-- WatchedCalls.h - the driver calls that are watched ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table: what the recorder follows, and what it cannot follow and counts.
// Memory that kernels can write without the recorder looking at it is one of
// the latter; nothing of the kind is passed over in silence. Handles that mean
// nothing in another process are remembered for captures.
//
// No call tells of memory that kernels allocate themselves (malloc in device
// code), nor of the contents of printf's buffer.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_WATCHEDCALLS_H
#define BANKSTRIPE_RECORDER_WATCHEDCALLS_H

#include <cupti.h>
#include <span>

namespace bankstripe::runtime {

/// What is done at a driver call.
enum class Action {
  Launch,
  LaunchEx,
  LaunchCooperative,
  LaunchGraph,
  Allocate,
  AllocatePitch,
  AllocateManaged,
  AllocateAsync,
  AllocateFromPool,
  AllocateHost,
  RegisterHost,
  Create,
  Map,
  SetAccess,
  Unmap,
  Free,
  FreeAsync,
  FreeHost,
  UnregisterHost,
  CaptureBegins,
  CaptureEnds,
  Unload,
  ContextEnds,
  GraphNode, ///< Counted when it allocates or runs on the host.
  /// \name At its successful exit the call is
  /// @{
  Note,   ///< counted,
  Unseen, ///< counted: kernels can reach memory that is not looked at,
  Object, ///< or remembered: a handle that no other process can have.
  /// @}
};

struct WatchedCall {
  CUpti_CallbackId Id;
  Action What;
  const char *NoteText = nullptr;
  /// Without a stream the call means the calling thread's own default stream.
  bool PerThread = false;
};

inline bool isLaunch(Action What) { return What <= Action::LaunchGraph; }

std::span<const WatchedCall> watchedCalls();

/// The call of this number; null when it is not watched.
const WatchedCall *findWatchedCall(CUpti_CallbackId Id);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_WATCHEDCALLS_H
