//===-- Recording.cpp - file to recording ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per type of record. What a record's checksum vouches for is
// still checked: no number is used as an index before it was compared, and
// what cannot have happened is an error.
//
//===----------------------------------------------------------------------===//

#include "recording/Recording.h"
#include "recording/RecordingWriter.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <iterator>
#include <memory>
#include <unistd.h>

using namespace bankstripe::runtime;

static uint64_t chunkCount(const Allocation &A) {
  return A.Bytes / A.ChunkBytes + (A.Bytes % A.ChunkBytes != 0);
}

namespace {

// Reads record after record into a recording. The steps return whether they
// succeeded; one that failed may leave a reason.
class RecordingRecords {
public:
  /// \returns what is wrong with the record; empty when nothing is.
  std::string add(std::string_view Record) {
    if (addFields(Record))
      return "";
    return Problem.empty() ? "the fields are not those of its type" : Problem;
  }

  /// Executions are put into the order of their launches.
  Recording finish() {
    std::ranges::sort(Executions, {}, [](const Execution &E) {
      return std::pair(E.Order, E.Start);
    });
    for (Execution &E : Executions) {
      E.What.Index = launches();
      Result.Launches.push_back(std::move(E.What));
    }
    return std::move(Result);
  }

private:
  struct Execution {
    uint64_t Order = 0, Start = 0;
    Launch What;
  };

  bool addFields(std::string_view Record) {
    ByteReader From(Record.substr(1));
    switch (static_cast<RecordType>(Record.front())) {
    case RecordType::Text:
      Texts.emplace_back(From.text());
      return From.finished();
    case RecordType::Shape:
      return addShape(From);
    case RecordType::Device:
      return addDevice(From);
    case RecordType::Allocation:
      return addAllocation(From, false);
    case RecordType::Variable:
      return addAllocation(From, true);
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
      Result.Failure = From.text();
      return From.finished();
    case RecordType::End:
      Result.Complete = true;
      return From.finished();
    case RecordType::Mode:
      return addMode(From);
    }
    return false;
  }

  bool addShape(ByteReader &From) {
    Launch L;
    if (!text(From, L.Kernel))
      return false;
    L.Kernel = canonicalName(L.Kernel);
    From.fields(L);
    Shapes.push_back(std::move(L));
    return From.finished();
  }

  bool addDevice(ByteReader &From) {
    std::string Name, Capability;
    if (!From.fields(Name, Capability) || !From.finished())
      return false;
    if (Result.Device.empty()) {
      Result.Device = std::move(Name);
      Result.Capability = std::move(Capability);
    }
    return true;
  }

  bool addAllocation(ByteReader &From, bool IsVariable) {
    std::vector<Allocation> &Into =
        IsVariable ? Result.Variables : Result.Allocations;
    Allocation A;
    A.IsVariable = IsVariable;
    A.Id = static_cast<unsigned>(Into.size());
    A.MadeBefore = launches();
    A.Kind = "variable";
    if (!text(From, IsVariable ? A.Name : A.Kind))
      return false;
    A.Name = canonicalName(A.Name);
    From.fields(A.Bytes, A.ChunkBytes, A.Device);
    if (!From.finished())
      return false;
    if (A.ChunkBytes == 0)
      return fail("the chunks of an allocation have no bytes");
    if (chunkCount(A) > MaximumChunks)
      return fail("an allocation has too many chunks");
    Into.push_back(std::move(A));
    return true;
  }

  bool addFree(ByteReader &From) {
    const auto Id = From.number<unsigned>();
    if (!From.finished())
      return false;
    if (Id >= Result.Allocations.size() || Result.Allocations[Id].FreedBefore)
      return fail("allocation " + std::to_string(Id) +
                  " is freed without being live");
    Result.Allocations[Id].FreedBefore = launches();
    return true;
  }

  bool addLaunch(ByteReader &From) {
    Launch L;
    if (!shape(From, L))
      return false;
    L.Index = launches();
    const unsigned Bits = From.left() > 0 ? From.number<unsigned>() : 0;
    L.Digested = Bits & LaunchDigested;
    if ((Bits & LaunchFailed) && !text(From, L.Error))
      return false;
    if (L.Digested && !changes(From, L.Changes))
      return false;
    if (!From.finished())
      return false;
    Result.Launches.push_back(std::move(L));
    return true;
  }

  bool addLate(ByteReader &From) {
    std::vector<DigestChange> Changes;
    const bool AtEnd = From.number<unsigned>() != 0;
    if (!changes(From, Changes) || Result.Launches.empty())
      return false;
    Launch &L = Result.Launches.back();
    (AtEnd ? L.DigestedAtEnd : L.DigestedBeforeFree) = true;
    std::ranges::move(Changes, std::back_inserter(L.Changes));
    return true;
  }

  bool addExecution(ByteReader &From) {
    Launch L;
    if (!shape(From, L))
      return false;
    const auto Order = From.number<uint64_t>();
    const auto Start = From.number<uint64_t>();
    L.Nanoseconds = static_cast<double>(From.number<uint64_t>());
    Executions.push_back({Order, Start, std::move(L)});
    return From.finished();
  }

  // The largest count holds.
  bool addCount(ByteReader &From, std::map<std::string, uint64_t> &In) {
    std::string Text;
    if (!text(From, Text))
      return false;
    uint64_t &Held = In[Text];
    Held = std::max(Held, From.number<uint64_t>());
    return From.finished();
  }

  bool addMode(ByteReader &From) {
    const auto Mode = From.number<unsigned>();
    Result.Mode = Mode ? RecordingMode::Time : RecordingMode::Digest;
    return From.finished() && Mode < 2;
  }

  bool text(ByteReader &From, std::string &Text) const {
    const auto Number = From.number<uint64_t>();
    if (From.failed() || Number >= Texts.size())
      return false;
    Text = Texts[Number];
    return true;
  }

  bool shape(ByteReader &From, Launch &Like) const {
    const auto Number = From.number<uint64_t>();
    if (From.failed() || Number >= Shapes.size())
      return false;
    Like = Shapes[Number];
    return true;
  }

  bool changes(ByteReader &From, std::vector<DigestChange> &Changes) {
    const auto Count = From.number<uint64_t>();
    for (uint64_t I = 0; I < Count; ++I) {
      const auto Whose = From.number<uint64_t>();
      if (From.failed() || Whose >> 1 > std::numeric_limits<unsigned>::max())
        return false;
      DigestChange Change;
      Change.IsVariable = Whose & 1;
      Change.Allocation = static_cast<unsigned>(Whose >> 1);
      if (!runs(From, Change) || !fits(Change))
        return false;
      Changes.push_back(std::move(Change));
    }
    return From.finished();
  }

  static bool runs(ByteReader &From, DigestChange &Change) {
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

  bool fits(const DigestChange &Change) {
    const auto &Known =
        Change.IsVariable ? Result.Variables : Result.Allocations;
    if (Change.Allocation >= Known.size())
      return fail("digests of an allocation that was not made");
    const uint64_t Chunks = chunkCount(Known[Change.Allocation]);
    return std::ranges::all_of(Change.Runs,
                               [Chunks](const ChunkRun &Run) {
                                 return Run.First <= Chunks &&
                                        Run.Digests.size() <=
                                            Chunks - Run.First;
                               }) ||
           fail("a run of digests does not fit its allocation");
  }

  unsigned launches() const {
    return static_cast<unsigned>(Result.Launches.size());
  }
  bool fail(std::string Reason) {
    Problem = std::move(Reason);
    return false;
  }

  Recording Result;
  std::vector<std::string> Texts;
  std::vector<Launch> Shapes;
  std::vector<Execution> Executions;
  std::string Problem;
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

// nvcc makes the symbols of internal linkage unique by a hash of the
// translation unit, so they change whenever the source does:
//
//     _ZN36_GLOBAL__N__5b2313b8_4_a_cu__Z3usePi4anonEPi
//     __nv_static_25__5b2313b8_4_a_cu__Z3usePi__Z2k3Pi      (-rdc=true)
//     _ZN34_INTERNAL_5b2313b8_4_a_cu__Z3usePi...6hiddenE
//
// The demangler already prints the first as `(anonymous namespace)`; the other
// two are taken off here.

// `__nv_static_N_`, N characters and `_` stand before the symbol itself.
static std::string withoutStaticPrefix(const std::string &Symbol) {
  const std::string Prefix = "__nv_static_";
  if (!Symbol.starts_with(Prefix))
    return Symbol;
  size_t At = Prefix.size();
  size_t Length = 0;
  while (At < Symbol.size() && At < Prefix.size() + 6 &&
         std::isdigit(static_cast<unsigned char>(Symbol[At])))
    Length = 10 * Length + static_cast<size_t>(Symbol[At++] - '0');
  const size_t Rest = At + 1 + Length + 1;
  return At > Prefix.size() && Rest < Symbol.size() ? Symbol.substr(Rest)
                                                    : Symbol;
}

static std::string withoutInternalNamespace(std::string Name) {
  const std::string Marker = "_INTERNAL_";
  for (size_t At = Name.find(Marker); At != std::string::npos;
       At = Name.find(Marker, At)) {
    size_t End = Name.find("::", At);
    if (End == std::string::npos)
      break;
    Name.erase(At, End + 2 - At);
  }
  return Name;
}

std::string bankstripe::runtime::canonicalName(const std::string &Symbol) {
  std::string Plain = withoutStaticPrefix(Symbol);
  int Status = 0;
  std::unique_ptr<char, void (*)(void *)> Demangled(
      abi::__cxa_demangle(Plain.c_str(), nullptr, nullptr, &Status), std::free);
  if (Status != 0 || !Demangled || !Plain.starts_with("_Z"))
    return Plain;
  return withoutInternalNamespace(Demangled.get());
}
