//===-- RecordingWriter.cpp - recording to file ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lines are put together by hand: the recorder is loaded into foreign
// processes and brings no library along that it can do without.
//
//===----------------------------------------------------------------------===//

#include "recording/RecordingWriter.h"
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

using namespace bankstripe::runtime;

namespace {

// One JSON object, field by field.
class Line {
public:
  explicit Line(std::string_view Type) { text("type", Type); }
  Line(std::string_view Key, uint64_t Value) { number(Key, Value); }

  Line &text(std::string_view Key, std::string_view Value) {
    key(Key);
    quote(Value);
    return *this;
  }
  Line &number(std::string_view Key, uint64_t Value) {
    key(Key);
    Out += std::to_string(Value);
    return *this;
  }
  Line &extent(std::string_view Key, const Extent &E) {
    key(Key);
    Out += '[' + std::to_string(E.X) + ',' + std::to_string(E.Y) + ',' +
           std::to_string(E.Z) + ']';
    return *this;
  }
  Line &raw(std::string_view Key, std::string_view Value) {
    key(Key);
    Out += Value;
    return *this;
  }
  std::string take() { return std::move(Out) + '}'; }

private:
  void key(std::string_view Key) {
    Out += Out.empty() ? '{' : ',';
    quote(Key);
    Out += ':';
  }

  void quote(std::string_view Text) {
    Out += '"';
    for (const char C : Text) {
      const unsigned char Byte = static_cast<unsigned char>(C);
      if (C == '"' || C == '\\') {
        Out += '\\';
        Out += C;
      } else if (Byte < 0x20 || Byte >= 0x7f) {
        // Symbols are ASCII; whatever else turns up must not break the line.
        char Escaped[8];
        std::snprintf(Escaped, sizeof Escaped, "\\u%04x", Byte);
        Out += Escaped;
      } else {
        Out += C;
      }
    }
    Out += '"';
  }

  std::string Out;
};

} // namespace

static std::string hexDigests(const std::vector<uint64_t> &Digests) {
  static const char Digits[] = "0123456789abcdef";
  std::string Text;
  Text.reserve(16 * Digests.size());
  for (const uint64_t Digest : Digests)
    for (int Shift = 60; Shift >= 0; Shift -= 4)
      Text += Digits[(Digest >> Shift) & 15];
  return Text;
}

// [[allocation, [first, "digests"], ...], ...]
static std::string changesText(const std::vector<DigestChange> &Changes,
                               bool Variables) {
  std::string Text = "[";
  for (const DigestChange &Change : Changes) {
    if (Change.IsVariable != Variables)
      continue;
    Text += Text.size() > 1 ? ",[" : "[";
    Text += std::to_string(Change.Allocation);
    for (const ChunkRun &Run : Change.Runs)
      Text += ",[" + std::to_string(Run.First) + ",\"" +
              hexDigests(Run.Digests) + "\"]";
    Text += ']';
  }
  return Text + ']';
}

static void addChanges(Line &L, const std::vector<DigestChange> &Changes) {
  L.raw("changes", changesText(Changes, false));
  L.raw("variables", changesText(Changes, true));
}

static void describeLaunch(Line &L, const Launch &Event) {
  L.text("kernel", Event.Kernel)
      .extent("grid", Event.Grid)
      .extent("block", Event.Block)
      .number("registers", Event.Takes.Registers)
      .number("static-shared", Event.Takes.StaticSharedBytes)
      .number("dynamic-shared", Event.DynamicSharedBytes)
      .number("local", Event.Takes.LocalBytes)
      .number("stream", Event.Stream);
}

RecordingWriter::~RecordingWriter() {
  if (File >= 0)
    ::close(File);
}

bool RecordingWriter::open(const std::string &Path, RecordingMode Mode) {
  const int Flags = O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC;
  File = ::open(Path.c_str(), Flags, 0644);
  if (File < 0 && errno == EEXIST)
    File =
        ::open((Path + '.' + std::to_string(::getpid())).c_str(), Flags, 0644);
  if (File < 0)
    return false;
  line(Line("bankstripe-recording", RecordingVersion)
           .text("mode", Mode == RecordingMode::Digest ? "digest" : "time")
           .take());
  return true;
}

void RecordingWriter::line(std::string Text) {
  Text += '\n';
  const std::lock_guard Lock(Mutex);
  const char *At = Text.data();
  size_t Left = Text.size();
  while (File >= 0 && Left > 0) {
    const ssize_t Written = ::write(File, At, Left);
    if (Written < 0 && errno == EINTR)
      continue;
    if (Written <= 0) {
      // A full disk: what follows would not be readable any more.
      ::close(File);
      File = -1;
      return;
    }
    At += Written;
    Left -= static_cast<size_t>(Written);
  }
}

void RecordingWriter::device(const std::string &Name,
                             const std::string &Capability) {
  line(Line("device").text("name", Name).text("capability", Capability).take());
}

void RecordingWriter::allocation(const Allocation &A) {
  Line L(A.IsVariable ? "variable" : "allocation");
  L.number("id", A.Id).text("kind", A.Kind);
  if (!A.Name.empty())
    L.text("name", A.Name);
  line(L.number("bytes", A.Bytes).number("chunk", A.ChunkBytes).take());
}

void RecordingWriter::free(unsigned Id) {
  line(Line("free").number("id", Id).take());
}

void RecordingWriter::launch(const Launch &Event) {
  Line L("launch");
  L.number("index", Event.Index);
  describeLaunch(L, Event);
  L.number("thread", Event.Thread);
  if (!Event.Error.empty())
    L.text("error", Event.Error);
  if (Event.Digested)
    addChanges(L, Event.Changes);
  line(L.take());
}

void RecordingWriter::late(unsigned Launch, bool AtEnd,
                           const std::vector<DigestChange> &Changes) {
  Line L("late");
  L.number("launch", Launch).text("at", AtEnd ? "end" : "free");
  addChanges(L, Changes);
  line(L.take());
}

void RecordingWriter::execution(const Launch &Event, uint64_t Order,
                                uint64_t Start, uint64_t End) {
  Line L("execution");
  L.number("order", Order);
  describeLaunch(L, Event);
  line(L.number("start", Start).number("end", End).take());
}

void RecordingWriter::count(Counters &In, const std::string &Text) {
  uint64_t Count = 0;
  {
    const std::lock_guard Lock(Mutex);
    Count = ++In.Counts[Text];
  }
  if ((Count & (Count - 1)) == 0)
    line(Line(In.Type).text(In.Key, Text).number("count", Count).take());
}

void RecordingWriter::counts(const Counters &Of) {
  std::map<std::string, uint64_t> Last;
  {
    const std::lock_guard Lock(Mutex);
    Last = Of.Counts;
  }
  for (const auto &[Text, Count] : Last)
    line(Line(Of.Type).text(Of.Key, Text).number("count", Count).take());
}

void RecordingWriter::failure(const std::string &Message) {
  line(Line("failure").text("message", Message).take());
}

void RecordingWriter::end() {
  counts(Notes);
  counts(Skipped);
  line(Line("end").take());
}
