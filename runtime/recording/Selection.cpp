//===-- Selection.cpp - digest this launch? -------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/Selection.h"
#include <algorithm>
#include <bit>

using namespace bankstripe::runtime;

const char *bankstripe::runtime::skipName(Skip Reason) {
  switch (Reason) {
  case Skip::No:
    return "";
  case Skip::Kernels:
    return "kernels";
  case Skip::Sample:
    return "sample";
  case Skip::Budget:
    return "budget";
  case Skip::Collective:
    return "collective";
  }
  return "";
}

Selection::Selection(DigestRule Of) : Rule(std::move(Of)) {
  if (!Rule.Kernels.empty())
    Wanted.emplace(Rule.Kernels, std::regex::ECMAScript | std::regex::optimize |
                                     std::regex::nosubs);
}

Selection::Kernel &Selection::kernel(const std::string &Symbol) {
  const std::string Name = canonicalName(Symbol);
  const auto [At, IsNew] = Kernels.try_emplace(Name);
  if (IsNew) {
    At->second.IsCollective =
        Name.starts_with("ncclDevKernel") || Name.starts_with("ncclKernel");
    At->second.IsWanted = !Wanted || std::regex_search(Name, *Wanted);
    At->second.IsChanged =
        std::ranges::find(Rule.Changed, Name) != Rule.Changed.end();
  }
  return At->second;
}

static bool isAmongFirst(uint64_t Number, uint64_t First) {
  return Number < First || (First > 0 && std::has_single_bit(Number));
}

Skip Selection::launch(unsigned Index, Kernel &Of) {
  Latest = Index;
  LatestOfKernel = Of.Launches++;
  if (Of.IsCollective)
    return Skip::Collective;
  if (Rule.Until && Index > *Rule.Until)
    return Skip::Budget;
  if (std::ranges::any_of(Rule.Spans, [Index](const LaunchSpan &Span) {
        return Span.digests(Index);
      }))
    return Skip::No;
  if (!Of.IsWanted)
    return Skip::Kernels;
  if (LatestOfKernel % Rule.Sample != 0)
    return Skip::Sample;
  return isAmongFirst(LatestOfKernel,
                      Of.IsChanged ? Rule.FirstOfChanged : Rule.First)
             ? Skip::No
             : Skip::Budget;
}

bool Selection::digestsFrees() const {
  if (Rule.Until && Latest >= *Rule.Until)
    return false;
  return isAmongFirst(LatestOfKernel, Rule.FirstFrees) ||
         std::ranges::any_of(Rule.Spans, [this](const LaunchSpan &Span) {
           return Span.holds(Latest);
         });
}
