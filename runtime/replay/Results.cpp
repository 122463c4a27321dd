//===-- Results.cpp - what the replaying process found --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "replay/Results.h"
#include "recording/Optional.h"
#include <cstring>
#include <sstream>

using namespace bankstripe::runtime;

const char *bankstripe::runtime::sideName(Side Of) {
  return Of == Side::Original ? "original" : "rewritten";
}

namespace bankstripe::runtime {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ElementDifference, Type, Index, Original,
                                   Rewritten)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ByteDifference, Offset, DifferingBytes,
                                   Begin, End, Elements)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryMismatch, Memory, DifferingBytes,
                                   First)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SideResult, Error, ChangedPages, Mismatches,
                                   NotCompared)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReplayResults, Problem, Original, Rewritten,
                                   Timed)

} // namespace bankstripe::runtime

std::string bankstripe::runtime::printResults(const ReplayResults &Results) {
  // Names of symbols come from files and need not be UTF-8.
  return nlohmann::json(Results).dump(
             -1, ' ', false, nlohmann::json::error_handler_t::replace) +
         '\n';
}

ReplayResults bankstripe::runtime::readResults(const std::string &Lines) {
  ReplayResults Latest;
  std::istringstream Input(Lines);
  for (std::string Line; std::getline(Input, Line);)
    if (const auto Value = nlohmann::json::parse(Line, nullptr, false);
        !Value.is_discarded())
      Latest = Value.get<ReplayResults>();
  return Latest;
}

static bool holds(const CapturedPage &Page, std::string_view Bytes) {
  if (!Page.Bytes.empty())
    return Page.Bytes == Bytes;
  if (Bytes.size() < sizeof Page.Word)
    return pageBytes(Page, Bytes.size()) == Bytes;
  // A page is one word over and over when it is itself, one word further on.
  return std::memcmp(Bytes.data(), &Page.Word, sizeof Page.Word) == 0 &&
         std::memcmp(Bytes.data(), Bytes.data() + sizeof Page.Word,
                     Bytes.size() - sizeof Page.Word) == 0;
}

void MemoryCheck::found(unsigned Number, uint64_t FirstPage,
                        std::string_view Bytes) {
  for (uint64_t At = 0; At < Bytes.size(); At += CapturePageBytes)
    page({Number, FirstPage + At / CapturePageBytes},
         Bytes.substr(At, CapturePageBytes));
}

void MemoryCheck::page(PageNumber At, std::string_view Bytes) {
  const CapturedMemory &M = Of.Memory[At.Memory];
  const CapturedPage &Before = M.Before[At.Page], &After = M.After[At.Page];
  const bool IsUnchanged = holds(Before, Bytes);
  if (!IsUnchanged)
    Changed.insert(At);
  if (After.IsThere ? holds(After, Bytes) : IsUnchanged)
    return;
  Differing.insert(At);
  if (NotCompared.contains(At))
    return;
  const auto Difference = findByteDifference(
      pageBytes(After.IsThere ? After : Before, Bytes.size()),
      std::string(Bytes), At.Page * CapturePageBytes, Type);
  if (!Difference)
    return;
  if (Mismatches.empty() || Mismatches.back().Memory != At.Memory)
    Mismatches.push_back({At.Memory, 0, *Difference});
  Mismatches.back().DifferingBytes += Difference->DifferingBytes;
}
