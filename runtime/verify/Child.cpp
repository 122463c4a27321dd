//===-- Child.cpp - runs a program and keeps what it says -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// posix_spawn with pipes for standard output and standard error. The pipes are
// read until both are closed; should a background process of the program's keep
// them open, reading ends shortly after the program itself.
//
//===----------------------------------------------------------------------===//

#include "verify/Child.h"
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace bankstripe::runtime;
using Clock = std::chrono::steady_clock;

extern char **environ;

constexpr int PollMilliseconds = 20;
constexpr auto GraceForPipes = std::chrono::milliseconds(500);
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
  for (const auto &[Name, Value] : Changes) {
    if (Value.empty())
      continue;
    std::string &Entry = Result.emplace_back(Name);
    Entry += '=';
    Entry += Value;
  }
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

// A pipe whose writing end the child gets.
struct Pipe {
  int Read = -1, Write = -1;
  bool open() {
    std::array<int, 2> Ends{};
    if (::pipe2(Ends.data(), O_CLOEXEC) != 0)
      return false;
    Read = Ends[0];
    Write = Ends[1];
    return true;
  }
  void closeWrite() {
    if (Write >= 0)
      ::close(Write);
    Write = -1;
  }
  ~Pipe() {
    closeWrite();
    if (Read >= 0)
      ::close(Read);
  }
};

// A started child, from its start to its collection.
class Running {
public:
  Running(pid_t Process, int Output, int Errors, ChildResult &Result)
      : Process(Process), Result(Result) {
    Ends[0] = {Output, POLLIN, 0};
    Ends[1] = {Errors, POLLIN, 0};
  }

  void watch(double TimeoutSeconds);

private:
  void readReady();
  void readFrom(pollfd &End, std::string &Into);
  bool collect(int Options);
  void stop();

  pid_t Process;
  ChildResult &Result;
  std::array<pollfd, 2> Ends{};
};

} // namespace

void Running::readFrom(pollfd &End, std::string &Into) {
  std::array<char, 65536> Block{};
  const ssize_t Count = ::read(End.fd, Block.data(), Block.size());
  if (Count > 0)
    Into.append(Block.data(), static_cast<size_t>(Count));
  else if (Count == 0 || errno != EINTR)
    End.fd = -1; // poll() passes over negative descriptors.
}

void Running::readReady() {
  if (::poll(Ends.data(), Ends.size(), PollMilliseconds) <= 0)
    return;
  if (Ends[0].revents)
    readFrom(Ends[0], Result.Output);
  if (Ends[1].revents)
    readFrom(Ends[1], Result.Errors);
  if (Result.Errors.size() > 2 * KeptErrorBytes)
    Result.Errors.erase(0, Result.Errors.size() - KeptErrorBytes);
}

bool Running::collect(int Options) {
  int Status = 0;
  pid_t Ended = 0;
  do
    Ended = ::waitpid(Process, &Status, Options);
  while (Ended < 0 && errno == EINTR);
  if (Ended != Process)
    return Ended < 0;
  if (WIFSIGNALED(Status))
    Result.Signal = WTERMSIG(Status);
  else
    Result.ExitStatus = WEXITSTATUS(Status);
  return true;
}

void Running::stop() {
  Result.TimedOut = true;
  ::kill(-Process, SIGTERM);
  const auto Patience = Clock::now() + GraceForTermination;
  while (Clock::now() < Patience) {
    if (collect(WNOHANG))
      return;
    readReady();
    if (Ends[0].fd < 0 && Ends[1].fd < 0)
      ::usleep(1000 * PollMilliseconds);
  }
  ::kill(-Process, SIGKILL);
  collect(0);
}

void Running::watch(double TimeoutSeconds) {
  const auto Deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(TimeoutSeconds));
  const auto Open = [this] { return Ends[0].fd >= 0 || Ends[1].fd >= 0; };
  while (!collect(WNOHANG)) {
    if (TimeoutSeconds > 0 && Clock::now() >= Deadline)
      return stop();
    if (Open())
      readReady();
    else
      ::usleep(1000 * PollMilliseconds / 10);
  }
  const auto Patience = Clock::now() + GraceForPipes;
  while (Open() && Clock::now() < Patience)
    readReady();
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

static int spawn(const ChildRequest &Request, Pipe &Output, Pipe &Errors,
                 pid_t &Process) {
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  posix_spawn_file_actions_addopen(&Files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                   0);
  posix_spawn_file_actions_adddup2(&Files, Output.Write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&Files, Errors.Write, STDERR_FILENO);
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&Attributes, 0);

  std::vector<std::string> Words = {Request.Program};
  Words.insert(Words.end(), Request.Arguments.begin(), Request.Arguments.end());
  std::vector<std::string> Environment = childEnvironment(Request.Environment);
  const Addresses Given(Request.FixedAddresses);
  const int Error =
      ::posix_spawn(&Process, Request.Program.c_str(), &Files, &Attributes,
                    pointers(Words).data(), pointers(Environment).data());
  posix_spawnattr_destroy(&Attributes);
  posix_spawn_file_actions_destroy(&Files);
  return Error;
}

ChildResult bankstripe::runtime::runChild(const ChildRequest &Request) {
  ChildResult Result;
  Pipe Output, Errors;
  if (!Output.open() || !Errors.open()) {
    Result.StartError = std::strerror(errno);
    return Result;
  }
  pid_t Process = 0;
  if (const int Error = spawn(Request, Output, Errors, Process)) {
    Result.StartError = std::strerror(Error);
    return Result;
  }
  RunningGroup = Process;
  const auto OldInterrupt = std::signal(SIGINT, endWithChild);
  const auto OldTerminate = std::signal(SIGTERM, endWithChild);
  Output.closeWrite();
  Errors.closeWrite();
  Running(Process, Output.Read, Errors.Read, Result)
      .watch(Request.TimeoutSeconds);
  RunningGroup = 0;
  std::signal(SIGINT, OldInterrupt);
  std::signal(SIGTERM, OldTerminate);
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
