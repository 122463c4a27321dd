//===-- Child.cpp - runs a program and keeps what it says -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/Child.h"
#include "contract/Process.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace bankstripe;
using namespace bankstripe::runtime;
using Clock = std::chrono::steady_clock;

constexpr auto AskInterval = std::chrono::milliseconds(200);
constexpr auto GraceForTermination = std::chrono::seconds(2);
constexpr size_t KeptErrorBytes = 16 * 1024;

// Becomes the program. \returns why that cannot be.
static std::string become(const ChildRequest &Request) {
  for (const auto &[Name, Value] : Request.Environment)
    if (Value.empty())
      ::unsetenv(Name.c_str());
    else
      ::setenv(Name.c_str(), Value.c_str(), /*overwrite=*/1);
  constexpr unsigned long Query = 0xffffffff;
  constexpr unsigned Fixed = ADDR_NO_RANDOMIZE;
  if (const int Old = Request.FixedAddresses ? ::personality(Query) : -1;
      Old != -1)
    ::personality(*Request.FixedAddresses ? Old | Fixed : Old & ~Fixed);
  std::vector<char *> Words{const_cast<char *>(Request.Program.c_str())};
  for (const std::string &Argument : Request.Arguments)
    Words.push_back(const_cast<char *>(Argument.c_str()));
  Words.push_back(nullptr);
  ::execv(Words[0], Words.data());
  return std::strerror(errno);
}

// Lets it run until it ends, its time is over, or it may be ended; then kills
// it, with what it started. Whoever asks this process to end ends both.
// \returns how it ended.
static int watch(const Process &Child, const ChildRequest &Request,
                 ChildResult &Result) {
  const auto Begin = Clock::now();
  const auto Last =
      Request.TimeoutSeconds > 0
          ? Begin + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(Request.TimeoutSeconds))
          : Clock::time_point::max();
  int Status = 0;
  bool IsStopped = false;
  setDeadline(std::min(Begin + AskInterval, Last));
  for (pid_t Ended = 0; (Ended = waitForChild(Child.id(), Status)) < 0;) {
    if (IsStopped || Ended != -SIGALRM)
      Child.send(SIGKILL);
    if (Ended != -SIGALRM)
      endBy(-Ended);
    if (IsStopped)
      continue;
    const double Passed = secondsSince(Begin);
    if (Request.MayEnd && Request.MayEnd(Passed)) {
      if (waitForChild(Child.id(), Status, /*Wait=*/false) > 0)
        break;
      Result.EndedAfter = Passed;
    }
    Result.TimedOut = Clock::now() >= Last;
    IsStopped = Result.TimedOut || Result.EndedAfter > 0;
    if (IsStopped)
      Child.send(SIGTERM);
    setDeadline(IsStopped ? Clock::now() + GraceForTermination
                          : std::min(Clock::now() + AskInterval, Last));
  }
  setDeadline(std::nullopt);
  if (IsStopped)
    Child.send(SIGKILL);
  return Status;
}

ChildResult bankstripe::runtime::runChild(const ChildRequest &Request) {
  ChildResult Result;
  Process Child([&] { return ::become(Request); }, Output::UnaskedApart);
  if (Child.id() < 0) {
    Result.StartError = std::strerror(errno);
    return Result;
  }
  ProcessResult Ended = Child.collect(watch(Child, Request, Result));
  Result.StartError = std::move(Ended.Answer);
  if (Ended.wasKilled())
    Result.Signal = WTERMSIG(Ended.Status);
  else
    Result.ExitStatus = Ended.exitStatus();
  Result.Output = std::move(Ended.Out);
  Result.Errors = std::move(Ended.Err);
  if (Result.Errors.size() > KeptErrorBytes)
    Result.Errors.erase(0, Result.Errors.size() - KeptErrorBytes);
  return Result;
}

std::string ChildResult::describe() const {
  if (!StartError.empty())
    return "could not be started: " + StartError;
  if (TimedOut)
    return "stopped because it ran past the time limit";
  if (Signal)
    return "killed by signal " + std::to_string(Signal) + " (" +
           strsignal(Signal) + ")";
  return "exit status " + std::to_string(ExitStatus);
}
