//===-- Workers.cpp - work in processes of its own ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "workers/Workers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <csignal>
#include <unistd.h>

using namespace bankstripe;
using llvm::StringRef;

/// What the largest of real files took to read, in bytes.
static constexpr uint64_t MemoryOfOne = uint64_t(500) << 20;

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

unsigned bankstripe::usualProcesses() {
  const uint64_t Cores = llvm::hardware_concurrency().compute_thread_count();
  return std::max<uint64_t>(1, std::min(Cores, spareMemory() / MemoryOfOne));
}

// Makes this process one that does a piece of work.
static void becomeWorker(unsigned Seconds) {
#ifdef __linux__
  // Where memory runs out, a piece is lost and not all; without /proc it is as
  // likely to be lost as the others.
  std::error_code EC;
  llvm::raw_fd_ostream Score("/proc/self/oom_score_adj", EC);
  if (!EC)
    Score << "500";
  Score.flush();
  Score.clear_error(); // It would end the process.
#endif
  signal(SIGALRM, SIG_DFL);
  alarm(Seconds);
}

void Workers::start(size_t Piece, llvm::function_ref<std::string()> Work) {
  while (Open.size() >= std::max(Limits.Processes, 1U))
    waitForOne();
  Process Started(
      [&] {
        becomeWorker(Limits.Seconds);
        return Work();
      },
      Output::Together);
  if (Started.id() < 0)
    Receive(Piece, {"", "", "cannot be started"});
  else
    Open.emplace_back(Piece, std::move(Started));
}

void Workers::finish() {
  while (!Open.empty())
    waitForOne();
}

WorkResult Workers::collect(Process &Done, int Status) {
  ProcessResult Ended = Done.collect(Status);
  WorkResult Result{"", std::move(Ended.Out), Ended.problem()};
  if (WIFSIGNALED(Status) && WTERMSIG(Status) == SIGALRM)
    Result.Problem =
        "took longer than " + std::to_string(Limits.Seconds) + " s";
  if (Result.Problem.empty() && Ended.Answer.empty())
    Result.Problem = "ended without an answer";
  if (Result.Problem.empty())
    Result.Answer = std::move(Ended.Answer);
  return Result;
}

void Workers::waitForOne() {
  if (const int Signal = receive(/*Wait=*/true))
    endBy(Signal);
}

int Workers::receive(bool Wait) {
  int Status = 0;
  const pid_t Id = waitForChild(-1, Status, Wait);
  if (Id == -SIGCHLD)
    return 0;
  if (Id < 0) {
    Open.clear();
    return -Id;
  }
  // Where somebody else has waited for all of them, each is lost.
  auto It = llvm::find_if(Open, [&](const auto &Each) {
    return Id == 0 || Each.second.id() == Id;
  });
  if (It == Open.end())
    return 0; // Nobody of ours.
  const size_t Piece = It->first;
  Process Done = std::move(It->second);
  Open.erase(It);
  Receive(Piece, collect(Done, Status));
  return 0;
}
