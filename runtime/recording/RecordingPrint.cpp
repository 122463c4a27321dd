//===-- RecordingPrint.cpp - a recording as JSON lines --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/RecordingReader.h"
#include <nlohmann/json.hpp>

using namespace bankstripe::runtime;
using Json = nlohmann::ordered_json;

static void print(const Json &Line, std::ostream &Output) {
  // Names may hold bytes that are no UTF-8.
  Output << Line.dump(-1, ' ', /*ensure_ascii=*/true,
                      Json::error_handler_t::replace)
         << '\n';
}

static Json typed(const char *Type) { return {{"type", Type}}; }

static Json extent(const Extent &E) { return {E.X, E.Y, E.Z}; }

static std::string hexDigests(const std::vector<uint64_t> &Digests) {
  static const char Digits[] = "0123456789abcdef";
  std::string Text;
  Text.reserve(16 * Digests.size());
  for (const uint64_t Digest : Digests)
    for (int Shift = 60; Shift >= 0; Shift -= 4)
      Text += Digits[(Digest >> Shift) & 15];
  return Text;
}

static Json changes(const std::vector<DigestChange> &Changes, bool Variables) {
  Json List = Json::array();
  for (const DigestChange &Change : Changes) {
    if (Change.IsVariable != Variables)
      continue;
    Json Item = Json::array({Change.Allocation});
    for (const ChunkRun &Run : Change.Runs)
      Item.push_back(Json::array({Run.First, hexDigests(Run.Digests)}));
    List.push_back(std::move(Item));
  }
  return List;
}

static void addChanges(Json &Line, const std::vector<DigestChange> &Changes) {
  Line["changes"] = changes(Changes, false);
  Line["variables"] = changes(Changes, true);
}

static void describe(Json &Line, const Launch &L) {
  Line["kernel"] = L.Kernel;
  Line["grid"] = extent(L.Grid);
  Line["block"] = extent(L.Block);
  Line["registers"] = L.Takes.Registers;
  Line["static-shared"] = L.Takes.StaticSharedBytes;
  Line["dynamic-shared"] = L.DynamicSharedBytes;
  Line["local"] = L.Takes.LocalBytes;
  Line["stream"] = L.Stream;
}

// What late digests found is not told apart from one another any more: it
// stands in one line, or, when there are none at a free, in one at the end.
static void printLaunch(const Launch &L, std::ostream &Output) {
  Json Line = typed("launch");
  Line["index"] = L.Index;
  describe(Line, L);
  Line["thread"] = L.Thread;
  if (L.Device)
    Line["device"] = L.Device;
  if (!L.Error.empty())
    Line["error"] = L.Error;
  if (L.Digested)
    addChanges(Line, L.Changes);
  print(Line, Output);
  const auto Late = [&](const char *At,
                        const std::vector<DigestChange> &Changes) {
    Json More = typed("late");
    More["launch"] = L.Index;
    More["at"] = At;
    addChanges(More, Changes);
    print(More, Output);
  };
  if (L.DigestedBeforeFree)
    Late("free", L.Digested ? std::vector<DigestChange>() : L.Changes);
  if (L.DigestedAtEnd)
    Late("end", L.Digested || L.DigestedBeforeFree ? std::vector<DigestChange>()
                                                   : L.Changes);
}

static void printExecution(const Launch &L, uint64_t &Start,
                           std::ostream &Output) {
  Json Line = typed("execution");
  Line["order"] = L.Index;
  describe(Line, L);
  Line["start"] = Start;
  Start += static_cast<uint64_t>(L.Nanoseconds);
  Line["end"] = Start;
  print(Line, Output);
}

static void printAllocation(const Allocation &A, std::ostream &Output) {
  Json Line = typed(A.IsVariable ? "variable" : "allocation");
  Line["id"] = A.Id;
  Line["kind"] = A.Kind;
  if (A.IsVariable)
    Line["name"] = A.Name;
  Line["bytes"] = A.Bytes;
  Line["chunk"] = A.ChunkBytes;
  if (A.Device)
    Line["device"] = A.Device;
  if (A.Made)
    Line["made"] = *A.Made;
  print(Line, Output);
}

static void printStack(const CallStack &Stack, std::ostream &Output) {
  Json Line = typed("stack");
  Line["frames"] = Json::array();
  for (const StackFrame &Frame : Stack)
    Line["frames"].push_back({{"module", Frame.Module},
                              {"offset", Frame.Offset},
                              {"symbol", Frame.Symbol},
                              {"symbol-offset", Frame.SymbolOffset}});
  print(Line, Output);
}

static void printCounts(const char *Type, const char *Key,
                        const std::map<std::string, uint64_t> &Counts,
                        std::ostream &Output) {
  for (const auto &[Text, Count] : Counts) {
    Json Line = typed(Type);
    Line[Key] = Text;
    Line["count"] = Count;
    print(Line, Output);
  }
}

namespace {

// What lies between two launches: made and freed, by the launch that follows.
class Between {
public:
  explicit Between(const Recording &R) : R(R) {
    for (const Allocation &A : R.Allocations)
      if (A.FreedBefore)
        Freed.emplace(*A.FreedBefore, A.Id);
  }

  // Numbers ascend, and memory is freed after it was made: an order in which
  // all of it can have happened.
  void print(unsigned Launch, std::ostream &Output) {
    for (; NextAllocation < R.Allocations.size() &&
           R.Allocations[NextAllocation].MadeBefore <= Launch;
         ++NextAllocation)
      printAllocation(R.Allocations[NextAllocation], Output);
    for (; NextVariable < R.Variables.size() &&
           R.Variables[NextVariable].MadeBefore <= Launch;
         ++NextVariable)
      printAllocation(R.Variables[NextVariable], Output);
    const auto [Begin, End] = Freed.equal_range(Launch);
    for (auto At = Begin; At != End; ++At) {
      Json Line = typed("free");
      Line["id"] = At->second;
      ::print(Line, Output);
    }
  }

private:
  const Recording &R;
  std::multimap<unsigned, unsigned> Freed;
  size_t NextAllocation = 0, NextVariable = 0;
};

} // namespace

void bankstripe::runtime::printRecording(const Recording &R,
                                         std::ostream &Output) {
  const bool IsTimed = R.Mode == RecordingMode::Time;
  print({{"bankstripe-recording", RecordingTextVersion},
         {"mode", IsTimed ? "time" : "digest"}},
        Output);
  if (!R.Device.empty()) {
    Json Line = typed("device");
    Line["name"] = R.Device;
    Line["capability"] = R.Capability;
    print(Line, Output);
  }
  for (const CallStack &Stack : R.Stacks)
    printStack(Stack, Output);
  Between Events(R);
  uint64_t Start = 0;
  for (const Launch &L : R.Launches) {
    Events.print(L.Index, Output);
    if (IsTimed)
      printExecution(L, Start, Output);
    else
      printLaunch(L, Output);
  }
  Events.print(static_cast<unsigned>(R.Launches.size()), Output);
  printCounts("note", "text", R.Notes, Output);
  printCounts("skipped", "reason", R.Skipped, Output);
  if (!R.Failure.empty()) {
    Json Line = typed("failure");
    Line["message"] = R.Failure;
    print(Line, Output);
  }
  if (R.Complete)
    print(typed("end"), Output);
}
