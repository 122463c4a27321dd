//===-- Progress.cpp - how far a long run is ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "workers/Progress.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace bankstripe;
using llvm::StringRef;

/// So many of the latest pieces tell how long one takes: those whose answers
/// are known come in a moment, and say nothing about the others.
static constexpr size_t Window = 40;

/// Below, an estimate would jump.
static constexpr size_t FewestPieces = 4;
static constexpr Seconds ShortestTime(2);

/// More often than this nobody can read it.
static constexpr std::chrono::milliseconds ShowInterval(100);

void Estimate::done(Seconds Now) {
  ++Count;
  Latest.push_back(Now);
  if (Latest.size() > Window)
    Latest.pop_front();
}

std::optional<Seconds> Estimate::left() const {
  if (Count < FewestPieces || Latest.back() < ShortestTime || Count >= Total)
    return std::nullopt;
  const bool FromStart = Latest.size() == Count;
  const Seconds Took =
      Latest.back() - (FromStart ? Seconds(0) : Latest.front());
  const double Pieces = FromStart ? Count : Latest.size() - 1;
  return Took / Pieces * static_cast<double>(Total - Count);
}

std::string bankstripe::describe(Seconds Left) {
  const double Count = Left.count();
  if (Count < 10)
    return "a few seconds left";
  if (Count < 90)
    return llvm::formatv("about {0} s left", 10 * std::lround(Count / 10));
  if (Count < 90 * 60.0)
    return llvm::formatv("about {0} min left", std::lround(Count / 60));
  return llvm::formatv("about {0} h left", std::lround(Count / 3600));
}

std::string bankstripe::progressLine(size_t Count, size_t Total, StringRef Name,
                                     std::optional<Seconds> Left,
                                     size_t Columns) {
  const std::string All = std::to_string(Total);
  std::string Number = std::to_string(Count);
  Number.insert(0, All.size() - std::min(All.size(), Number.size()), ' ');
  const std::string Begin = "[" + Number + "/" + All + "] ";
  const std::string End = Left ? "  " + describe(*Left) : "";
  const size_t Used = Begin.size() + End.size();
  if (Used >= Columns)
    return Begin.substr(0, Columns);
  // Of a path the end tells more.
  const size_t Room = Columns - Used;
  if (Name.size() <= Room)
    return (Begin + Name + End).str();
  if (Room <= 3)
    return Begin + End;
  return (Begin + "..." + Name.take_back(Room - 3) + End).str();
}

Progress::Progress(size_t Total, bool Wanted)
    : Total(Total), Enabled(Wanted && Total > 1 &&
                            llvm::sys::Process::StandardErrIsDisplayed()),
      Start(std::chrono::steady_clock::now()), Rest(Total) {}

Progress::~Progress() {
  if (Enabled)
    llvm::errs() << "\r\x1b[K";
}

void Progress::done(StringRef Name) {
  const auto Now = std::chrono::steady_clock::now();
  Rest.done(Now - Start);
  if (!Enabled || (Now - Shown < ShowInterval && Rest.count() < Total))
    return;
  Shown = Now;
  const unsigned Columns = llvm::sys::Process::StandardErrColumns();
  llvm::errs() << "\r\x1b[K"
               << progressLine(Rest.count(), Total, Name, Rest.left(),
                               Columns ? Columns - 1 : 79);
}
