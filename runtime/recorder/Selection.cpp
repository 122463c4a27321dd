//===-- Selection.cpp - digest this launch? -------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/Selection.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

using namespace bankstripe::runtime;

constexpr unsigned MostShapesOfAKernel = 8;
constexpr unsigned MostShapes = 1000;
constexpr double ShareOfFrees = 0.25;
constexpr Selection::Time MostTimeForShapes = 60'000'000'000;

const char *bankstripe::runtime::skipName(Skip Reason) {
  switch (Reason) {
  case Skip::No:
    return "";
  case Skip::Schedule:
    return "schedule";
  case Skip::MaxLaunches:
    return "max-launches";
  case Skip::Kernels:
    return "kernels";
  case Skip::Sample:
    return "sample";
  case Skip::Overhead:
    return "overhead";
  case Skip::Collective:
    return "collective";
  }
  return "";
}

namespace {

// Reads one variable after the other; the first problem is kept.
class SettingsReader {
public:
  explicit SettingsReader(const SelectionSettings::Environment &Get)
      : Get(Get) {}

  void schedule();
  void kernels();
  std::optional<unsigned> number(const char *Name, unsigned Least);
  std::optional<double> decimal(const char *Name);

  SelectionSettings Settings;
  std::string Problem;

private:
  const char *text(const char *Name) const {
    const char *Text = Get(Name);
    return Text && *Text ? Text : nullptr;
  }
  void fail(const char *Name, const std::string &What) {
    if (Problem.empty())
      Problem = std::string(Name) + ": " + What;
  }

  const SelectionSettings::Environment &Get;
};

} // namespace

void SettingsReader::schedule() {
  const char *Name = "BANKSTRIPE_SCHEDULE";
  const char *Path = text(Name);
  if (!Path)
    return;
  std::ifstream Input(Path, std::ios::binary);
  if (!Input)
    return fail(Name, std::string("cannot read '") + Path + "'");
  std::ostringstream Whole;
  Whole << Input.rdbuf();
  auto Read = Schedule::parse(Whole.str());
  if (const auto *What = std::get_if<std::string>(&Read))
    return fail(Name, *What);
  Settings.Listed = std::move(std::get<Schedule>(Read));
}

void SettingsReader::kernels() {
  const char *Name = "BANKSTRIPE_KERNELS";
  const char *Text = text(Name);
  if (!Text)
    return;
  // The library has no other way to say that the text is no expression.
  try {
    Settings.Kernels.emplace(Text, std::regex::ECMAScript |
                                       std::regex::optimize |
                                       std::regex::nosubs);
  } catch (const std::regex_error &Error) {
    fail(Name, std::string("'") + Text +
                   "' is no regular expression: " + Error.what());
  }
}

std::optional<unsigned> SettingsReader::number(const char *Name,
                                               unsigned Least) {
  const char *Text = text(Name);
  if (!Text)
    return std::nullopt;
  unsigned Value = 0;
  const char *End = Text + std::char_traits<char>::length(Text);
  const auto [At, Error] = std::from_chars(Text, End, Value);
  if (Error == std::errc() && At == End && Value >= Least)
    return Value;
  fail(Name, std::string("'") + Text + "' is no number from " +
                 std::to_string(Least) + " on");
  return std::nullopt;
}

std::optional<double> SettingsReader::decimal(const char *Name) {
  const char *Text = text(Name);
  if (!Text)
    return std::nullopt;
  double Value = 0;
  const char *End = Text + std::char_traits<char>::length(Text);
  const auto [At, Error] =
      std::from_chars(Text, End, Value, std::chars_format::fixed);
  if (Error == std::errc() && At == End && std::isfinite(Value) && Value >= 0)
    return Value;
  fail(Name, std::string("'") + Text + "' is no decimal number from 0 on");
  return std::nullopt;
}

std::variant<SelectionSettings, std::string>
SelectionSettings::read(const Environment &Get) {
  SettingsReader Reader(Get);
  Reader.schedule();
  Reader.Settings.MaxLaunches = Reader.number("BANKSTRIPE_MAX_LAUNCHES", 0);
  Reader.kernels();
  Reader.Settings.Sample = Reader.number("BANKSTRIPE_SAMPLE", 1).value_or(1);
  Reader.Settings.Overhead = Reader.decimal("BANKSTRIPE_OVERHEAD");
  if (!Reader.Problem.empty())
    return Reader.Problem;
  return std::move(Reader.Settings);
}

Selection::Kernel &Selection::kernel(const std::string &Symbol) {
  const std::string Name = canonicalName(Symbol);
  const auto [At, IsNew] = Kernels.try_emplace(Name);
  if (IsNew) {
    At->second.IsCollective =
        Name.starts_with("ncclDevKernel") || Name.starts_with("ncclKernel");
    if (Settings.Kernels)
      At->second.IsWanted = std::regex_search(Name, *Settings.Kernels);
  }
  return At->second;
}

bool Selection::isAffordable(Time Used, double Share, Time Now) const {
  if (!Settings.Overhead)
    return true;
  const Time Passed = Now - Start;
  const Time Programs = Passed > Own ? Passed - Own : 0;
  return static_cast<double>(Used) <=
         Share * *Settings.Overhead * static_cast<double>(Programs);
}

bool Selection::isFirstOfShape(Kernel &Of, const Extent &Grid,
                               const Extent &Block) {
  const auto Shape = std::make_pair(Grid, Block);
  if (Own > MostTimeForShapes || AllShapes == MostShapes ||
      Of.Shapes.size() == MostShapesOfAKernel ||
      std::find(Of.Shapes.begin(), Of.Shapes.end(), Shape) != Of.Shapes.end())
    return false;
  Of.Shapes.push_back(Shape);
  ++AllShapes;
  return true;
}

Skip Selection::launch(unsigned Index, Kernel &Of, const Extent &Grid,
                       const Extent &Block, Time Now) {
  if (Of.IsCollective)
    return Skip::Collective;
  if (Settings.Listed)
    return Settings.Listed->after(Index) ? Skip::No : Skip::Schedule;
  if (Settings.MaxLaunches && Index >= *Settings.MaxLaunches)
    return Skip::MaxLaunches;
  if (!Of.IsWanted)
    return Skip::Kernels;
  if (Of.Launches++ % Settings.Sample != 0)
    return Skip::Sample;
  if (!Settings.Overhead)
    return Skip::No;
  const bool Digest =
      isFirstOfShape(Of, Grid, Block) || isAffordable(Own, 1, Now);
  return Digest ? Skip::No : Skip::Overhead;
}

Skip Selection::free(unsigned Last, Time Now) {
  if (Settings.Listed)
    return Settings.Listed->beforeFree(Last) ? Skip::No : Skip::Schedule;
  if (Settings.MaxLaunches && Last >= *Settings.MaxLaunches)
    return Skip::MaxLaunches;
  if (FreeDecidedFor != Last) {
    FreeDecidedFor = Last;
    FreeDecision =
        isAffordable(OwnAtFrees, ShareOfFrees, Now) ? Skip::No : Skip::Overhead;
  }
  return FreeDecision;
}
