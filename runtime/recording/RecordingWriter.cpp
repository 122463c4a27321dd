//===-- RecordingWriter.cpp - recording to file ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder is loaded into foreign processes and brings no library along
// that it can do without. RecordingWriter.h says what stands in records.
//
//===----------------------------------------------------------------------===//

#include "recording/RecordingWriter.h"
#include <cerrno>
#include <unistd.h>

using namespace bankstripe::runtime;

static void addChanges(ByteWriter &To,
                       const std::vector<DigestChange> &Changes) {
  To.number(Changes.size());
  for (const DigestChange &Change : Changes) {
    To.number(uint64_t(Change.Allocation) << 1 | Change.IsVariable);
    To.number(Change.Runs.size());
    uint64_t Behind = 0;
    for (const ChunkRun &Run : Change.Runs) {
      To.number(Run.First - Behind).number(Run.Digests.size());
      To.digests(Run.Digests);
      Behind = Run.First + Run.Digests.size();
    }
  }
}

bool RecordingWriter::open(const std::string &Path, RecordingMode Mode) {
  const std::lock_guard Lock(Mutex);
  OwnPath = Path;
  if (!File.create(OwnPath)) {
    if (errno != EEXIST)
      return false;
    OwnPath += '.' + std::to_string(::getpid());
    if (!File.create(OwnPath))
      return false;
  }
  Waiting = RecordingFile.header();
  add(RecordType::Mode, ByteWriter().number(Mode == RecordingMode::Time));
  send();
  return true;
}

void RecordingWriter::add(RecordType Type, const ByteWriter &Fields) {
  addRecord(Waiting, static_cast<unsigned char>(Type), Fields);
}

void RecordingWriter::write(RecordType Type, const ByteWriter &Fields) {
  const std::lock_guard Lock(Mutex);
  add(Type, Fields);
  send();
}

void RecordingWriter::send() {
  File.append(Waiting);
  Waiting.clear();
}

unsigned RecordingWriter::text(const std::string &Text) {
  const auto [At, IsNew] =
      Texts.try_emplace(Text, static_cast<unsigned>(Texts.size()));
  if (IsNew)
    add(RecordType::Text, ByteWriter().text(Text));
  return At->second;
}

// Programs launch the same few things over and over; what a launch is beside
// its digests stands in the file once.
unsigned RecordingWriter::shape(const Launch &Of) {
  ByteWriter Fields;
  Fields.fields(text(Of.Kernel), Of);
  const auto [At, IsNew] =
      Shapes.try_emplace(Fields.Out, static_cast<unsigned>(Shapes.size()));
  if (IsNew)
    add(RecordType::Shape, Fields);
  return At->second;
}

void RecordingWriter::device(const std::string &Name,
                             const std::string &Capability) {
  write(RecordType::Device, ByteWriter().text(Name).text(Capability));
}

void RecordingWriter::allocation(const Allocation &A) {
  const std::lock_guard Lock(Mutex);
  ByteWriter Fields;
  Fields.fields(text(A.IsVariable ? A.Name : A.Kind), A.Bytes, A.ChunkBytes,
                A.Device);
  add(A.IsVariable ? RecordType::Variable : RecordType::Allocation, Fields);
  send();
}

void RecordingWriter::free(unsigned Id) {
  write(RecordType::Free, ByteWriter().number(Id));
}

void RecordingWriter::launch(const Launch &Event) {
  const std::lock_guard Lock(Mutex);
  ByteWriter Fields;
  Fields.number(shape(Event));
  const bool Failed = !Event.Error.empty();
  const unsigned Bits =
      (Event.Digested ? LaunchDigested : 0) | (Failed ? LaunchFailed : 0);
  // Most launches of a large program have neither.
  if (Bits)
    Fields.number(Bits);
  if (Failed)
    Fields.number(text(Event.Error));
  if (Event.Digested)
    addChanges(Fields, Event.Changes);
  add(RecordType::Launch, Fields);
  send();
}

void RecordingWriter::late(bool AtEnd,
                           const std::vector<DigestChange> &Changes) {
  ByteWriter Fields;
  Fields.number(AtEnd);
  addChanges(Fields, Changes);
  write(RecordType::Late, Fields);
}

void RecordingWriter::execution(const Launch &Event, uint64_t Order,
                                uint64_t Start, uint64_t End) {
  const std::lock_guard Lock(Mutex);
  ByteWriter Fields;
  Fields.number(shape(Event)).number(Order).number(Start).number(End - Start);
  add(RecordType::Execution, Fields);
  send();
}

void RecordingWriter::addCount(RecordType Type, const std::string &Text,
                               uint64_t Count) {
  const unsigned Number = text(Text);
  add(Type, ByteWriter().number(Number).number(Count));
}

void RecordingWriter::count(RecordType Type, const std::string &Text) {
  const std::lock_guard Lock(Mutex);
  const uint64_t Count = ++Counts[{Type, Text}];
  if ((Count & (Count - 1)) != 0)
    return;
  addCount(Type, Text, Count);
  send();
}

void RecordingWriter::failure(const std::string &Message) {
  write(RecordType::Failure, ByteWriter().text(Message));
}

void RecordingWriter::end() {
  const std::lock_guard Lock(Mutex);
  for (const auto &[Of, Count] : Counts)
    addCount(Of.first, Of.second, Count);
  add(RecordType::End, ByteWriter());
  send();
  File.finish();
}
