//===-- CallSites.h - where the program makes its allocations ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number and a size say little about which allocation is meant. Its call
// stack does; the source lines are found later, by whoever prints them. Each
// distinct stack is resolved once.
//
// To resolve a stack is to ask the dynamic loader, whose lock another thread
// may hold that runs the constructors of a library and, in them, waits for the
// recorder. So no lock of the recorder's may be held around here().
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_CALLSITES_H
#define BANKSTRIPE_RECORDER_CALLSITES_H

#include "recording/RecordingWriter.h"
#include <map>
#include <mutex>
#include <optional>

namespace bankstripe::runtime {

class CallSites {
public:
  /// The number of the calling thread's stack, which is written to \p Output
  /// the first time; none when nothing of the program's is found on it.
  /// Any thread may call it.
  std::optional<unsigned> here(RecordingWriter &Output);

  /// The program's part of a stack: what the recorder, CUPTI and the driver
  /// have on it is left out.
  static CallStack resolve(const std::vector<void *> &Addresses);

private:
  std::mutex Mutex; ///< Guards what follows.
  std::map<std::vector<void *>, std::optional<unsigned>> Known;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_CALLSITES_H
