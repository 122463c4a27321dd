//===-- recorder_stand_in.cpp - recordings without a GPU ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the request of a run and writes a recording as it asks, of launches
// that are made up. Programs of the tests are shell scripts that call it.
//
//   settings      prints shell assignments: mode, record, bytes
//                 (LAUNCH:ALLOCATION:BEGIN:END), survey (the folder) and
//                 discards
//   record        records what standard input lists:
//                   memory BYTES
//                   launch KERNEL NANOSECONDS [ALLOCATION:CHUNK:DIGEST...]
//                   grid BLOCKS                   of the launches that follow
//                   blind KERNEL NANOSECONDS      without digests
//                   note TEXT, failure TEXT, noend
//   capture FILE  writes a capture of a launch without memory
//   long KEY=VALUE...
//                 200 launches (launches=N). Each writes its number, and 4096
//                 more from the launch wrong=N up to the one before mended=N,
//                 into allocation 0. The launch 50 writes vary=N into
//                 allocation 1 and beside=N into allocation 2. With blind=1,
//                 only the first and the last one are ever digested. What is
//                 left at the end is digested in any case.
//
// The environment's SUFFIX stands behind the names of the files, as it does for
// a further process.
//
//===----------------------------------------------------------------------===//

#include "recording/Capture.h"
#include "recording/Request.h"
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace bankstripe::runtime;

namespace {

class StandIn {
public:
  explicit StandIn(RecordRequest Request)
      : Request(std::move(Request)), Select(this->Request.Digests) {
    Writer.open(this->Request.Recording);
  }
  ~StandIn() {
    if (!HasNoEnd)
      Writer.end();
  }

  bool hasDigests() const { return Request.Mode != RecordingMode::Time; }
  void memory(uint64_t Bytes) {
    Allocation A;
    A.Kind = "device";
    A.Bytes = Bytes;
    A.ChunkBytes = chunkBytesFor(Bytes);
    if (hasDigests())
      Writer.allocation(A);
  }
  // Whether the next launch, of this kernel, is to be digested.
  bool wants(const std::string &Kernel) {
    const std::string Reason(Select.launch(Launches, Select.kernel(Kernel)));
    if (!Reason.empty())
      Writer.skipped(Reason);
    return Reason.empty();
  }
  void launch(Launch L, unsigned Nanoseconds) {
    L.Index = Launches++;
    L.Grid = {Blocks, 1, 1};
    L.Block = {32, 1, 1};
    L.Takes.Registers = 8;
    if (hasDigests())
      Writer.launch(L);
    if (Request.Mode != RecordingMode::Digest)
      Writer.execution(L, Launches, 1000, 1000 + Nanoseconds);
    Writer.flush();
  }
  unsigned launches() const { return Launches; }

  RecordingWriter Writer;
  bool HasNoEnd = false;
  unsigned Blocks = 1; ///< Of a grid.

private:
  RecordRequest Request;
  Selection Select;
  unsigned Launches = 0;
};

} // namespace

static void printSettings(const RecordRequest &R) {
  constexpr const char *Names[] = {"digest", "time", "survey"};
  std::cout << "mode=" << Names[static_cast<int>(R.Mode)]
            << "\nrecord=" << R.Recording << "\nbytes=";
  if (R.Bytes)
    std::cout << R.Bytes->Launch << ':' << R.Bytes->Allocation << ':'
              << R.Bytes->Begin << ':' << R.Bytes->End;
  std::cout << "\nsurvey=" << R.Survey.Folder
            << "\ndiscards=" << R.Survey.Discards << '\n';
}

static void addChange(Launch &L, std::string Text) {
  for (char &C : Text)
    C = C == ':' ? ' ' : C;
  std::istringstream Fields(Text);
  DigestChange Change;
  ChunkRange Run;
  std::string Digest;
  Fields >> Change.Allocation >> Run.First >> Digest;
  Run.Digests = {std::strtoull(Digest.c_str(), nullptr, 16)};
  Change.Ranges = {Run};
  L.Changes.push_back(Change);
}

static void record(StandIn &To) {
  for (std::string Line; std::getline(std::cin, Line);) {
    std::istringstream Words(Line);
    std::string What, Text;
    Words >> What >> std::ws;
    if (What == "memory") {
      uint64_t Bytes = 0;
      Words >> Bytes;
      To.memory(Bytes);
    } else if (What == "grid") {
      Words >> To.Blocks;
    } else if (What == "launch" || What == "blind") {
      Launch L;
      unsigned Nanoseconds = 0;
      Words >> Text >> Nanoseconds;
      L.Kernel = Text;
      L.Digested = To.wants(L.Kernel) && What == "launch";
      while (L.Digested && Words >> Text)
        addChange(L, Text);
      To.launch(L, Nanoseconds);
    } else if (What == "noend") {
      To.HasNoEnd = true;
    } else if (!What.empty()) {
      std::getline(Words, Text);
      What == "note" ? To.Writer.note(Text) : To.Writer.failure(Text);
    }
  }
}

static void recordLong(StandIn &To, std::map<std::string, uint64_t> Given) {
  for (int I = 0; I < 3; ++I)
    To.memory(256);
  const auto Count = static_cast<unsigned>(Given["launches"]);
  bool IsFirst = true, IsShown = false, IsSeen = true;
  for (unsigned I = 0; I < Count; ++I) {
    Launch L;
    L.Kernel = "_Z4stepPi";
    L.Digested =
        To.wants(L.Kernel) && (!Given["blind"] || I == 0 || I + 1 == Count);
    IsSeen = L.Digested;
    if (L.Digested) {
      const auto Holds = [&L](unsigned Id, uint64_t Value) {
        L.Changes.push_back({Id, false, {{0, {Value}}}});
      };
      const bool IsWrong = I >= Given["wrong"] && I < Given["mended"];
      Holds(0, I + (IsWrong ? 4096 : 0));
      if (IsFirst || (I >= 50 && !IsShown)) {
        Holds(1, I >= 50 ? Given["vary"] : 0);
        Holds(2, I >= 50 ? Given["beside"] : 0);
      }
      IsShown |= I >= 50;
      IsFirst = false;
    }
    To.launch(L, 100);
  }
  const unsigned Last = Count - 1;
  const bool IsWrong = Last >= Given["wrong"] && Last < Given["mended"];
  if (!IsSeen && To.hasDigests())
    To.Writer.late(/*AtEnd=*/true,
                   {{0, false, {{0, {Last + (IsWrong ? 4096U : 0U)}}}}});
}

int main(int Count, char **Arguments) {
  const char *Path = std::getenv(RequestVariable);
  std::ostringstream Text;
  Text << std::ifstream(Path ? Path : "").rdbuf();
  RecordRequest Request;
  if (const std::string Problem = parseRequest(Text.str(), Request);
      !Problem.empty()) {
    std::cerr << Problem << '\n';
    return 1;
  }
  if (const char *Suffix = std::getenv("SUFFIX"))
    Request.Recording += Suffix;
  const std::string What = Count > 1 ? Arguments[1] : "";
  if (What == "settings") {
    printSettings(Request);
    return 0;
  }
  if (What == "capture") {
    CaptureWriter To(Arguments[2]);
    To.program({});
    To.kernel({});
    return To.end() ? 0 : 1;
  }
  StandIn To(Request);
  if (What == "record") {
    record(To);
    return 0;
  }
  std::map<std::string, uint64_t> Given{
      {"wrong", 1000}, {"mended", 1000}, {"launches", 200}};
  for (int I = 2; I < Count; ++I) {
    const std::string Word = Arguments[I];
    const size_t Sign = Word.find('=');
    Given[Word.substr(0, Sign)] = std::stoull(Word.substr(Sign + 1));
  }
  recordLong(To, std::move(Given));
  return 0;
}
