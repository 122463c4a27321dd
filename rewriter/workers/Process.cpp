//===-- Process.cpp - processes that this one starts ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "workers/Process.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace bankstripe;
using llvm::StringRef;

/// As shells say that there is no such command.
static constexpr int CannotRun = 127;

/// Signals that ask us to end.
static constexpr int EndSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static volatile pid_t Child = 0;
static volatile sig_atomic_t Received = 0;

static void handOn(int Signal) {
  Received = Signal;
  if (Child > 0)
    kill(Child, Signal);
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

static std::string takeText(int &File) {
  std::string Text;
  if (File < 0)
    return Text;
  if (auto Buffer = llvm::MemoryBuffer::getOpenFile(
          File, "", /*FileSize=*/-1, /*RequiresNullTerminator=*/false))
    Text = (*Buffer)->getBuffer().str();
  close(File);
  File = -1;
  return Text;
}

Process::Process(llvm::function_ref<std::string()> Work, Output Printed)
    : Answer(makeFile()) {
  if (Printed != Output::Shown)
    Out = makeFile();
  if (Printed == Output::Apart)
    Err = makeFile();
  llvm::outs().flush();
  Id = fork();
  if (Id != 0)
    return;
  if (Printed != Output::Shown) {
    dup2(Out, STDOUT_FILENO);
    dup2(Printed == Output::Apart ? Err : Out, STDERR_FILENO);
  }
  if (Printed == Output::Together)
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  const std::string Text = Work();
  llvm::raw_fd_ostream(Answer, /*shouldClose=*/true) << Text;
  llvm::outs().flush();
  _exit(0);
}

Process::Process(Process &&Other) noexcept { *this = std::move(Other); }

Process &Process::operator=(Process &&Other) noexcept {
  std::swap(Id, Other.Id);
  std::swap(Out, Other.Out);
  std::swap(Err, Other.Err);
  std::swap(Answer, Other.Answer);
  return *this;
}

Process::~Process() {
  if (Id > 0) {
    kill(Id, SIGKILL);
    waitpid(Id, nullptr, 0);
  }
  for (int File : {Out, Err, Answer})
    if (File >= 0)
      close(File);
}

ProcessResult Process::take(int Status) {
  Id = -1;
  return {Status, Received != 0, takeText(Out), takeText(Err),
          takeText(Answer)};
}

ProcessResult Process::wait() {
  if (Id < 0)
    return {};
  Child = Id;
  struct sigaction Action = {}, Before[std::size(EndSignals)] = {};
  Action.sa_handler = handOn;
  Action.sa_flags = SA_RESTART;
  for (size_t I = 0; I < std::size(EndSignals); ++I)
    sigaction(EndSignals[I], &Action, &Before[I]);
  auto Restore = llvm::scope_exit([&] {
    for (size_t I = 0; I < std::size(EndSignals); ++I)
      sigaction(EndSignals[I], &Before[I], nullptr);
    Child = 0;
  });
  int Status = 0;
  while (waitpid(Id, &Status, 0) < 0 && errno == EINTR) {
  }
  return take(Status);
}

ProcessResult bankstripe::runProcess(const std::vector<std::string> &Words,
                                     Output Printed, StringRef Directory) {
  return Process(
             [&]() -> std::string {
               if (!Directory.empty() && chdir(Directory.str().c_str()) != 0)
                 llvm::errs()
                     << "bankstripe: cannot work in the folder '" << Directory
                     << "': " << std::strerror(errno) << '\n';
               else
                 become(Words);
               _exit(CannotRun);
             },
             Printed)
      .wait();
}

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

int bankstripe::endAs(const ProcessResult &Result) {
  if (!Result.wasKilled())
    return Result.exitStatus();
  signal(WTERMSIG(Result.Status), SIG_DFL);
  raise(WTERMSIG(Result.Status));
  return 128 + WTERMSIG(Result.Status);
}
