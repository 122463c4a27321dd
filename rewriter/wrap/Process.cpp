//===-- Process.cpp - running a compiler ----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wrap/Process.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace bankstripe;
using llvm::StringRef;

/// As shells say that there is no such command.
static constexpr int CannotRun = 127;

static volatile pid_t Child = 0;
static volatile sig_atomic_t Received = 0;

static void handOn(int Signal) {
  Received = Signal;
  if (Child > 0)
    kill(Child, Signal);
}

namespace {

/// Hands signals on to the child while it runs.
class SignalsHandedOn {
public:
  explicit SignalsHandedOn(pid_t To) {
    Child = To;
    struct sigaction Action = {};
    Action.sa_handler = handOn;
    Action.sa_flags = SA_RESTART;
    for (size_t I = 0; I < std::size(Signals); ++I)
      sigaction(Signals[I], &Action, &Before[I]);
  }
  ~SignalsHandedOn() {
    for (size_t I = 0; I < std::size(Signals); ++I)
      sigaction(Signals[I], &Before[I], nullptr);
    Child = 0;
  }

private:
  static constexpr int Signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction Before[std::size(Signals)] = {};
};

/// One end of a pipe to read, the other for a child.
struct Pipe {
  int Ends[2] = {-1, -1};
  bool open() { return pipe2(Ends, O_CLOEXEC) == 0; }
  void closeEnd(int Which) {
    if (Ends[Which] >= 0)
      close(Ends[Which]);
    Ends[Which] = -1;
  }
};

} // namespace

bool ProcessResult::succeeded() const {
  return WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
}

bool ProcessResult::wasKilled() const { return WIFSIGNALED(Status); }

int bankstripe::become(const std::vector<std::string> &Words) {
  std::vector<char *> Argv;
  for (const std::string &Word : Words)
    Argv.push_back(const_cast<char *>(Word.c_str()));
  Argv.push_back(nullptr);
  execvp(Argv[0], Argv.data());
  llvm::errs() << "bankstripe: cannot run '" << Words.front()
               << "': " << std::strerror(errno) << '\n';
  return CannotRun;
}

void bankstripe::writeAll(int Descriptor, StringRef Text) {
  while (!Text.empty()) {
    const ssize_t Written = write(Descriptor, Text.data(), Text.size());
    if (Written < 0 && errno != EINTR)
      return;
    Text = Text.drop_front(Written > 0 ? Written : 0);
  }
}

// Reads both until their other ends are closed.
static void readBoth(Pipe &A, std::string &FromA, Pipe &B, std::string &FromB) {
  pollfd Open[] = {{A.Ends[0], POLLIN, 0}, {B.Ends[0], POLLIN, 0}};
  std::string *Into[] = {&FromA, &FromB};
  while (Open[0].fd >= 0 || Open[1].fd >= 0) {
    if (poll(Open, 2, -1) < 0) {
      if (errno == EINTR)
        continue;
      return;
    }
    for (int I = 0; I < 2; ++I) {
      if (Open[I].fd < 0 || !Open[I].revents)
        continue;
      char Buffer[1 << 14];
      const ssize_t Count = read(Open[I].fd, Buffer, sizeof(Buffer));
      if (Count > 0)
        Into[I]->append(Buffer, Count);
      else if (Count == 0 || errno != EINTR)
        Open[I].fd = -1;
    }
  }
}

static void waitFor(pid_t Pid, ProcessResult &Result) {
  while (waitpid(Pid, &Result.Status, 0) < 0 && errno == EINTR) {
  }
  Result.Interrupted = Received != 0;
}

// A process that does Work and then ends; its number is -1 if there is none.
static pid_t start(llvm::function_ref<void()> Work) {
  llvm::outs().flush();
  const pid_t Pid = fork();
  if (Pid == 0) {
    Work();
    llvm::outs().flush();
    _exit(0);
  }
  return Pid;
}

ProcessResult bankstripe::runProcess(const std::vector<std::string> &Words,
                                     bool Catch) {
  ProcessResult Result;
  Result.Status = CannotRun << 8;
  Pipe Out, Err;
  if (Catch && (!Out.open() || !Err.open()))
    return Result;
  const pid_t Pid = start([&] {
    if (Catch) {
      dup2(Out.Ends[1], STDOUT_FILENO);
      dup2(Err.Ends[1], STDERR_FILENO);
    }
    _exit(become(Words));
  });
  if (Pid < 0)
    return Result;
  SignalsHandedOn Handing(Pid);
  if (Catch) {
    Out.closeEnd(1);
    Err.closeEnd(1);
    readBoth(Out, Result.Out, Err, Result.Err);
    Out.closeEnd(0);
    Err.closeEnd(0);
  }
  waitFor(Pid, Result);
  return Result;
}

ProcessResult bankstripe::runApart(llvm::function_ref<void(int)> Work,
                                   bool Show) {
  ProcessResult Result;
  Result.Status = CannotRun << 8;
  Pipe Answer, Unused;
  if (!Answer.open())
    return Result;
  const pid_t Pid = start([&] {
    if (const int Nothing = Show ? -1 : open("/dev/null", O_WRONLY);
        Nothing >= 0) {
      dup2(Nothing, STDOUT_FILENO);
      dup2(Nothing, STDERR_FILENO);
    }
    Work(Answer.Ends[1]);
  });
  if (Pid < 0)
    return Result;
  SignalsHandedOn Handing(Pid);
  Answer.closeEnd(1);
  std::string None;
  readBoth(Answer, Result.Out, Unused, None);
  Answer.closeEnd(0);
  waitFor(Pid, Result);
  return Result;
}

int bankstripe::endAs(const ProcessResult &Result) {
  if (!Result.wasKilled())
    return WIFEXITED(Result.Status) ? WEXITSTATUS(Result.Status) : CannotRun;
  signal(WTERMSIG(Result.Status), SIG_DFL);
  raise(WTERMSIG(Result.Status));
  return 128 + WTERMSIG(Result.Status);
}
