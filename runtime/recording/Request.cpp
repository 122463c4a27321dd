//===-- Request.cpp - what a run under the recorder is for ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/Request.h"
#include "recording/Optional.h"
#include <algorithm>
#include <bit>

using namespace bankstripe;
using namespace bankstripe::runtime;

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

namespace bankstripe::runtime {

NLOHMANN_JSON_SERIALIZE_ENUM(RecordingMode, {{RecordingMode::Digest, "digest"},
                                             {RecordingMode::Time, "time"},
                                             {RecordingMode::Survey, "survey"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchSpan, First, Last, Parts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DigestRule, First, Kernels,
                                                FirstFrees, Spans, Until)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WantedBytes, Launch, IsVariable, Allocation,
                                   Begin, End)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WantedSurvey, Folder, Kernels,
                                                MostBytes, Discards)
// The recording comes first, so that a fault behind it can be told there.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RecordRequest, Recording, Mode,
                                                Digests, Bytes, Survey)

} // namespace bankstripe::runtime

std::string bankstripe::runtime::printRequest(const RecordRequest &Request) {
  return nlohmann::json(Request).dump(-1, ' ', false,
                                      nlohmann::json::error_handler_t::replace);
}

std::string bankstripe::runtime::parseRequest(const std::string &Text,
                                              RecordRequest &Into) {
  // The library has no other way to say what is wrong.
  try {
    nlohmann::json::parse(Text).get_to(Into);
  } catch (const std::exception &Error) {
    return std::string("the request cannot be read: ") + Error.what();
  }
  if (Into.Bytes && Into.Bytes->End <= Into.Bytes->Begin)
    return "the request cannot be read: a number in it is too small";
  return "";
}

Selection::Kernel &Selection::kernel(const std::string &Symbol) {
  const std::string Name = kernelName(Symbol);
  const auto [At, IsNew] = Kernels.try_emplace(Name);
  if (IsNew) {
    At->second.IsCollective =
        Name.starts_with("ncclDevKernel") || Name.starts_with("ncclKernel");
    At->second.IsMeant =
        Rule.Kernels.empty() ||
        std::ranges::find(Rule.Kernels, Name) != Rule.Kernels.end();
  }
  return At->second;
}

static bool isAmongFirst(uint64_t Number, uint64_t First) {
  return Number < First || (First > 0 && std::has_single_bit(Number));
}

std::string_view Selection::launch(unsigned Index, Kernel &Of) {
  Latest = Index;
  LatestOfKernel = Of.Launches++;
  if (Of.IsCollective)
    return "collective";
  if (Rule.Until && Index > *Rule.Until)
    return "rule";
  if (std::ranges::any_of(Rule.Spans, [Index](const LaunchSpan &Span) {
        return Span.digests(Index);
      }))
    return "";
  return Of.IsMeant && isAmongFirst(LatestOfKernel, Rule.First) ? "" : "rule";
}

bool Selection::digestsFrees() const {
  if (Rule.Until && Latest >= *Rule.Until)
    return false;
  return isAmongFirst(LatestOfKernel, Rule.FirstFrees) ||
         std::ranges::any_of(Rule.Spans, [this](const LaunchSpan &Span) {
           return Span.holds(Latest);
         });
}

// Where nearly every launch has another size, sizes count like launches.
bool CaptureChoice::wants(const LaunchSize &Of) {
  const uint64_t Number = ++Launches[Of];
  return std::has_single_bit(Number) &&
         (Number > 1 || Launches.size() <= Most ||
          std::has_single_bit(Launches.size()));
}

std::optional<uint64_t>
CaptureChoice::captured(uint64_t Number, const LaunchSize &Of, double Seconds) {
  All.push_back({Number, Of, Seconds});
  if (All.size() <= Most)
    return std::nullopt;
  const auto OfSize = [this](const LaunchSize &Size) {
    return std::ranges::count(All, Size, &Kept::Size);
  };
  const auto Goes = std::ranges::min_element(All, {}, [&](const Kept &K) {
    const bool IsLatest = std::ranges::none_of(All, [&](const Kept &Other) {
      return Other.Size == K.Size && Other.Number > K.Number;
    });
    const auto Count = OfSize(K.Size);
    return std::tuple(-Count, IsLatest && Count > 1, K.Seconds);
  });
  const uint64_t Gone = Goes->Number;
  All.erase(Goes);
  return Gone;
}
