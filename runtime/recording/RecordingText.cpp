//===-- RecordingText.cpp - recordings as JSON lines ----------------------===//
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

#include "recording/RecordingBuilder.h"
#include "recording/RecordingReader.h"
#include <limits>
#include <nlohmann/json.hpp>

using namespace bankstripe::runtime;
using Json = nlohmann::json;

namespace {

// Reads line after line into a recording. A failing step leaves its reason;
// the steps return whether they succeeded.
class Parser {
public:
  bool header(const Json &Line);
  bool event(const Json &Line);
  Recording finish() { return Build.finish(); }
  const std::string &problem() const {
    return Problem.empty() ? Build.problem() : Problem;
  }

private:
  bool allocation(const Json &Line, bool IsVariable);
  bool stack(const Json &Line);
  bool launch(const Json &Line);
  bool late(const Json &Line);
  bool execution(const Json &Line);
  bool counted(const Json &Line, const std::string &Type);
  bool describe(const Json &Line, Launch &L);
  bool allChanges(const Json &Line, std::vector<DigestChange> &Changes);
  bool changes(const Json &List, bool IsVariable,
               std::vector<DigestChange> &Changes);
  bool run(const Json &Item, ChunkRun &Run);

  bool fail(std::string Reason) {
    Problem = std::move(Reason);
    return false;
  }
  template <class T> bool number(const Json &Line, const char *Key, T &Value);
  bool text(const Json &Line, const char *Key, std::string &Value);
  bool extent(const Json &Line, const char *Key, Extent &Value);

  RecordingBuilder Build{RecordingMode::Digest};
  std::string Problem;
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
  if (Version != RecordingTextVersion)
    return fail("the recording has version " + std::to_string(Version) +
                ", this program reads version " +
                std::to_string(RecordingTextVersion) +
                "; use a recorder and a verifier of the same build");
  if (!text(Line, "mode", Mode))
    return false;
  if (Mode != "digest" && Mode != "time")
    return fail("unknown mode '" + Mode + "'");
  if (Mode == "time")
    Build = RecordingBuilder(RecordingMode::Time);
  return true;
}

bool Parser::event(const Json &Line) {
  std::string Type, Text;
  if (!Line.is_object() || !text(Line, "type", Type))
    return fail("no 'type'");
  if (Type == "launch")
    return launch(Line);
  if (Type == "late")
    return late(Line);
  if (Type == "execution")
    return execution(Line);
  if (Type == "allocation" || Type == "variable")
    return allocation(Line, Type == "variable");
  if (Type == "stack")
    return stack(Line);
  if (Type == "note" || Type == "skipped")
    return counted(Line, Type);
  if (Type == "free") {
    unsigned Id = 0;
    return number(Line, "id", Id) && Build.free(Id);
  }
  if (Type == "failure") {
    if (!text(Line, "message", Text))
      return false;
    Build.failure(std::move(Text));
    return true;
  }
  if (Type == "device") {
    std::string Name;
    if (!text(Line, "name", Name) || !text(Line, "capability", Text))
      return false;
    Build.device(std::move(Name), std::move(Text));
    return true;
  }
  if (Type == "end") {
    Build.end();
    return true;
  }
  return fail("unknown type '" + Type + "'");
}

bool Parser::counted(const Json &Line, const std::string &Type) {
  const bool IsNote = Type == "note";
  std::string Text;
  uint64_t Count = 0;
  if (!text(Line, IsNote ? "text" : "reason", Text) ||
      !number(Line, "count", Count))
    return false;
  IsNote ? Build.note(Text, Count) : Build.skipped(Text, Count);
  return true;
}

bool Parser::allocation(const Json &Line, bool IsVariable) {
  Allocation A;
  A.IsVariable = IsVariable;
  if (!number(Line, "id", A.Id) || !text(Line, "kind", A.Kind) ||
      !number(Line, "bytes", A.Bytes) || !number(Line, "chunk", A.ChunkBytes))
    return false;
  if (IsVariable && !text(Line, "name", A.Name))
    return false;
  if (Line.contains("device") && !number(Line, "device", A.Device))
    return false;
  if (Line.contains("made") && !number(Line, "made", A.Made.emplace()))
    return false;
  return Build.allocation(std::move(A));
}

bool Parser::stack(const Json &Line) {
  const auto Frames = Line.find("frames");
  if (Frames == Line.end() || !Frames->is_array())
    return fail("no list 'frames'");
  CallStack Stack;
  for (const Json &Item : *Frames) {
    StackFrame Frame;
    if (!Item.is_object() || !text(Item, "module", Frame.Module) ||
        !number(Item, "offset", Frame.Offset) ||
        !text(Item, "symbol", Frame.Symbol) ||
        !number(Item, "symbol-offset", Frame.SymbolOffset))
      return Problem.empty() ? fail("a call that is no object") : false;
    Stack.push_back(std::move(Frame));
  }
  return Build.stack(std::move(Stack));
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
  if (Line.contains("device") && !number(Line, "device", L.Device))
    return false;
  if (Line.contains("error") && !text(Line, "error", L.Error))
    return false;
  L.Digested = Line.contains("changes") && Line.contains("variables");
  if (L.Digested && !allChanges(Line, L.Changes))
    return false;
  return Build.launch(std::move(L));
}

bool Parser::late(const Json &Line) {
  unsigned Index = 0;
  std::string At;
  std::vector<DigestChange> Changes;
  if (!number(Line, "launch", Index) || !text(Line, "at", At))
    return false;
  if (At != "free" && At != "end")
    return fail("unknown moment '" + At + "'");
  return allChanges(Line, Changes) &&
         Build.late(Index, At == "end", std::move(Changes));
}

bool Parser::execution(const Json &Line) {
  Launch L;
  uint64_t Order = 0, Start = 0, End = 0;
  return number(Line, "order", Order) && describe(Line, L) &&
         number(Line, "start", Start) && number(Line, "end", End) &&
         Build.execution(std::move(L), Order, Start, End);
}

bool Parser::allChanges(const Json &Line, std::vector<DigestChange> &Changes) {
  const auto Allocations = Line.find("changes");
  const auto Variables = Line.find("variables");
  if (Allocations == Line.end() || Variables == Line.end())
    return fail("no digests");
  return changes(*Allocations, false, Changes) &&
         changes(*Variables, true, Changes);
}

bool Parser::changes(const Json &List, bool IsVariable,
                     std::vector<DigestChange> &Changes) {
  if (!List.is_array())
    return fail("the digests are not a list");
  for (const Json &Item : List) {
    if (!Item.is_array() || Item.empty() || !Item[0].is_number_unsigned() ||
        Item[0].get<uint64_t>() >= Build.allocations(IsVariable))
      return fail("digests of an allocation that was not made");
    DigestChange Change;
    Change.Allocation = Item[0].get<unsigned>();
    Change.IsVariable = IsVariable;
    for (size_t I = 1; I < Item.size(); ++I)
      if (!run(Item[I], Change.Runs.emplace_back()))
        return false;
    Changes.push_back(std::move(Change));
  }
  return true;
}

bool Parser::run(const Json &Item, ChunkRun &Run) {
  if (!Item.is_array() || Item.size() != 2 || !Item[0].is_number_unsigned() ||
      !Item[1].is_string())
    return fail("a run of digests is not a number and a text");
  const std::string &Hex = Item[1].get_ref<const std::string &>();
  Run.First = Item[0].get<uint64_t>();
  if (Hex.size() % 16 != 0)
    return fail("a digest has no 16 digits");
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

std::variant<Recording, ReadError>
bankstripe::runtime::readRecordingText(std::istream &Input) {
  Parser P;
  std::string Text;
  unsigned Number = 0;
  while (std::getline(Input, Text)) {
    ++Number;
    // Without its newline the last line was not written to its end.
    if (Input.eof() && Number > 1)
      break;
    const Json Line = Json::parse(Text, nullptr, /*allow_exceptions=*/false);
    const bool Good =
        !Line.is_discarded() && (Number == 1 ? P.header(Line) : P.event(Line));
    if (!Good)
      return ReadError{"line " + std::to_string(Number) + ": " +
                       (P.problem().empty() ? "not JSON" : P.problem())};
  }
  if (Number == 0)
    return ReadError{"the recording is empty"};
  return P.finish();
}
