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
#include <fcntl.h>
#include <unistd.h>

using namespace bankstripe::runtime;

static int create(const std::string &Path) {
  return ::open(Path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
}

bool RecordingWriter::open(const std::string &Path) {
  const std::lock_guard Lock(Mutex);
  OwnPath = Path;
  File = create(OwnPath);
  if (File < 0 && errno == EEXIST) {
    OwnPath += '.' + std::to_string(::getpid());
    File = create(OwnPath);
  }
  Waiting = RecordingFile.header();
  send();
  return File >= 0;
}

RecordingWriter::~RecordingWriter() {
  if (File >= 0)
    ::close(File);
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
  std::string_view Rest = Waiting;
  while (File >= 0 && !Rest.empty()) {
    const ssize_t Written = ::write(File, Rest.data(), Rest.size());
    if (Written < 0 && errno == EINTR)
      continue;
    // A full disk: what follows would not be readable any more.
    if (Written <= 0) {
      ::close(File);
      File = -1;
      break;
    }
    Rest.remove_prefix(static_cast<size_t>(Written));
  }
  Waiting.clear();
}

// Programs launch the same few things over and over; what a launch is beside
// its digests stands in the file once.
unsigned RecordingWriter::shape(const Launch &Of) {
  ByteWriter Fields;
  Fields.fields(Of);
  const auto [At, IsNew] =
      Shapes.try_emplace(Fields.Out, static_cast<unsigned>(Shapes.size()));
  if (IsNew)
    add(RecordType::Shape, Fields);
  return At->second;
}

void RecordingWriter::device(const std::string &Name,
                             const std::string &Capability) {
  write(RecordType::Device, ByteWriter().fields(Name, Capability));
}

void RecordingWriter::allocation(const Allocation &A) {
  write(RecordType::Allocation, ByteWriter().fields(A));
}

void RecordingWriter::free(unsigned Id) {
  write(RecordType::Free, ByteWriter().number(Id));
}

void RecordingWriter::launch(const Launch &Event) {
  const std::lock_guard Lock(Mutex);
  ByteWriter Fields;
  Fields.number(shape(Event));
  // Most launches of a large program are neither.
  if (Event.Digested || !Event.Error.empty())
    Fields.fields(Event.Digested, Event.Error, Event.Changes);
  add(RecordType::Launch, Fields);
  send();
}

void RecordingWriter::late(bool AtEnd,
                           const std::vector<DigestChange> &Changes) {
  write(RecordType::Late, ByteWriter().fields(AtEnd, Changes));
}

void RecordingWriter::execution(const Launch &Event, uint64_t Order,
                                uint64_t Start, uint64_t End) {
  const std::lock_guard Lock(Mutex);
  ByteWriter Fields;
  Fields.fields(shape(Event), Order, Start, End - Start);
  add(RecordType::Execution, Fields);
  send();
}

void RecordingWriter::count(RecordType Type, const std::string &Text) {
  const std::lock_guard Lock(Mutex);
  const uint64_t Count = ++Counts[{Type, Text}];
  if ((Count & (Count - 1)) != 0)
    return;
  add(Type, ByteWriter().fields(Text, Count));
  send();
}

void RecordingWriter::failure(const std::string &Message) {
  write(RecordType::Failure, ByteWriter().text(Message));
}

void RecordingWriter::end() {
  const std::lock_guard Lock(Mutex);
  for (const auto &[Of, Count] : Counts)
    add(Of.first, ByteWriter().fields(Of.second, Count));
  add(RecordType::End, ByteWriter());
  send();
}
