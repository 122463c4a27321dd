//===-- Process.h - processes that this one starts --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process runs another program, or does a piece of our own work in a copy of
// this process. Where its output is caught it goes to files in memory, so
// nobody has to read while it runs, and its end is the end even if something
// that it started goes on and keeps the output open.
//
// Signals that ask this process to end are blocked while it has processes or
// temporary files, and are looked for where it waits. So there is always time
// to end the ones and to remove the others. One that nobody answers is in a
// process group of its own, with whatever it starts, as nvcc does.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CONTRACT_PROCESS_H
#define BANKSTRIPE_CONTRACT_PROCESS_H

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace bankstripe {

using TimePoint = std::chrono::steady_clock::time_point;

double secondsSince(TimePoint Begin);

/// Where standard output and standard error of a process go.
enum class Output {
  Shown,        ///< Where ours go.
  Unasked,      ///< Likewise; there is nobody to answer on standard input.
  Apart,        ///< Into ProcessResult::Out and Err.
  UnaskedApart, ///< Likewise, and nobody to answer.
  Together,     ///< Both into Out, and nobody to answer either.
};

/// While one of these exists, signals that ask us to end wait.
class HeldSignals {
public:
  HeldSignals();
  HeldSignals(const HeldSignals &) : HeldSignals() {}
  HeldSignals &operator=(const HeldSignals &) = default;
  ~HeldSignals();
};

/// How a process ended, and what it left.
struct ProcessResult {
  int Status = 127 << 8; ///< As waitpid says.
  int Interrupted = 0;   ///< The signal that asked us to end meanwhile.
  std::string Out, Err;
  std::string Answer; ///< Of our own work.

  bool succeeded() const { return Status == 0; }
  bool wasKilled() const;
  int exitStatus() const; ///< Of one that was not killed.
  /// `ended with status 1`, `was ended by signal 11`; empty when it succeeded.
  std::string problem() const;
};

/// What a program does before it is copied, which its copy does at its end, and
/// what before it is ended.
struct ProcessHooks {
  void (*Flush)() = [] {};
  void (*RemoveFiles)() = [] {};
};
ProcessHooks &processHooks();

/// A process that was started. It is killed if nobody takes its result.
class Process {
public:
  /// Does \p Work in a copy of this process, which must have one thread.
  Process(const std::function<std::string()> &Work, Output Printed);
  Process(Process &&Other) noexcept;
  Process &operator=(Process &&Other) noexcept;
  ~Process();

  /// Below zero when it could not be started.
  pid_t id() const { return Id; }
  /// To be called when waitForChild has given \p Status.
  ProcessResult collect(int Status);
  /// Waits for it. Signals that ask this process to end meanwhile are handed
  /// on to the other.
  ProcessResult wait();
  /// Sends it \p Signal, with those that it started where nobody answers it.
  void send(int Signal) const;

private:
  HeldSignals Held;
  pid_t Id = -1;
  bool HasGroup = false;
  int Out = -1, Err = -1, Answer = -1; ///< Files in memory.
};

/// Who waits for a process after \p When is asked to end by SIGALRM, once. The
/// processes that are started are not.
void setDeadline(std::optional<TimePoint> When);

/// How long that is, if there is such a time.
std::optional<double> secondsToDeadline();

/// Waits for the child \p Id, or any for -1. \returns the id of one that ended,
/// with \p Status as waitpid says; zero when there is none, as somebody else
/// has waited for it; or the negative number of a signal that asks us to end.
/// Without \p Wait that is SIGCHLD where none has ended by now.
pid_t waitForChild(pid_t Id, int &Status, bool Wait = true);

/// Runs \p Words in \p Directory, which is the current one if it is empty, as
/// if it had been run without us. A program that cannot be run says so on
/// standard error and has status 127, as in a shell.
ProcessResult runProcess(const std::vector<std::string> &Words, Output Printed,
                         const std::string &Directory = "");

/// Becomes \p Words. \returns an exit status when that cannot be.
int become(const std::vector<std::string> &Words);

/// Ends this process as the one of \p Result ended, which it was waiting for.
int endAs(const ProcessResult &Result);

/// Ends this process by \p Signal.
[[noreturn]] void endBy(int Signal);

} // namespace bankstripe

#endif
