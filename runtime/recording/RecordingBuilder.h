//===-- RecordingBuilder.h - events to a recording --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both forms of a recording have in common: the events of a run, in their
// order, become a Recording, if they can have happened.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_RECORDINGBUILDER_H
#define BANKSTRIPE_RECORDING_RECORDINGBUILDER_H

#include "recording/Recording.h"

namespace bankstripe::runtime {

/// Each event returns whether it can have happened; if not, problem() says why.
class RecordingBuilder {
public:
  explicit RecordingBuilder(RecordingMode Mode) { Result.Mode = Mode; }

  void device(std::string Name, std::string Capability);
  /// An allocation or a variable; MadeBefore is set here.
  bool allocation(Allocation A);
  bool free(unsigned Id);
  bool launch(Launch L);
  /// Digests that the latest launch left.
  bool late(unsigned Launch, bool AtEnd, std::vector<DigestChange> Changes);
  bool execution(Launch L, uint64_t Order, uint64_t Start, uint64_t End);
  bool stack(CallStack Frames);
  void note(const std::string &Text, uint64_t Count);
  void skipped(const std::string &Reason, uint64_t Count);
  void failure(std::string Message) { Result.Failure = std::move(Message); }
  void end() { Result.Complete = true; }

  /// How many launches there are so far.
  unsigned launches() const {
    return static_cast<unsigned>(Result.Launches.size());
  }
  unsigned allocations(bool Variables) const {
    return static_cast<unsigned>(
        (Variables ? Result.Variables : Result.Allocations).size());
  }
  const std::string &problem() const { return Problem; }

  /// The recording; executions are put into the order of their launches.
  Recording finish();

private:
  struct Execution {
    uint64_t Order = 0, Start = 0;
    Launch What;
  };

  bool fits(const std::vector<DigestChange> &Changes);
  bool fail(std::string Reason) {
    Problem = std::move(Reason);
    return false;
  }

  Recording Result;
  std::vector<Execution> Executions;
  std::string Problem;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_RECORDINGBUILDER_H
