//===-- RecordingReader.cpp - file to recording ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per type of record. What a record's checksum vouches for is
// still checked: no number is used as an index before it was compared.
//
//===----------------------------------------------------------------------===//

#include "recording/RecordingReader.h"
#include "recording/Bytes.h"
#include "recording/RecordingBuilder.h"
#include <fstream>
#include <sstream>

using namespace bankstripe::runtime;

namespace {

// Reads record after record into a recording. The steps return whether they
// succeeded.
class Records {
public:
  explicit Records(RecordingMode Mode) : Build(Mode) {}
  bool add(std::string_view Record);
  Recording finish() { return Build.finish(); }
  std::string problem() const {
    return Build.problem().empty() ? "the fields are not those of its type"
                                   : Build.problem();
  }

private:
  bool addShape(ByteReader &From);
  bool addStack(ByteReader &From);
  bool addDevice(ByteReader &From);
  bool addAllocation(ByteReader &From, bool IsVariable);
  bool addLaunch(ByteReader &From);
  bool addLate(ByteReader &From);
  bool addExecution(ByteReader &From);
  bool addCount(ByteReader &From, bool IsNote);

  bool text(ByteReader &From, std::string &Text) const;
  bool shape(ByteReader &From, Launch &Like) const;
  static bool changes(ByteReader &From, std::vector<DigestChange> &Changes);
  static bool runs(ByteReader &From, DigestChange &Change);

  RecordingBuilder Build;
  std::vector<std::string> Texts;
  std::vector<Launch> Shapes;
};

} // namespace

bool Records::text(ByteReader &From, std::string &Text) const {
  const auto Number = From.number<uint64_t>();
  if (From.failed() || Number >= Texts.size())
    return false;
  Text = Texts[Number];
  return true;
}

bool Records::shape(ByteReader &From, Launch &Like) const {
  const auto Number = From.number<uint64_t>();
  if (From.failed() || Number >= Shapes.size())
    return false;
  Like = Shapes[Number];
  return true;
}

bool Records::addShape(ByteReader &From) {
  Launch L;
  if (!text(From, L.Kernel))
    return false;
  for (unsigned *Value :
       {&L.Grid.X, &L.Grid.Y, &L.Grid.Z, &L.Block.X, &L.Block.Y, &L.Block.Z,
        &L.Takes.Registers, &L.Takes.StaticSharedBytes, &L.Takes.LocalBytes,
        &L.DynamicSharedBytes, &L.Stream, &L.Thread, &L.Device})
    *Value = From.number<unsigned>();
  Shapes.push_back(std::move(L));
  return From.finished();
}

bool Records::addStack(ByteReader &From) {
  CallStack Stack;
  const auto Count = From.number<uint64_t>();
  for (uint64_t I = 0; I < Count; ++I) {
    StackFrame Frame;
    if (!text(From, Frame.Module))
      return false;
    Frame.Offset = From.number<uint64_t>();
    if (!text(From, Frame.Symbol))
      return false;
    Frame.SymbolOffset = From.number<uint64_t>();
    Stack.push_back(std::move(Frame));
  }
  return From.finished() && Build.stack(std::move(Stack));
}

bool Records::addDevice(ByteReader &From) {
  std::string Name(From.text());
  std::string Capability(From.text());
  if (!From.finished())
    return false;
  Build.device(std::move(Name), std::move(Capability));
  return true;
}

bool Records::addAllocation(ByteReader &From, bool IsVariable) {
  Allocation A;
  A.IsVariable = IsVariable;
  A.Id = Build.allocations(IsVariable);
  A.Kind = "variable";
  if (!text(From, IsVariable ? A.Name : A.Kind))
    return false;
  A.Bytes = From.number<uint64_t>();
  A.ChunkBytes = From.number<uint64_t>();
  A.Device = From.number<unsigned>();
  if (!IsVariable)
    if (const auto Made = From.number<unsigned>())
      A.Made = Made - 1;
  return From.finished() && Build.allocation(std::move(A));
}

bool Records::runs(ByteReader &From, DigestChange &Change) {
  const auto Count = From.number<uint64_t>();
  uint64_t Behind = 0;
  for (uint64_t I = 0; I < Count; ++I) {
    ChunkRun Run;
    Run.First = Behind + From.number<uint64_t>();
    const auto Chunks = From.number<uint64_t>();
    From.digests(Chunks, Run.Digests);
    if (From.failed() || Run.First < Behind)
      return false;
    Behind = Run.First + Chunks;
    Change.Runs.push_back(std::move(Run));
  }
  return true;
}

bool Records::changes(ByteReader &From, std::vector<DigestChange> &Changes) {
  const auto Count = From.number<uint64_t>();
  for (uint64_t I = 0; I < Count; ++I) {
    const auto Whose = From.number<uint64_t>();
    if (From.failed() || Whose >> 1 > std::numeric_limits<unsigned>::max())
      return false;
    DigestChange Change;
    Change.IsVariable = Whose & 1;
    Change.Allocation = static_cast<unsigned>(Whose >> 1);
    if (!runs(From, Change))
      return false;
    Changes.push_back(std::move(Change));
  }
  return From.finished();
}

bool Records::addLaunch(ByteReader &From) {
  Launch L;
  if (!shape(From, L))
    return false;
  L.Index = Build.launches();
  const unsigned Bits = From.left() > 0 ? From.number<unsigned>() : 0;
  L.Digested = Bits & LaunchDigested;
  if ((Bits & LaunchFailed) && !text(From, L.Error))
    return false;
  if (L.Digested && !changes(From, L.Changes))
    return false;
  return From.finished() && Build.launch(std::move(L));
}

bool Records::addLate(ByteReader &From) {
  std::vector<DigestChange> Changes;
  const bool AtEnd = From.number<unsigned>() != 0;
  return changes(From, Changes) &&
         Build.late(Build.launches() - 1, AtEnd, std::move(Changes));
}

bool Records::addExecution(ByteReader &From) {
  Launch L;
  if (!shape(From, L))
    return false;
  const auto Order = From.number<uint64_t>();
  const auto Start = From.number<uint64_t>();
  const auto Duration = From.number<uint64_t>();
  return From.finished() &&
         Build.execution(std::move(L), Order, Start, Start + Duration);
}

bool Records::addCount(ByteReader &From, bool IsNote) {
  std::string Text;
  if (!text(From, Text))
    return false;
  const auto Count = From.number<uint64_t>();
  IsNote ? Build.note(Text, Count) : Build.skipped(Text, Count);
  return From.finished();
}

bool Records::add(std::string_view Record) {
  ByteReader From(Record.substr(1));
  switch (static_cast<RecordType>(Record.front())) {
  case RecordType::Text:
    Texts.emplace_back(From.text());
    return From.finished();
  case RecordType::Shape:
    return addShape(From);
  case RecordType::Stack:
    return addStack(From);
  case RecordType::Device:
    return addDevice(From);
  case RecordType::Allocation:
    return addAllocation(From, false);
  case RecordType::Variable:
    return addAllocation(From, true);
  case RecordType::Free: {
    const auto Id = From.number<unsigned>();
    return From.finished() && Build.free(Id);
  }
  case RecordType::Launch:
    return addLaunch(From);
  case RecordType::Late:
    return addLate(From);
  case RecordType::Execution:
    return addExecution(From);
  case RecordType::Note:
    return addCount(From, true);
  case RecordType::Skipped:
    return addCount(From, false);
  case RecordType::Failure:
    Build.failure(std::string(From.text()));
    return From.finished();
  case RecordType::End:
    Build.end();
    return From.finished();
  }
  return false;
}

// What was never written, of a program that crashed, is zeros.
static bool isUnwritten(std::string_view Rest) {
  return Rest.find_first_not_of('\0') == std::string_view::npos;
}

static std::variant<Recording, ReadError> readRecords(std::string_view Bytes) {
  if (Bytes.size() < RecordingHeaderBytes)
    return ReadError{"the recording ends within its header"};
  const unsigned Version =
      static_cast<unsigned char>(Bytes[RecordingMagic.size()]);
  const char Mode = Bytes[RecordingMagic.size() + 1];
  if (Version != RecordingVersion)
    return ReadError{"the recording has version " + std::to_string(Version) +
                     ", this program reads version " +
                     std::to_string(RecordingVersion) +
                     "; use a recorder and a verifier of the same build"};
  if (Mode != '\0' && Mode != '\1')
    return ReadError{"the recording has an unknown mode"};
  Records All(Mode ? RecordingMode::Time : RecordingMode::Digest);
  std::string_view Rest = Bytes.substr(RecordingHeaderBytes);
  while (!Rest.empty() && (Rest.front() != '\0' || !isUnwritten(Rest))) {
    const size_t At = Bytes.size() - Rest.size();
    std::string_view Record;
    const RecordState State = takeRecord(Rest, Record);
    if (State == RecordState::Damaged)
      return ReadError{"byte " + std::to_string(At) +
                       ": the recording is damaged"};
    if (State == RecordState::CutOff)
      break;
    if (!All.add(Record))
      return ReadError{"byte " + std::to_string(At) + ": " + All.problem()};
  }
  return All.finish();
}

std::variant<Recording, ReadError>
bankstripe::runtime::readRecording(std::istream &Input) {
  std::ostringstream Whole;
  Whole << Input.rdbuf(); // Throws nothing, unlike an iterator over it.
  const std::string Bytes = std::move(Whole).str();
  if (Bytes.starts_with(RecordingMagic.front()))
    return readRecords(Bytes);
  std::istringstream Text(Bytes);
  return readRecordingText(Text);
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
