//===-- Child.cpp - runs a program and keeps what it says -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// posix_spawn. Standard output and standard error go to files in memory, which
// are read when the program is over: nothing has to be done meanwhile, and a
// background process that keeps them open is not waited for.
//
//===----------------------------------------------------------------------===//

#include "harness/Child.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace bankstripe::runtime;
using Clock = std::chrono::steady_clock;

extern char **environ;

constexpr useconds_t PollMicroseconds = 5000;
constexpr auto GraceForTermination = std::chrono::seconds(2);
constexpr size_t KeptErrorBytes = 16 * 1024;

// The group to take along when this process is told to end.
static volatile sig_atomic_t RunningGroup = 0;

static void endWithChild(int Signal) {
  if (RunningGroup > 0)
    ::kill(-static_cast<pid_t>(RunningGroup), SIGKILL);
  std::signal(Signal, SIG_DFL);
  std::raise(Signal);
}

static std::vector<std::string>
childEnvironment(const std::map<std::string, std::string> &Changes) {
  std::vector<std::string> Result;
  for (char **Entry = environ; *Entry; ++Entry) {
    std::string Text = *Entry;
    if (!Changes.contains(Text.substr(0, Text.find('='))))
      Result.push_back(std::move(Text));
  }
  for (const auto &[Name, Value] : Changes)
    if (!Value.empty())
      Result.push_back(Name + "=" + Value);
  return Result;
}

static std::vector<char *> pointers(std::vector<std::string> &Texts) {
  std::vector<char *> Result;
  Result.reserve(Texts.size() + 1);
  for (std::string &Text : Texts)
    Result.push_back(Text.data());
  Result.push_back(nullptr);
  return Result;
}

namespace {

// A file in memory that a child writes to.
class MemoryFile {
public:
  const int Number = ::memfd_create("output", MFD_CLOEXEC);

  MemoryFile() = default;
  ~MemoryFile() {
    if (Number >= 0)
      ::close(Number);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  std::string read() const {
    const off_t Bytes = ::lseek(Number, 0, SEEK_END);
    std::string Text(Bytes > 0 ? static_cast<size_t>(Bytes) : 0, '\0');
    size_t Done = 0;
    for (ssize_t Part = 1; Part > 0 && Done < Text.size(); Done += Part)
      Part = std::max<ssize_t>(::pread(Number, Text.data() + Done,
                                       Text.size() - Done,
                                       static_cast<off_t>(Done)),
                               0);
    Text.resize(Done);
    return Text;
  }
};

} // namespace

// Notes how the child ended. \returns whether it has.
static bool hasEnded(pid_t Process, ChildResult &Result) {
  int Status = 0;
  const pid_t Ended = ::waitpid(Process, &Status, WNOHANG);
  if (Ended == 0 || (Ended < 0 && errno == EINTR))
    return false;
  if (Ended < 0) {
    Result.WaitError = std::strerror(errno);
    return true;
  }
  if (WIFSIGNALED(Status))
    Result.Signal = WTERMSIG(Status);
  else
    Result.ExitStatus = WEXITSTATUS(Status);
  return true;
}

static bool endsUntil(Clock::time_point Deadline, pid_t Process,
                      ChildResult &Result) {
  while (!hasEnded(Process, Result)) {
    if (Clock::now() >= Deadline)
      return false;
    ::usleep(PollMicroseconds);
  }
  return true;
}

// Lets it run until it ends, its time is over, or it may be ended; then kills
// it, with what it started.
static void watch(pid_t Process, const ChildRequest &Request,
                  ChildResult &Result) {
  using Seconds = std::chrono::duration<double>;
  constexpr auto Never = Clock::time_point::max();
  const auto Begin = Clock::now();
  const auto Timeout = std::chrono::duration_cast<Clock::duration>(
      Seconds(Request.TimeoutSeconds));
  const auto Last = Request.TimeoutSeconds > 0 ? Begin + Timeout : Never;
  while (!Result.TimedOut && Result.EndedAfter == 0) {
    const auto Ask = Clock::now() + std::chrono::milliseconds(200);
    if (endsUntil(std::min(Ask, Last), Process, Result))
      return;
    const double Passed = Seconds(Clock::now() - Begin).count();
    if (Request.MayEnd && Request.MayEnd(Passed)) {
      if (hasEnded(Process, Result))
        return;
      Result.EndedAfter = Passed;
    }
    Result.TimedOut = Clock::now() >= Last;
  }
  ::kill(-Process, SIGTERM);
  const bool Ends =
      endsUntil(Clock::now() + GraceForTermination, Process, Result);
  ::kill(-Process, SIGKILL);
  if (!Ends)
    endsUntil(Never, Process, Result);
}

namespace {

// While it lives, programs that this thread starts lie at fixed addresses, or
// at random ones.
class Addresses {
public:
  explicit Addresses(std::optional<bool> AreFixed) {
    if (!AreFixed || (Old = ::personality(Query)) == -1)
      return;
    const auto Before = static_cast<unsigned>(Old);
    ::personality(*AreFixed ? Before | ADDR_NO_RANDOMIZE
                            : Before & ~unsigned{ADDR_NO_RANDOMIZE});
  }
  ~Addresses() {
    if (Old != -1)
      ::personality(static_cast<unsigned>(Old));
  }
  Addresses(const Addresses &) = delete;
  Addresses &operator=(const Addresses &) = delete;

private:
  static constexpr unsigned long Query = 0xffffffff;
  int Old = -1;
};

} // namespace

static int spawn(const ChildRequest &Request, int Output, int Errors,
                 pid_t &Process) {
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  posix_spawn_file_actions_addopen(&Files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                   0);
  posix_spawn_file_actions_adddup2(&Files, Output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&Files, Errors, STDERR_FILENO);
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&Attributes, 0);

  std::vector<std::string> Words = {Request.Program};
  Words.insert(Words.end(), Request.Arguments.begin(), Request.Arguments.end());
  std::vector<std::string> Environment = childEnvironment(Request.Environment);
  const Addresses Layout(Request.FixedAddresses);
  const int Error =
      ::posix_spawn(&Process, Request.Program.c_str(), &Files, &Attributes,
                    pointers(Words).data(), pointers(Environment).data());
  posix_spawnattr_destroy(&Attributes);
  posix_spawn_file_actions_destroy(&Files);
  return Error;
}

ChildResult bankstripe::runtime::runChild(const ChildRequest &Request) {
  ChildResult Result;
  const MemoryFile Output, Errors;
  if (Output.Number < 0 || Errors.Number < 0) {
    Result.StartError = std::strerror(errno);
    return Result;
  }
  // Where the one who started this process ignores SIGCHLD, nobody would learn
  // how the child ends.
  const auto OldChild = std::signal(SIGCHLD, SIG_DFL);
  pid_t Process = 0;
  if (const int Error = spawn(Request, Output.Number, Errors.Number, Process)) {
    std::signal(SIGCHLD, OldChild);
    Result.StartError = std::strerror(Error);
    return Result;
  }
  RunningGroup = Process;
  const auto OldInterrupt = std::signal(SIGINT, endWithChild);
  const auto OldTerminate = std::signal(SIGTERM, endWithChild);
  watch(Process, Request, Result);
  RunningGroup = 0;
  std::signal(SIGINT, OldInterrupt);
  std::signal(SIGTERM, OldTerminate);
  std::signal(SIGCHLD, OldChild);
  Result.Output = Output.read();
  Result.Errors = Errors.read();
  if (Result.Errors.size() > KeptErrorBytes)
    Result.Errors.erase(0, Result.Errors.size() - KeptErrorBytes);
  return Result;
}

std::string ChildResult::describe() const {
  if (!StartError.empty())
    return "could not be started: " + StartError;
  if (!WaitError.empty())
    return "could not be waited for: " + WaitError;
  if (TimedOut)
    return "stopped because it ran past the time limit";
  if (Signal)
    return "killed by signal " + std::to_string(Signal) + " (" +
           strsignal(Signal) + ")";
  return "exit status " + std::to_string(ExitStatus);
}
