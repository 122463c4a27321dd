//===-- Terminal.cpp - what depends on the terminal -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/Terminal.h"
#include "llvm/Support/Process.h"
#include <sys/ioctl.h>
#include <unistd.h>

using namespace bankstripe;
using llvm::StringRef;

/// More often than this nobody can read how far a run is.
static constexpr std::chrono::milliseconds ShowInterval(100);

static Colours Wanted = Colours::Auto;

void bankstripe::setColours(Colours When) { Wanted = When; }

bool bankstripe::showsColours(llvm::raw_ostream &OS) {
  if (&OS != &llvm::outs() && &OS != &llvm::errs())
    return false;
  if (Wanted != Colours::Auto)
    return Wanted == Colours::Always;
  return llvm::sys::Process::GetEnv("NO_COLOR").value_or("").empty() &&
         OS.has_colors();
}

// LLVM knows the width only where a variable says it.
unsigned bankstripe::columnsOf(llvm::raw_ostream &OS) {
  if (!OS.is_displayed())
    return 0;
  if (const unsigned Columns = llvm::sys::Process::StandardErrColumns())
    return Columns;
  winsize Size = {};
  const int File = &OS == &llvm::outs() ? STDOUT_FILENO : STDERR_FILENO;
  return ioctl(File, TIOCGWINSZ, &Size) == 0 ? Size.ws_col : 0;
}

std::string bankstripe::progressLine(size_t Count, size_t Total, StringRef Name,
                                     size_t Columns) {
  const std::string All = std::to_string(Total);
  std::string Number = std::to_string(Count);
  Number.insert(0, All.size() - std::min(All.size(), Number.size()), ' ');
  const std::string Begin = "[" + Number + "/" + All + "] ";
  if (Begin.size() >= Columns)
    return Begin.substr(0, Columns);
  // Of a path the end tells more.
  const size_t Room = Columns - Begin.size();
  if (Name.size() <= Room)
    return Begin + Name.str();
  return Room <= 3 ? Begin : (Begin + "..." + Name.take_back(Room - 3)).str();
}

// A terminal that cannot erase a line has none that says how far a run is.
Progress::Progress(size_t Total, bool Wanted)
    : Total(Total),
      Enabled(Wanted && Total > 1 &&
              llvm::sys::Process::StandardErrIsDisplayed() &&
              llvm::sys::Process::GetEnv("TERM").value_or("dumb") != "dumb") {}

Progress::~Progress() {
  if (Shown != std::chrono::steady_clock::time_point())
    llvm::errs() << "\r\x1b[K";
}

void Progress::show(StringRef Text) {
  const auto Now = std::chrono::steady_clock::now();
  if (!Enabled || Now - Shown < ShowInterval)
    return;
  Shown = Now;
  const unsigned Columns = columnsOf(llvm::errs());
  llvm::errs()
      << "\r\x1b[K"
      << StringRef(printable(Text)).take_front(Columns ? Columns - 1 : 79);
}

void Progress::done(StringRef Name) {
  if (++Count == Total)
    Shown = {}; // The last one is shown in any case.
  const unsigned Columns = columnsOf(llvm::errs());
  show(progressLine(Count, Total, printable(Name), Columns ? Columns - 1 : 79));
}
