//===-- Results.cpp - what the replaying process found --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "replay/Results.h"
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace bankstripe::runtime;
using Json = nlohmann::ordered_json;

const char *bankstripe::runtime::sideName(Side Of) {
  return Of == Side::Original ? "original" : "rewritten";
}

static std::string line(const Json &Value) {
  // Names of symbols come from files and need not be UTF-8.
  return Value.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string bankstripe::runtime::problemLine(const std::string &Problem) {
  return line({{"problem", Problem}});
}

std::string bankstripe::runtime::timedLine(unsigned Launches) {
  return line({{"timed", Launches}});
}

static Json toJson(const MemoryMismatch &M) {
  const ByteDifference &F = M.First;
  return {{"memory", M.Memory},
          {"bytes", M.DifferingBytes},
          {"offset", F.Offset},
          {"looked-at", {F.Begin, F.End}},
          {"differing", F.DifferingBytes},
          {"word", {F.WordOffset, F.OriginalWord, F.RewrittenWord}},
          {"long", {F.LongOffset, F.OriginalLong, F.RewrittenLong}},
          {"type", F.ElementType},
          {"index", F.Index},
          {"values", {F.OriginalValue, F.RewrittenValue}}};
}

static MemoryMismatch mismatch(const Json &From) {
  MemoryMismatch M;
  From.at("memory").get_to(M.Memory);
  From.at("bytes").get_to(M.DifferingBytes);
  ByteDifference &F = M.First;
  From.at("offset").get_to(F.Offset);
  From.at("looked-at").at(0).get_to(F.Begin);
  From.at("looked-at").at(1).get_to(F.End);
  From.at("differing").get_to(F.DifferingBytes);
  From.at("word").at(0).get_to(F.WordOffset);
  From.at("word").at(1).get_to(F.OriginalWord);
  From.at("word").at(2).get_to(F.RewrittenWord);
  From.at("long").at(0).get_to(F.LongOffset);
  From.at("long").at(1).get_to(F.OriginalLong);
  From.at("long").at(2).get_to(F.RewrittenLong);
  From.at("type").get_to(F.ElementType);
  From.at("index").get_to(F.Index);
  From.at("values").at(0).get_to(F.OriginalValue);
  From.at("values").at(1).get_to(F.RewrittenValue);
  return M;
}

std::string bankstripe::runtime::sideLine(Side Of, const SideResult &Result) {
  Json Mismatches = Json::array();
  for (const MemoryMismatch &M : Result.Mismatches)
    Mismatches.push_back(toJson(M));
  return line({{"side", sideName(Of)},
               {"error", Result.Error},
               {"changed-pages", Result.ChangedPages},
               {"not-compared", Result.NotCompared},
               {"mismatches", std::move(Mismatches)}});
}

static SideResult sideResult(const Json &From) {
  SideResult Result;
  From.at("error").get_to(Result.Error);
  From.at("changed-pages").get_to(Result.ChangedPages);
  From.at("not-compared").get_to(Result.NotCompared);
  for (const Json &M : From.at("mismatches"))
    Result.Mismatches.push_back(mismatch(M));
  return Result;
}

ReplayResults bankstripe::runtime::readResults(const std::string &Lines) {
  ReplayResults Results;
  std::istringstream Input(Lines);
  for (std::string Text; std::getline(Input, Text);) {
    // The library has no other way to say that a field is missing.
    try {
      const Json Value = Json::parse(Text);
      if (Value.contains("problem"))
        Value.at("problem").get_to(Results.Problem);
      else if (Value.contains("timed"))
        Value.at("timed").get_to(Results.Timed);
      else if (Value.at("side") == sideName(Side::Original))
        Results.Original = sideResult(Value);
      else
        Results.Rewritten = sideResult(Value);
    } catch (const Json::exception &) {
      break;
    }
  }
  return Results;
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
