//===-- Process.cpp - processes that this one starts ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "contract/Process.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

using namespace bankstripe;

/// As shells say that there is no such command.
static constexpr int CannotRun = 127;

/// Signals that ask us to end.
static constexpr int EndSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// A status that nobody has received.
static constexpr int LostStatus = CannotRun << 8;

/// How many there are of HeldSignals, and what was blocked and done with the
/// end of children before them.
static unsigned Holders = 0;
static sigset_t MaskBefore;
static struct sigaction ChildActionBefore;

/// When to end; no matter of the processes that are started.
static std::optional<TimePoint> Deadline;

/// Whether this process is in a group that ends with it.
static bool InGroup = false;

static sigset_t setOf(std::initializer_list<int> Further) {
  sigset_t Set;
  sigemptyset(&Set);
  for (int Signal : EndSignals)
    sigaddset(&Set, Signal);
  for (int Signal : Further)
    sigaddset(&Set, Signal);
  return Set;
}

// Whoever started this process may have it ignore SIGCHLD: then its children
// would leave no status, and waitForChild would not hear of their ends.
HeldSignals::HeldSignals() {
  if (Holders++ != 0)
    return;
  const sigset_t Set = setOf({SIGCHLD});
  sigprocmask(SIG_BLOCK, &Set, &MaskBefore);
  struct sigaction Usual = {};
  Usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &Usual, &ChildActionBefore);
}

static void restoreSignals() {
  Holders = 0;
  sigaction(SIGCHLD, &ChildActionBefore, nullptr);
  sigprocmask(SIG_SETMASK, &MaskBefore, nullptr);
}

HeldSignals::~HeldSignals() {
  if (--Holders == 0)
    restoreSignals();
}

bool ProcessResult::wasKilled() const { return WIFSIGNALED(Status); }

int ProcessResult::exitStatus() const { return WEXITSTATUS(Status); }

std::string ProcessResult::problem() const {
  if (wasKilled())
    return "was ended by signal " + std::to_string(WTERMSIG(Status));
  if (!succeeded())
    return "ended with status " + std::to_string(exitStatus());
  return "";
}

// Several processes may write to it, each behind what is there.
static int makeFile() {
  const int File = memfd_create("output", MFD_CLOEXEC);
  fcntl(File, F_SETFL, O_APPEND);
  return File;
}

static std::string readAndClose(int &File) {
  if (File < 0)
    return "";
  const off_t Bytes = lseek(File, 0, SEEK_END);
  std::string Text(std::max<off_t>(Bytes, 0), '\0');
  size_t Done = 0;
  for (ssize_t Part = 1; Part > 0 && Done < Text.size(); Done += Part)
    Part = std::max<ssize_t>(
        pread(File, Text.data() + Done, Text.size() - Done, off_t(Done)), 0);
  Text.resize(Done);
  close(File);
  File = -1;
  return Text;
}

static void writeAll(int File, const std::string &Text) {
  size_t Done = 0;
  for (ssize_t Part = 1; Part > 0 && Done < Text.size(); Done += Part)
    Part = std::max<ssize_t>(
        write(File, Text.data() + Done, Text.size() - Done), 0);
}

ProcessHooks &bankstripe::processHooks() {
  static ProcessHooks Hooks;
  return Hooks;
}

// Nobody would read what this process does without Parent.
static void leaveNothing(pid_t Parent) {
  if (!InGroup)
    setpgid(0, 0);
  InGroup = true;
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != Parent)
    _exit(1);
#endif
}

Process::Process(const std::function<std::string()> &Work, Output Printed)
    : Answer(makeFile()) {
  const bool IsApart =
      Printed == Output::Apart || Printed == Output::UnaskedApart;
  if (IsApart || Printed == Output::Together)
    Out = makeFile();
  if (IsApart)
    Err = makeFile();
  const bool Unasked = Printed != Output::Shown && Printed != Output::Apart;
  HasGroup = Unasked && !InGroup;
  const pid_t Parent = getpid();
  processHooks().Flush();
  Id = fork();
  if (Id != 0) {
    if (HasGroup) // Whoever of the two comes first.
      setpgid(Id, Id);
    return;
  }
  restoreSignals();
  Deadline.reset();
  if (Out >= 0) {
    dup2(Out, STDOUT_FILENO);
    dup2(IsApart ? Err : Out, STDERR_FILENO);
  }
  if (Unasked) {
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    leaveNothing(Parent);
  }
  writeAll(Answer, Work());
  processHooks().Flush();
  _exit(0);
}

Process::Process(Process &&Other) noexcept { *this = std::move(Other); }

Process &Process::operator=(Process &&Other) noexcept {
  std::swap(Id, Other.Id);
  std::swap(HasGroup, Other.HasGroup);
  std::swap(Out, Other.Out);
  std::swap(Err, Other.Err);
  std::swap(Answer, Other.Answer);
  return *this;
}

Process::~Process() {
  if (Id > 0) {
    send(SIGKILL);
    waitpid(Id, nullptr, 0);
  }
  for (int File : {Out, Err, Answer})
    if (File >= 0)
      close(File);
}

ProcessResult Process::collect(int Status) {
  if (HasGroup && WIFSIGNALED(Status)) // It has not ended what it started.
    send(SIGKILL);
  Id = -1;
  return {Status, 0, readAndClose(Out), readAndClose(Err),
          readAndClose(Answer)};
}

void Process::send(int Signal) const { kill(HasGroup ? -Id : Id, Signal); }

double bankstripe::secondsSince(TimePoint Begin) {
  const std::chrono::duration<double> Passed =
      std::chrono::steady_clock::now() - Begin;
  return Passed.count();
}

void bankstripe::setDeadline(std::optional<TimePoint> When) { Deadline = When; }

std::optional<double> bankstripe::secondsToDeadline() {
  if (!Deadline)
    return std::nullopt;
  return std::max(-secondsSince(*Deadline), 0.0);
}

// As sigwaitinfo, until there is no more time; or without waiting.
static int nextSignal(bool Wait) {
  const sigset_t Set = setOf({SIGCHLD});
  if (Wait && !Deadline)
    return sigwaitinfo(&Set, nullptr);
  using namespace std::chrono;
  const auto Left =
      Deadline ? duration_cast<nanoseconds>(*Deadline - steady_clock::now())
               : nanoseconds(0);
  if (Deadline && Left.count() <= 0) {
    Deadline.reset();
    return SIGALRM;
  }
  const nanoseconds Time = Wait ? Left : nanoseconds(0);
  const timespec For{Time / seconds(1), Time % seconds(1) / nanoseconds(1)};
  const int Signal = sigtimedwait(&Set, nullptr, &For);
  return Signal < 0 && !Wait ? SIGCHLD : Signal;
}

pid_t bankstripe::waitForChild(pid_t Id, int &Status, bool Wait) {
  while (true) {
    const pid_t Ended = waitpid(Id, &Status, WNOHANG);
    if (Ended > 0)
      return Ended;
    if (Ended < 0 && errno != EINTR) {
      Status = LostStatus;
      return 0;
    }
    const int Signal = nextSignal(Wait);
    if (Signal > 0 && (Signal != SIGCHLD || !Wait))
      return -Signal;
  }
}

ProcessResult Process::wait() {
  if (Id < 0)
    return {};
  constexpr std::chrono::seconds ToCleanUp(2);
  int Status = 0, Received = 0;
  for (pid_t Ended; (Ended = waitForChild(Id, Status)) < 0; Received = -Ended) {
    const bool IsLate = Ended == -SIGALRM;
    send(!IsLate ? -Ended : Received == SIGALRM ? SIGKILL : SIGTERM);
    if (IsLate)
      setDeadline(std::chrono::steady_clock::now() + ToCleanUp);
  }
  ProcessResult Result = collect(Status);
  Result.Interrupted = Received;
  return Result;
}

static void say(const std::string &Problem) {
  std::fprintf(stderr, "bankstripe: %s: %s\n", Problem.c_str(),
               std::strerror(errno));
}

ProcessResult bankstripe::runProcess(const std::vector<std::string> &Words,
                                     Output Printed,
                                     const std::string &Directory) {
  return Process(
             [&]() -> std::string {
               if (!Directory.empty() && chdir(Directory.c_str()) != 0)
                 say("cannot work in the folder '" + Directory + "'");
               else
                 become(Words);
               _exit(CannotRun);
             },
             Printed)
      .wait();
}

int bankstripe::become(const std::vector<std::string> &Words) {
  std::vector<char *> Argv;
  Argv.reserve(Words.size() + 1);
  for (const std::string &Word : Words)
    Argv.push_back(const_cast<char *>(Word.c_str()));
  Argv.push_back(nullptr);
  execvp(Argv[0], Argv.data());
  say("cannot run '" + Words.front() + "'");
  return CannotRun;
}

int bankstripe::endAs(const ProcessResult &Result) {
  processHooks().RemoveFiles();
  if (!Result.wasKilled())
    return Result.exitStatus();
  endBy(WTERMSIG(Result.Status));
}

void bankstripe::endBy(int Signal) {
  processHooks().RemoveFiles();
  signal(Signal, SIG_DFL);
  const sigset_t Set = setOf({Signal});
  sigprocmask(SIG_UNBLOCK, &Set, nullptr);
  raise(Signal);
  _exit(128 + Signal);
}
