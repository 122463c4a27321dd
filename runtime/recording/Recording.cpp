//===-- Recording.cpp - file to recording and back ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No number is used as an index before it was compared, whatever the checksum
// says.
//
//===----------------------------------------------------------------------===//

#include "recording/Recording.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>

using namespace bankstripe;
using namespace bankstripe::runtime;

static uint64_t chunkCount(const Allocation &A) {
  return A.Bytes / A.ChunkBytes + (A.Bytes % A.ChunkBytes != 0);
}

namespace {

// Reads record after record into a recording.
class RecordingRecords {
public:
  /// \returns what is wrong with the record; empty when nothing is.
  std::string add(std::string_view Record) {
    ByteReader From(Record.substr(1));
    return addFields(static_cast<RecordType>(Record.front()), From) &&
                   From.finished()
               ? ""
               : "the fields are not those of its type";
  }

  /// Executions are put into the order of their launches.
  Recording finish() {
    std::ranges::sort(Executions, {}, [](const Execution &E) {
      return std::pair(E.Order, E.Start);
    });
    for (const Execution &E : Executions) {
      Launch &L = Result.Executions.emplace_back(Shapes[E.Shape]);
      L.Index = static_cast<unsigned>(Result.Executions.size() - 1);
      L.Nanoseconds = static_cast<double>(E.Nanoseconds);
    }
    return std::move(Result);
  }

private:
  struct Execution {
    uint64_t Shape = 0; ///< Its number.
    uint64_t Order = 0, Start = 0, Nanoseconds = 0;
  };

  // The steps return whether the fields can be right.

  bool addFields(RecordType Type, ByteReader &From) {
    switch (Type) {
    case RecordType::Shape:
      From.fields(Shapes.emplace_back());
      Shapes.back().Kernel = kernelName(Shapes.back().Kernel);
      return true;
    case RecordType::Device:
      return addDevice(From);
    case RecordType::Allocation:
      return addAllocation(From);
    case RecordType::Free:
      return addFree(From);
    case RecordType::Launch:
      return addLaunch(From);
    case RecordType::Late:
      return addLate(From);
    case RecordType::Execution:
      return addExecution(From);
    case RecordType::Note:
      return addCount(From, Result.Notes);
    case RecordType::Skipped:
      return addCount(From, Result.Skipped);
    case RecordType::Failure:
      return From.fields(Result.Failure);
    case RecordType::End:
      Result.Complete = true;
      return true;
    }
    return false;
  }

  // The first one that was used.
  bool addDevice(ByteReader &From) {
    std::string Name, Capability;
    From.fields(Name, Capability);
    if (Result.Device.empty()) {
      Result.Device = std::move(Name);
      Result.Capability = std::move(Capability);
    }
    return true;
  }

  bool addAllocation(ByteReader &From) {
    Allocation A;
    if (!From.fields(A) || A.ChunkBytes == 0 || chunkCount(A) > MaximumChunks)
      return false;
    std::vector<Allocation> &Into =
        A.IsVariable ? Result.Variables : Result.Allocations;
    A.Id = static_cast<unsigned>(Into.size());
    A.MadeBefore = launches();
    A.Name = canonicalName(A.Name);
    Into.push_back(std::move(A));
    return true;
  }

  bool addFree(ByteReader &From) {
    const auto Id = From.number<unsigned>();
    if (From.failed() || Id >= Result.Allocations.size())
      return false;
    Result.Allocations[Id].FreedBefore = launches();
    return true;
  }

  bool addLaunch(ByteReader &From) {
    const auto Shape = From.number<uint64_t>();
    if (!isShape(Shape, From))
      return false;
    Launch L = Shapes[Shape];
    L.Index = launches();
    if (From.left() > 0)
      From.fields(L.Digested, L.Error, L.Changes);
    if (!fit(L.Changes))
      return false;
    Result.Launches.push_back(std::move(L));
    return true;
  }

  bool addLate(ByteReader &From) {
    std::vector<DigestChange> Changes;
    bool AtEnd = false;
    if (!From.fields(AtEnd, Changes) || !fit(Changes) ||
        Result.Launches.empty())
      return false;
    Launch &L = Result.Launches.back();
    (AtEnd ? L.DigestedAtEnd : L.DigestedBeforeFree) = true;
    std::ranges::move(Changes, std::back_inserter(L.Changes));
    return true;
  }

  bool addExecution(ByteReader &From) {
    Execution E;
    if (!From.fields(E.Shape, E.Order, E.Start, E.Nanoseconds) ||
        !isShape(E.Shape, From))
      return false;
    Executions.push_back(E);
    return true;
  }

  // The largest count holds.
  static bool addCount(ByteReader &From, std::map<std::string, uint64_t> &In) {
    std::string Text;
    uint64_t Count = 0;
    if (!From.fields(Text, Count))
      return false;
    In[Text] = std::max(In[Text], Count);
    return true;
  }

  bool isShape(uint64_t Number, const ByteReader &From) const {
    return !From.failed() && Number < Shapes.size();
  }

  // Whether these chunks are there.
  bool fit(const std::vector<DigestChange> &Changes) const {
    return std::ranges::all_of(Changes, [this](const DigestChange &Change) {
      const auto &Known =
          Change.IsVariable ? Result.Variables : Result.Allocations;
      if (Change.Allocation >= Known.size())
        return false;
      const uint64_t Chunks = chunkCount(Known[Change.Allocation]);
      return std::ranges::all_of(Change.Ranges, [Chunks](
                                                    const ChunkRange &Run) {
        return Run.First <= Chunks && Run.Digests.size() <= Chunks - Run.First;
      });
    });
  }

  unsigned launches() const {
    return static_cast<unsigned>(Result.Launches.size());
  }

  Recording Result;
  std::vector<Launch> Shapes;
  std::vector<Execution> Executions;
};

} // namespace

std::variant<Recording, ReadError>
bankstripe::runtime::readRecording(const std::string &Path) {
  const MappedFile File = mapFile(Path);
  if (!File.Storage && ::access(Path.c_str(), F_OK) != 0)
    return ReadError{
        "no recording was written; the program makes no CUDA call, or "
        "the recorder could not be loaded into it"};
  if (!File.Storage)
    return ReadError{File.Problem};
  RecordingRecords All;
  std::string Problem =
      readRecords(File.Bytes, RecordingFile, /*MayBeCutOff=*/true,
                  [&All](std::string_view Record) { return All.add(Record); });
  if (!Problem.empty())
    return ReadError{std::move(Problem)};
  return All.finish();
}

// The recorder is loaded into foreign processes and brings no library along
// that it can do without.

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
// its digests is in the file once.
unsigned RecordingWriter::shape(const Launch &Of) {
  ByteWriter Fields;
  Fields.fields(Of);
  const auto [At, IsNew] =
      Shapes.try_emplace(Fields.Out, static_cast<unsigned>(Shapes.size()));
  if (IsNew)
    add(RecordType::Shape, Fields);
  return At->second;
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

void RecordingWriter::execution(const Launch &Event, uint64_t Order,
                                uint64_t Start, uint64_t End) {
  const std::lock_guard Lock(Mutex);
  ByteWriter Fields;
  Fields.fields(shape(Event), Order, Start, End - Start);
  add(RecordType::Execution, Fields);
}

void RecordingWriter::flush() {
  const std::lock_guard Lock(Mutex);
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

void RecordingWriter::end() {
  const std::lock_guard Lock(Mutex);
  for (const auto &[Of, Count] : Counts)
    add(Of.first, ByteWriter().fields(Of.second, Count));
  add(RecordType::End, ByteWriter());
  send();
}
