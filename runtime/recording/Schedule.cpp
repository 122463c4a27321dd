//===-- Schedule.cpp - which launches are digested ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/Schedule.h"
#include "recording/TakeNumber.h"
#include <algorithm>
#include <string_view>

using namespace bankstripe::runtime;

static bool take(std::string_view &Text, char C) {
  if (!Text.starts_with(C))
    return false;
  Text.remove_prefix(1);
  return true;
}

bool Schedule::add(unsigned First, unsigned Last, bool BeforeFree) {
  if (Last < First || (!Entries.empty() && Entries.back().Last >= First))
    return false;
  if (!Entries.empty() && Entries.back().BeforeFree == BeforeFree &&
      Entries.back().Last + 1 == First)
    Entries.back().Last = Last;
  else
    Entries.push_back({First, Last, BeforeFree});
  return true;
}

bool Schedule::has(unsigned Launch, bool BeforeFree) const {
  const auto At =
      std::lower_bound(Entries.begin(), Entries.end(), Launch,
                       [](const Entry &E, unsigned N) { return E.Last < N; });
  return At != Entries.end() && At->First <= Launch &&
         At->BeforeFree == BeforeFree;
}

std::variant<Schedule, std::string> Schedule::parse(const std::string &Text) {
  Schedule Result;
  std::string_view Rest = Text;
  for (unsigned Number = 1; !Rest.empty(); ++Number) {
    std::string_view Line = Rest.substr(0, Rest.find('\n'));
    Rest.remove_prefix(std::min(Line.size() + 1, Rest.size()));
    if (Line.empty() || Line.starts_with('#'))
      continue;
    unsigned First = 0;
    const auto Problem = [&](const char *What) {
      return "line " + std::to_string(Number) + ": " + What;
    };
    bool Good = takeNumber(Line, First);
    unsigned Last = First;
    if (Good && take(Line, '-'))
      Good = takeNumber(Line, Last);
    const bool BeforeFree = Good && take(Line, '+');
    if (!Good || !Line.empty())
      return Problem("expected a launch, or a first and a last one ('17', "
                     "'17-30', '17+')");
    if (!Result.add(First, Last, BeforeFree))
      return Problem("the launches are not in ascending order");
  }
  return Result;
}

Schedule Schedule::of(const Recording &Of) {
  Schedule Result;
  for (const Launch &L : Of.Launches)
    if (L.Digested || L.DigestedBeforeFree)
      Result.add(L.Index, L.Index, !L.Digested);
  return Result;
}

std::string Schedule::text() const {
  std::string Text;
  for (const Entry &E : Entries) {
    Text += std::to_string(E.First);
    if (E.Last != E.First)
      Text += '-' + std::to_string(E.Last);
    Text += E.BeforeFree ? "+\n" : "\n";
  }
  return Text;
}
