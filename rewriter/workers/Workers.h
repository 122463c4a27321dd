//===-- Workers.h - work in processes of its own ----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each piece of work is done by a process of its own, a fork of this one, and
// comes back as a text, or as a value or an error in bytes. So all memory of a
// piece is free when it is done, and one that crashes or never ends takes
// nothing else with it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WORKERS_WORKERS_H
#define BANKSTRIPE_WORKERS_WORKERS_H

#include "contract/Process.h"
#include "facts/Archive.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace bankstripe {

/// What the processes may take.
struct WorkLimits {
  unsigned Processes = 1; ///< At a time.
  unsigned Seconds = 0;   ///< For one piece; 0: as long as it takes.
};

/// One for each core, as far as the machine, or the container, has memory to
/// spare.
unsigned usualProcesses();

/// What came of one piece.
struct WorkResult {
  std::string Answer;  ///< Empty when, and only when, there is a problem.
  std::string Printed; ///< On standard output and standard error.
  std::string Problem; ///< Such as `was ended by signal 11`; else empty.
};

/// Starts processes and waits for them. This process must have one thread.
class Workers {
public:
  /// \p Receive is called once for each piece, while start or finish runs.
  Workers(WorkLimits Limits,
          std::function<void(size_t Piece, WorkResult Result)> Receive)
      : Limits(Limits), Receive(std::move(Receive)) {}

  /// Lets \p Work be done, as soon as there is room for it. \returns when it
  /// has begun.
  void start(size_t Piece, llvm::function_ref<std::string()> Work);
  /// Waits for all.
  void finish();
  /// Waits for one; without \p Wait, only if one has ended. \returns the signal
  /// that asks this process to end, with which all pieces are ended; else 0.
  int receive(bool Wait);

private:
  void waitForOne();
  WorkResult collect(Process &Done, int Status);

  WorkLimits Limits;
  std::function<void(size_t, WorkResult)> Receive;
  std::vector<std::pair<size_t, Process>> Open; ///< By the number of the piece.
};

/// What a worker that computed \p Result answers.
template <class T> std::string replyWith(llvm::Expected<T> Result) {
  std::pair<std::string, T> Reply;
  if (Result)
    Reply.second = std::move(*Result);
  else
    Reply.first = toString(Result.takeError());
  return toBytes(Reply);
}

/// The result that a worker computed. Errors: its own, or it ended too early.
template <class T> llvm::Expected<T> readReply(const WorkResult &Work) {
  if (!Work.Problem.empty())
    return llvm::createStringError("the process for it " + Work.Problem);
  auto Reply = fromBytes<std::pair<std::string, T>>(Work.Answer);
  if (!Reply)
    return llvm::createStringError("the answer of its process cannot be read");
  if (!Reply->first.empty())
    return llvm::createStringError(Reply->first);
  return std::move(Reply->second);
}

} // namespace bankstripe

#endif
