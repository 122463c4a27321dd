//===-- Terminal.cpp - what depends on the terminal -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/Terminal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"
#include <sys/ioctl.h>
#include <unistd.h>

using namespace bankstripe;
using llvm::StringRef;
using llvm::sys::Process;

/// More often than this nobody can read how far a run is.
static constexpr std::chrono::milliseconds ShowInterval(100);

static Colours Wanted = Colours::Auto;

// How many characters at the front of Text set a colour.
static size_t colourLength(StringRef Text) {
  if (!Text.starts_with("\x1b["))
    return 0;
  const size_t End = Text.find_first_not_of("0123456789;", 2);
  return End != StringRef::npos && Text[End] == 'm' ? End + 1 : 0;
}

std::string bankstripe::printable(StringRef Text, bool HasColours) {
  std::string Result;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (const size_t Length = HasColours ? colourLength(Text.substr(I)) : 0) {
      Result += Text.substr(I, Length);
      I += Length - 1;
      continue;
    }
    const auto Byte = static_cast<unsigned char>(Text[I]);
    // In UTF-8, some have two bytes.
    const bool IsPair =
        Byte == 0xc2 && I + 1 < Text.size() &&
        (static_cast<unsigned char>(Text[I + 1]) & 0xe0) == 0x80;
    if (IsPair)
      ++I;
    if (IsPair || (Byte < ' ' && Byte != '\n' && Byte != '\t') || Byte == 0x7f)
      Result += "\\x" + llvm::toHex(Text.substr(I, 1), /*LowerCase=*/true);
    else
      Result += Text[I];
  }
  return Result;
}

void bankstripe::setColours(Colours When) { Wanted = When; }

bool bankstripe::showsColours(llvm::raw_ostream &OS) {
  if (&OS != &llvm::outs() && &OS != &llvm::errs())
    return false;
  if (Wanted != Colours::Auto)
    return Wanted == Colours::Always;
  return Process::GetEnv("NO_COLOR").value_or("").empty() && OS.has_colors();
}

// LLVM knows the width only where a variable says it.
unsigned bankstripe::columnsOf(llvm::raw_ostream &OS) {
  if (!OS.is_displayed())
    return 0;
  if (const unsigned Columns = Process::StandardErrColumns())
    return Columns;
  winsize Size = {};
  const int File = &OS == &llvm::outs() ? STDOUT_FILENO : STDERR_FILENO;
  return ioctl(File, TIOCGWINSZ, &Size) == 0 ? Size.ws_col : 0;
}

std::string bankstripe::wrapped(StringRef Text, size_t Columns, size_t Indent) {
  if (Columns <= Indent)
    return Text.str();
  std::string Result;
  size_t Column = Indent;
  for (StringRef Word : llvm::split(Text, ' ')) {
    const bool IsFirst = Word.begin() == Text.begin();
    if (!IsFirst && Column + 1 + Word.size() > Columns) {
      Result += "\n" + std::string(Indent, ' ');
      Column = Indent;
    } else if (!IsFirst) {
      Result += ' ';
      ++Column;
    }
    Result += Word;
    Column += Word.size();
  }
  return Result;
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
      Enabled(Wanted && Total > 1 && Process::StandardErrIsDisplayed() &&
              Process::GetEnv("TERM").value_or("dumb") != "dumb") {}

Progress::~Progress() {
  if (Shown != std::chrono::steady_clock::time_point())
    llvm::errs() << "\r\x1b[K";
}

void Progress::done(StringRef Name) {
  const auto Now = std::chrono::steady_clock::now();
  ++Count;
  if (!Enabled || (Now - Shown < ShowInterval && Count < Total))
    return;
  Shown = Now;
  const unsigned Columns = columnsOf(llvm::errs());
  llvm::errs() << "\r\x1b[K"
               << progressLine(Count, Total, printable(Name),
                               Columns ? Columns - 1 : 79);
}
