//===-- RecordingReader.cpp - file to recording ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per type of line. Every field is checked for its presence, its
// type and its range before it is used; the JSON library never throws here.
//
//===----------------------------------------------------------------------===//

#include "recording/RecordingReader.h"
#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>

using namespace bankstripe::runtime;
using Json = nlohmann::json;

namespace {

// An execution and what puts it into the order of the launches.
struct Execution {
  uint64_t Order = 0;
  uint64_t Start = 0;
  Launch What;
};

// Reads line after line into a recording. A failing step leaves its reason in
// Problem; the steps return whether they succeeded.
class Parser {
public:
  bool header(const Json &Line);
  bool event(const Json &Line);
  Recording finish();

  std::string Problem;

private:
  bool allocation(const Json &Line, std::vector<Allocation> &Into,
                  bool IsVariable);
  bool freed(const Json &Line);
  bool launch(const Json &Line);
  bool late(const Json &Line);
  bool counted(const Json &Line, const char *Key,
               std::map<std::string, uint64_t> &Into);
  bool execution(const Json &Line);
  bool describe(const Json &Line, Launch &L);
  bool allChanges(const Json &Line, Launch &L);
  bool changes(const Json &List, bool IsVariable, Launch &L);
  bool run(const Json &Item, const Allocation &Of, ChunkRun &Run);

  bool fail(std::string Reason) {
    Problem = std::move(Reason);
    return false;
  }
  template <class T> bool number(const Json &Line, const char *Key, T &Value);
  bool text(const Json &Line, const char *Key, std::string &Value);
  bool extent(const Json &Line, const char *Key, Extent &Value);

  Recording Result;
  std::vector<Execution> Executions;
};

} // namespace

template <class T>
bool Parser::number(const Json &Line, const char *Key, T &Value) {
  const auto Field = Line.find(Key);
  if (Field == Line.end() || !Field->is_number_unsigned() ||
      Field->template get<uint64_t>() > std::numeric_limits<T>::max())
    return fail(std::string("no number '") + Key + "'");
  Value = static_cast<T>(Field->template get<uint64_t>());
  return true;
}

bool Parser::text(const Json &Line, const char *Key, std::string &Value) {
  const auto Field = Line.find(Key);
  if (Field == Line.end() || !Field->is_string())
    return fail(std::string("no text '") + Key + "'");
  Value = Field->get<std::string>();
  return true;
}

bool Parser::extent(const Json &Line, const char *Key, Extent &Value) {
  const auto Field = Line.find(Key);
  if (Field == Line.end() || !Field->is_array() || Field->size() != 3)
    return fail(std::string("no three numbers '") + Key + "'");
  unsigned *Parts[] = {&Value.X, &Value.Y, &Value.Z};
  for (size_t I = 0; I < 3; ++I) {
    if (!(*Field)[I].is_number_unsigned() ||
        (*Field)[I].get<uint64_t>() > std::numeric_limits<unsigned>::max())
      return fail(std::string("no three numbers '") + Key + "'");
    *Parts[I] = (*Field)[I].get<unsigned>();
  }
  return true;
}

bool Parser::header(const Json &Line) {
  unsigned Version = 0;
  std::string Mode;
  if (!Line.is_object() || !number(Line, "bankstripe-recording", Version))
    return fail("not a recording of bankstripe's");
  if (Version != RecordingVersion)
    return fail("the recording has version " + std::to_string(Version) +
                ", this program reads version " +
                std::to_string(RecordingVersion) +
                "; use a recorder and a verifier of the same build");
  if (!text(Line, "mode", Mode))
    return false;
  if (Mode != "digest" && Mode != "time")
    return fail("unknown mode '" + Mode + "'");
  Result.Mode = Mode == "digest" ? RecordingMode::Digest : RecordingMode::Time;
  return true;
}

bool Parser::event(const Json &Line) {
  std::string Type;
  if (!Line.is_object() || !text(Line, "type", Type))
    return fail("no 'type'");
  if (Type == "launch")
    return launch(Line);
  if (Type == "execution")
    return execution(Line);
  if (Type == "allocation")
    return allocation(Line, Result.Allocations, false);
  if (Type == "variable")
    return allocation(Line, Result.Variables, true);
  if (Type == "free")
    return freed(Line);
  if (Type == "late")
    return late(Line);
  if (Type == "note")
    return counted(Line, "text", Result.Notes);
  if (Type == "skipped")
    return counted(Line, "reason", Result.Skipped);
  if (Type == "failure")
    return text(Line, "message", Result.Failure);
  if (Type == "device") {
    std::string Name, Capability;
    if (!text(Line, "name", Name) || !text(Line, "capability", Capability))
      return false;
    if (Result.Device.empty()) {
      Result.Device = Name;
      Result.Capability = Capability;
    }
    return true;
  }
  if (Type == "end") {
    Result.Complete = true;
    return true;
  }
  return fail("unknown type '" + Type + "'");
}

bool Parser::counted(const Json &Line, const char *Key,
                     std::map<std::string, uint64_t> &Into) {
  std::string Text;
  uint64_t Count = 0;
  if (!text(Line, Key, Text) || !number(Line, "count", Count))
    return false;
  Into[Text] = std::max(Into[Text], Count);
  return true;
}

bool Parser::allocation(const Json &Line, std::vector<Allocation> &Into,
                        bool IsVariable) {
  Allocation A;
  A.IsVariable = IsVariable;
  if (!number(Line, "id", A.Id) || !text(Line, "kind", A.Kind) ||
      !number(Line, "bytes", A.Bytes) || !number(Line, "chunk", A.ChunkBytes))
    return false;
  if (IsVariable && !text(Line, "name", A.Name))
    return false;
  if (A.Id != Into.size())
    return fail("allocation " + std::to_string(A.Id) + " is out of order");
  if (A.ChunkBytes == 0)
    return fail("the chunks of an allocation have no bytes");
  A.MadeBefore = static_cast<unsigned>(Result.Launches.size());
  Into.push_back(std::move(A));
  return true;
}

bool Parser::freed(const Json &Line) {
  unsigned Id = 0;
  if (!number(Line, "id", Id))
    return false;
  if (Id >= Result.Allocations.size() || Result.Allocations[Id].FreedBefore)
    return fail("allocation " + std::to_string(Id) +
                " is freed without being live");
  Result.Allocations[Id].FreedBefore =
      static_cast<unsigned>(Result.Launches.size());
  return true;
}

bool Parser::describe(const Json &Line, Launch &L) {
  return text(Line, "kernel", L.Kernel) && extent(Line, "grid", L.Grid) &&
         extent(Line, "block", L.Block) &&
         number(Line, "registers", L.Takes.Registers) &&
         number(Line, "static-shared", L.Takes.StaticSharedBytes) &&
         number(Line, "dynamic-shared", L.DynamicSharedBytes) &&
         number(Line, "local", L.Takes.LocalBytes) &&
         number(Line, "stream", L.Stream);
}

bool Parser::launch(const Json &Line) {
  Launch L;
  if (!number(Line, "index", L.Index) || !describe(Line, L) ||
      !number(Line, "thread", L.Thread))
    return false;
  if (L.Index != Result.Launches.size())
    return fail("launch " + std::to_string(L.Index) + " is out of order");
  if (Line.contains("error") && !text(Line, "error", L.Error))
    return false;
  L.Digested = Line.contains("changes") && Line.contains("variables");
  if (L.Digested && !allChanges(Line, L))
    return false;
  Result.Launches.push_back(std::move(L));
  return true;
}

bool Parser::late(const Json &Line) {
  unsigned Index = 0;
  std::string At;
  if (!number(Line, "launch", Index) || !text(Line, "at", At))
    return false;
  if (At != "free" && At != "end")
    return fail("unknown moment '" + At + "'");
  if (Result.Launches.empty() || Index != Result.Launches.back().Index)
    return fail("launch " + std::to_string(Index) + " is not the latest one");
  Launch &L = Result.Launches.back();
  (At == "end" ? L.DigestedAtEnd : L.DigestedBeforeFree) = true;
  return allChanges(Line, L);
}

bool Parser::allChanges(const Json &Line, Launch &L) {
  const auto Changes = Line.find("changes");
  const auto Variables = Line.find("variables");
  if (Changes == Line.end() || Variables == Line.end())
    return fail("no digests");
  return changes(*Changes, false, L) && changes(*Variables, true, L);
}

bool Parser::changes(const Json &List, bool IsVariable, Launch &L) {
  const auto &Known = IsVariable ? Result.Variables : Result.Allocations;
  if (!List.is_array())
    return fail("the digests are not a list");
  for (const Json &Item : List) {
    if (!Item.is_array() || Item.empty() || !Item[0].is_number_unsigned() ||
        Item[0].get<uint64_t>() >= Known.size())
      return fail("digests of an allocation that was not made");
    DigestChange Change;
    Change.Allocation = Item[0].get<unsigned>();
    Change.IsVariable = IsVariable;
    for (size_t I = 1; I < Item.size(); ++I) {
      ChunkRun Run;
      if (!run(Item[I], Known[Change.Allocation], Run))
        return false;
      Change.Runs.push_back(std::move(Run));
    }
    L.Changes.push_back(std::move(Change));
  }
  return true;
}

bool Parser::run(const Json &Item, const Allocation &Of, ChunkRun &Run) {
  if (!Item.is_array() || Item.size() != 2 || !Item[0].is_number_unsigned() ||
      !Item[1].is_string())
    return fail("a run of digests is not a number and a text");
  const std::string &Hex = Item[1].get_ref<const std::string &>();
  Run.First = Item[0].get<uint64_t>();
  const uint64_t Chunks = (Of.Bytes + Of.ChunkBytes - 1) / Of.ChunkBytes;
  if (Hex.size() % 16 != 0 || Run.First > Chunks ||
      Hex.size() / 16 > Chunks - Run.First)
    return fail("a run of digests does not fit its allocation");
  for (size_t I = 0; I < Hex.size(); ++I) {
    const char C = Hex[I];
    const bool IsDigit = C >= '0' && C <= '9';
    if (!IsDigit && !(C >= 'a' && C <= 'f'))
      return fail("a digest is not hexadecimal");
    if (I % 16 == 0)
      Run.Digests.push_back(0);
    Run.Digests.back() =
        Run.Digests.back() << 4 |
        static_cast<uint64_t>(IsDigit ? C - '0' : C - 'a' + 10);
  }
  return true;
}

bool Parser::execution(const Json &Line) {
  Execution E;
  uint64_t End = 0;
  if (!number(Line, "order", E.Order) || !describe(Line, E.What) ||
      !number(Line, "start", E.Start) || !number(Line, "end", End))
    return false;
  if (End < E.Start)
    return fail("a kernel ends before it starts");
  E.What.Nanoseconds = static_cast<double>(End - E.Start);
  Executions.push_back(std::move(E));
  return true;
}

Recording Parser::finish() {
  std::sort(Executions.begin(), Executions.end(),
            [](const Execution &A, const Execution &B) {
              return std::tie(A.Order, A.Start) < std::tie(B.Order, B.Start);
            });
  for (Execution &E : Executions) {
    E.What.Index = static_cast<unsigned>(Result.Launches.size());
    Result.Launches.push_back(std::move(E.What));
  }
  return std::move(Result);
}

std::variant<Recording, ReadError>
bankstripe::runtime::readRecording(std::istream &Input) {
  Parser P;
  std::string Text;
  bool CutOff = false;
  unsigned Number = 0;
  while (std::getline(Input, Text)) {
    // Without its newline the last line was not written to its end.
    CutOff = Input.eof();
    ++Number;
    if (CutOff && Number > 1)
      break;
    const Json Line = Json::parse(Text, nullptr, /*allow_exceptions=*/false);
    const bool Good =
        !Line.is_discarded() && (Number == 1 ? P.header(Line) : P.event(Line));
    if (!Good)
      return ReadError{"line " + std::to_string(Number) + ": " +
                       (P.Problem.empty() ? "not JSON" : P.Problem)};
  }
  if (Number == 0)
    return ReadError{"the recording is empty"};
  return P.finish();
}

std::variant<Recording, ReadError>
bankstripe::runtime::readRecordingFile(const std::string &Path) {
  std::ifstream Input(Path, std::ios::binary);
  if (!Input)
    return ReadError{
        "no recording was written; the program makes no CUDA call, or "
        "the recorder could not be loaded into it"};
  return readRecording(Input);
}
