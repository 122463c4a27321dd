//===-- Request.cpp - what a run under the recorder is for ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/Request.h"
#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

using namespace bankstripe::runtime;
using Json = nlohmann::ordered_json;

bool LaunchSpan::digests(unsigned Launch) const {
  if (!holds(Launch))
    return false;
  const uint64_t Count = uint64_t{Last} - First + 1;
  if (Count <= Parts)
    return true;
  // The last launch of each part.
  const uint64_t Number = uint64_t{Launch} - First + 1;
  const uint64_t Part = (Number * Parts + Count - 1) / Count;
  return Part * Count / Parts == Number;
}

static Json printRule(const DigestRule &Rule) {
  Json Object = Json::object();
  const auto Limit = [&Object](const char *Name, uint64_t Value) {
    if (Value != DigestRule::All)
      Object[Name] = Value;
  };
  Limit("first", Rule.First);
  Limit("first-of-changed", Rule.FirstOfChanged);
  Limit("first-frees", Rule.FirstFrees);
  if (!Rule.Changed.empty())
    Object["changed"] = Rule.Changed;
  if (!Rule.Kernels.empty())
    Object["kernels"] = Rule.Kernels;
  if (Rule.Sample != 1)
    Object["sample"] = Rule.Sample;
  for (const LaunchSpan &Span : Rule.Spans)
    Object["spans"].push_back({Span.First, Span.Last, Span.Parts});
  if (Rule.Until)
    Object["until"] = *Rule.Until;
  return Object;
}

std::string bankstripe::runtime::printRequest(const RecordRequest &Request) {
  Json Object{{"recording", Request.Recording},
              {"mode", Request.Mode == RecordingMode::Time ? "time" : "digest"},
              {"digests", printRule(Request.Digests)}};
  if (const auto &B = Request.Bytes)
    Object["bytes"] = {{"launch", B->Launch},
                       {"variable", B->IsVariable},
                       {"allocation", B->Allocation},
                       {"begin", B->Begin},
                       {"end", B->End}};
  if (const auto &C = Request.Capture)
    Object["capture"] = {{"launch", C->Launch},
                         {"file", C->Path},
                         {"kernel-only", C->IsKernelOnly}};
  return Object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The functions below throw what the library does, which has no other way to
// say that a field is missing or of another type.

template <class T> static T take(const Json &From, const char *Name) {
  const Json &Value = From.at(Name);
  if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
    if (!Value.is_number_unsigned() ||
        Value.get<uint64_t>() > std::numeric_limits<T>::max())
      throw std::invalid_argument(std::string("'") + Name +
                                  "' is no number that fits");
  return Value.get<T>();
}

template <class T>
static void takeIfThere(const Json &From, const char *Name, T &Into) {
  if (From.contains(Name))
    Into = take<T>(From, Name);
}

static DigestRule readRule(const Json &From) {
  DigestRule Rule;
  takeIfThere(From, "first", Rule.First);
  takeIfThere(From, "first-of-changed", Rule.FirstOfChanged);
  takeIfThere(From, "first-frees", Rule.FirstFrees);
  takeIfThere(From, "changed", Rule.Changed);
  takeIfThere(From, "kernels", Rule.Kernels);
  takeIfThere(From, "sample", Rule.Sample);
  if (From.contains("until"))
    Rule.Until = take<unsigned>(From, "until");
  if (From.contains("spans"))
    for (const Json &Span : From.at("spans"))
      Rule.Spans.push_back({Span.at(0).get<unsigned>(),
                            Span.at(1).get<unsigned>(),
                            Span.at(2).get<unsigned>()});
  if (Rule.Sample == 0)
    throw std::invalid_argument("'sample' is no number from 1 on");
  const std::regex Expression(Rule.Kernels);
  return Rule;
}

static WantedBytes readBytes(const Json &From) {
  WantedBytes B{take<unsigned>(From, "launch"), take<bool>(From, "variable"),
                take<unsigned>(From, "allocation"),
                take<uint64_t>(From, "begin"), take<uint64_t>(From, "end")};
  if (B.End <= B.Begin)
    throw std::invalid_argument("'bytes' are none");
  return B;
}

std::string bankstripe::runtime::parseRequest(const std::string &Text,
                                              RecordRequest &Into) {
  try {
    const Json Object = Json::parse(Text);
    Into.Recording = take<std::string>(Object, "recording");
    if (Object.contains("mode") && Object.at("mode") == "time")
      Into.Mode = RecordingMode::Time;
    if (Object.contains("digests"))
      Into.Digests = readRule(Object.at("digests"));
    if (Object.contains("bytes"))
      Into.Bytes = readBytes(Object.at("bytes"));
    if (Object.contains("capture")) {
      const Json &C = Object.at("capture");
      Into.Capture = {take<unsigned>(C, "launch"), take<std::string>(C, "file"),
                      take<bool>(C, "kernel-only")};
    }
    return "";
  } catch (const std::exception &Error) {
    return std::string("the request cannot be read: ") + Error.what();
  }
}

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
