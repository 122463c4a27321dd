//===-- Workers.cpp - work in processes of its own ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that ends has closed its pipes, so one poll waits for answers and
// ends alike. An answer counts when its process ended well.
//
//===----------------------------------------------------------------------===//

#include "workers/Workers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

using namespace bankstripe;
using llvm::StringRef;

/// What a piece is taken to need as long as none is done; about what the
/// headers of CUDA take.
static constexpr uint64_t FirstGuess = uint64_t(300) << 20;

// The number behind Name in a file such as /proc/meminfo; 0 when there is none.
static uint64_t readNumber(const char *Path, StringRef Name) {
  auto Text = llvm::MemoryBuffer::getFileAsStream(Path);
  if (!Text)
    return 0;
  StringRef Rest = (*Text)->getBuffer();
  if (const size_t At = Rest.find(Name); At != StringRef::npos)
    Rest = Rest.drop_front(At + Name.size()).ltrim();
  else
    return 0;
  uint64_t Number = 0;
  return Rest.consumeInteger(10, Number) ? 0 : Number;
}

// Bytes that nobody needs, here or in the container around us.
static uint64_t spareMemory() {
  uint64_t Spare = readNumber("/proc/meminfo", "MemAvailable:") << 10;
  const uint64_t Limit = readNumber("/sys/fs/cgroup/memory.max", "");
  const uint64_t Used = readNumber("/sys/fs/cgroup/memory.current", "");
  if (Limit)
    Spare = std::min(Spare ? Spare : Limit, Limit - std::min(Limit, Used));
  // Some is left to others.
  return Spare ? Spare / 10 * 9 : UINT64_MAX;
}

Workers::Workers(WorkLimits Given,
                 std::function<void(size_t, WorkResult)> Receive)
    : Limits(Given), Receive(std::move(Receive)) {
  if (!Limits.Memory)
    Limits.Memory = spareMemory();
}

Workers::~Workers() {
  for (Running &R : Open) {
    kill(R.Process, SIGKILL);
    waitpid(R.Process, nullptr, 0);
    for (int End : {R.Answer, R.Printed})
      if (End >= 0)
        close(End);
  }
}

// One always runs, whatever it takes.
bool Workers::hasRoom() const {
  const uint64_t Each = Largest ? Largest : FirstGuess;
  return Open.empty() || (Open.size() < std::max(Limits.Processes, 1U) &&
                          Open.size() + 1 <= Limits.Memory / Each);
}

// Makes this process one that does a piece of work for Parent.
static void becomeWorker(pid_t Parent, int Printed) {
#ifdef __linux__
  // Nobody would read what it does.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != Parent)
    _exit(1);
  // Where memory runs out, a piece is lost and not all.
  if (const int File = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
      File >= 0) {
    if (write(File, "500", 3) < 0)
      errno = 0; // It stays as likely as the others.
    close(File);
  }
#endif
  dup2(Printed, STDOUT_FILENO);
  dup2(Printed, STDERR_FILENO);
}

// What this process, and those that it started, took at most, besides the
// Before that it began with: a fork shares the memory of its parent.
static uint64_t memoryTaken(uint64_t Before) {
  struct rusage Own = {}, Others = {};
  getrusage(RUSAGE_SELF, &Own);
  getrusage(RUSAGE_CHILDREN, &Others);
  const uint64_t Largest = uint64_t(Own.ru_maxrss) << 10;
  return Largest - std::min(Largest, Before) +
         (uint64_t(Others.ru_maxrss) << 10);
}

static uint64_t memoryNow() {
  auto Text = llvm::MemoryBuffer::getFileAsStream("/proc/self/statm");
  uint64_t Pages = 0;
  if (!Text || (*Text)->getBuffer().split(' ').second.consumeInteger(10, Pages))
    return 0;
  return Pages * getpagesize();
}

static void writeAnswer(int Descriptor, StringRef Text) {
  while (!Text.empty()) {
    const ssize_t Written = write(Descriptor, Text.data(), Text.size());
    if (Written < 0 && errno != EINTR)
      _exit(1);
    Text = Text.drop_front(Written > 0 ? Written : 0);
  }
}

void Workers::start(size_t Piece, llvm::function_ref<std::string()> Work) {
  while (!hasRoom())
    waitForOne();
  int Answer[2], Printed[2];
  if (pipe2(Answer, O_CLOEXEC)) {
    Receive(Piece, {"", "", "cannot be worked on: there are no pipes left"});
    return;
  }
  if (pipe2(Printed, O_CLOEXEC)) {
    close(Answer[0]);
    close(Answer[1]);
    Receive(Piece, {"", "", "cannot be worked on: there are no pipes left"});
    return;
  }
  llvm::outs().flush();
  const pid_t Parent = getpid();
  const pid_t Process = fork();
  if (Process == 0) {
    becomeWorker(Parent, Printed[1]);
    const uint64_t Before = memoryNow();
    const std::string Text = Work();
    writeAnswer(Answer[1], std::to_string(memoryTaken(Before)) + "\n" + Text);
    llvm::outs().flush();
    _exit(0);
  }
  close(Answer[1]);
  close(Printed[1]);
  if (Process < 0) {
    close(Answer[0]);
    close(Printed[0]);
    Receive(Piece, {"", "", "cannot be worked on: no process can be started"});
    return;
  }
  Running R;
  R.Process = Process;
  R.Piece = Piece;
  R.Answer = Answer[0];
  R.Printed = Printed[0];
  R.End =
      std::chrono::steady_clock::now() + std::chrono::seconds(Limits.Seconds);
  Open.push_back(std::move(R));
}

void Workers::finish() {
  while (!Open.empty())
    waitForOne();
}

// Reads once, and closes what has ended.
static void readFrom(int &Descriptor, std::string &Into) {
  char Buffer[1 << 16];
  const ssize_t Count = read(Descriptor, Buffer, sizeof(Buffer));
  if (Count > 0) {
    Into.append(Buffer, Count);
  } else if (Count == 0 || (errno != EINTR && errno != EAGAIN)) {
    close(Descriptor);
    Descriptor = -1;
  }
}

// Takes what is in the pipe. A process that was left behind may keep it open
// for ever, so nothing waits for its end.
static void readRest(int &Descriptor, std::string &Into) {
  if (Descriptor < 0)
    return;
  fcntl(Descriptor, F_SETFL, O_NONBLOCK);
  for (size_t Before = Into.size() + 1;
       Descriptor >= 0 && Before != Into.size();) {
    Before = Into.size();
    readFrom(Descriptor, Into);
  }
  if (Descriptor >= 0)
    close(Descriptor);
  Descriptor = -1;
}

// Ends what has run for too long.
void Workers::endLate() {
  if (!Limits.Seconds)
    return;
  const auto Now = std::chrono::steady_clock::now();
  for (Running &R : Open)
    if (!R.TookTooLong && Now >= R.End) {
      R.TookTooLong = true;
      kill(R.Process, SIGKILL);
    }
}

// R has ended, or closed what it could tell us by.
void Workers::collect(Running &R) {
  int Status = 0;
  while (waitpid(R.Process, &Status, 0) < 0 && errno == EINTR) {
  }
  readRest(R.Answer, R.Result.Answer);
  readRest(R.Printed, R.Result.Printed);
  WorkResult &Result = R.Result;
  if (R.TookTooLong)
    Result.Problem =
        "took longer than " + std::to_string(Limits.Seconds) + " s";
  else if (WIFSIGNALED(Status))
    Result.Problem = "was ended by signal " + std::to_string(WTERMSIG(Status));
  else if (!WIFEXITED(Status) || WEXITSTATUS(Status) != 0)
    Result.Problem = "ended with status " + std::to_string(WEXITSTATUS(Status));
  auto [Taken, Answer] = StringRef(Result.Answer).split('\n');
  uint64_t Bytes = 0;
  if (Result.Problem.empty() && Taken.getAsInteger(10, Bytes))
    Result.Problem = "ended without an answer";
  Largest = std::max(Largest, Bytes);
  Result.Answer = Result.Problem.empty() ? Answer.str() : "";
  Receive(R.Piece, std::move(Result));
}

void Workers::waitForOne() {
  std::vector<pollfd> Ends;
  for (const Running &R : Open) {
    Ends.push_back({R.Answer, POLLIN, 0});
    Ends.push_back({R.Printed, POLLIN, 0});
  }
  const int Wait = Limits.Seconds ? 200 : -1; // Milliseconds.
  if (poll(Ends.data(), Ends.size(), Wait) < 0 && errno != EINTR)
    return;
  for (size_t I = 0; I < Open.size(); ++I) {
    if (Ends[2 * I].revents)
      readFrom(Open[I].Answer, Open[I].Result.Answer);
    if (Ends[2 * I + 1].revents)
      readFrom(Open[I].Printed, Open[I].Result.Printed);
  }
  endLate();
  for (size_t I = 0; I < Open.size();) {
    if (Open[I].Answer >= 0 && !Open[I].TookTooLong) {
      ++I;
      continue;
    }
    Running Done = std::move(Open[I]);
    Open.erase(Open.begin() + I);
    collect(Done);
  }
}
