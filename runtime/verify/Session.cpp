//===-- Session.cpp - runs both programs and gathers the result -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A difference in digests names a range of at most 1/256 of an allocation. To
// name the byte, both programs run once more and hand over the bytes of the
// range after that launch.
//
//===----------------------------------------------------------------------===//

#include "verify/Session.h"
#include "verify/Originals.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/file.h>
#include <unistd.h>

using namespace bankstripe::runtime;
namespace fs = std::filesystem;

// Bytes that are fetched to find the first one that differs.
constexpr uint64_t MostFetchedBytes = 64 << 20;

namespace {

// A folder that goes away with the session.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::error_code Error;
    std::string Pattern =
        (fs::temp_directory_path(Error) / "bankstripe-verify-XXXXXX").string();
    if (::mkdtemp(Pattern.data()))
      Path = Pattern;
  }
  ~TemporaryFolder() {
    std::error_code Error;
    if (!Path.empty())
      fs::remove_all(Path, Error);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  std::string Path;
};

// Shared by runs that are compared, exclusive for runs that are timed: other
// processes on the same GPU then wait.
class FileLock {
public:
  FileLock(const std::string &Path, int Operation) {
    if (Path.empty())
      return;
    File = ::open(Path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (File >= 0 && ::flock(File, Operation) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() {
    if (File >= 0)
      ::close(File);
  }
  bool isOpen() const { return File >= 0; }
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;

private:
  int File = -1;
};

class Session {
public:
  Session(const Options &O, const std::string &Recorder, const Progress &Tell)
      : O(O), Recorder(Recorder), Tell(Tell) {}
  VerifyReport run();

private:
  RecordedRun record(const std::string &Program, RecordingMode Mode,
                     const std::string &Dump = "");
  RecordedRun recordOriginal(unsigned Number);
  bool judgeOriginal(const RecordedRun &First, const RecordedRun &Second);
  bool judgeRewritten(const RecordedRun &Original, const RecordedRun &Run);
  void judgeOutput(const std::string &Original, const std::string &Control,
                   const std::string &Rewritten);
  void locate(const Difference &D);
  bool timeBoth(std::vector<Recording> &Originals,
                std::vector<Recording> &Rewrittens);
  void gatherNotes(const RecordedRun &Original, const RecordedRun &Rewritten);
  bool stop(Outcome Verdict, std::string Reason) {
    Report.Verdict = Verdict;
    Report.Reason = std::move(Reason);
    return false;
  }

  const Options &O;
  const std::string &Recorder;
  const Progress &Tell;
  TemporaryFolder Folder;
  unsigned Files = 0;
  std::string LastPath; // Of the latest recording.
  VerifyReport Report;
};

} // namespace

// What a program said last, for a message about its failure.
static std::string lastWords(const ChildResult &Child) {
  std::string Text = Child.Errors;
  while (!Text.empty() && Text.back() == '\n')
    Text.pop_back();
  if (Text.empty())
    return "";
  return "; its last line on standard error: " +
         Text.substr(Text.rfind('\n') + 1);
}

RecordedRun Session::record(const std::string &Program, RecordingMode Mode,
                            const std::string &Dump) {
  RecordedRun Run;
  LastPath = Folder.Path + "/" + std::to_string(Files++);
  ChildRequest Request;
  Request.Program = Program;
  Request.Arguments = O.Arguments;
  Request.TimeoutSeconds = O.TimeoutSeconds;
  Request.Environment = {
      {"CUDA_INJECTION64_PATH", Recorder},
      {"BANKSTRIPE_RECORD", LastPath},
      {"BANKSTRIPE_MODE", Mode == RecordingMode::Digest ? "digest" : "time"},
      {"BANKSTRIPE_DUMP", Dump}};
  {
    const bool IsTimed = Mode == RecordingMode::Time;
    const FileLock Lock(IsTimed ? std::string() : O.LockPath, LOCK_SH);
    Run.Child = runChild(Request);
  }
  readRecordingInto(Run, LastPath);
  std::error_code Error;
  const std::string Stem = fs::path(LastPath).filename().string() + ".";
  for (const auto &Entry : fs::directory_iterator(Folder.Path, Error)) {
    const std::string Name = Entry.path().filename().string();
    if (Name.starts_with(Stem) && Name != Stem + "bytes")
      Run.HasOtherProcesses = true;
  }
  if (Dump.empty() && O.Originals.empty())
    fs::remove(LastPath, Error);
  return Run;
}

// One of the two runs that the rewritten program is compared with.
RecordedRun Session::recordOriginal(unsigned Number) {
  const Originals Kept(O);
  if (std::optional<RecordedRun> Run = Kept.find(Number))
    return std::move(*Run);
  Tell(Number ? "recording the original again" : "recording the original");
  RecordedRun Run = record(O.Original, RecordingMode::Digest);
  Kept.keep(Number, Run, LastPath);
  return Run;
}

// Whether two runs of the original are something to compare with.
bool Session::judgeOriginal(const RecordedRun &First,
                            const RecordedRun &Second) {
  for (const RecordedRun *Run : {&First, &Second})
    if (!Run->Child.exited())
      return stop(Outcome::CannotRecord,
                  "the original program: " + Run->Child.describe() +
                      lastWords(Run->Child));
  for (const RecordedRun *Run : {&First, &Second})
    if (!Run->Problem.empty())
      return stop(Outcome::CannotRecord,
                  "the original program could not be recorded: " +
                      Run->Problem + lastWords(Run->Child));
  if (First.Record.Launches.empty())
    return stop(Outcome::CannotRecord,
                "the original program launches no kernel (" +
                    First.Child.describe() + lastWords(First.Child) + ")");
  Report.Device = First.Record.Device;
  Report.Capability = First.Record.Capability;
  Report.LaunchCount = static_cast<unsigned>(First.Record.Launches.size());
  Report.AllocationCount =
      static_cast<unsigned>(First.Record.Allocations.size());
  Report.VariableCount = static_cast<unsigned>(First.Record.Variables.size());
  if (First.Child.ExitStatus != Second.Child.ExitStatus)
    return stop(Outcome::CannotRecord,
                "the original program ends with " + First.Child.describe() +
                    " and, run again, with " + Second.Child.describe());
  if (First.Child.ExitStatus != 0)
    Report.Notes.push_back("the original program itself ends with " +
                           First.Child.describe() + lastWords(First.Child));
  return true;
}

bool Session::judgeRewritten(const RecordedRun &Original,
                             const RecordedRun &Run) {
  if (!Run.Child.exited() || Run.Child.ExitStatus != Original.Child.ExitStatus)
    return stop(Outcome::Differs,
                "the rewritten program: " + Run.Child.describe() +
                    lastWords(Run.Child));
  if (!Run.Problem.empty())
    return stop(Outcome::Differs,
                "the rewritten program could not be recorded: " + Run.Problem);
  return true;
}

void Session::judgeOutput(const std::string &Original,
                          const std::string &Control,
                          const std::string &Rewritten) {
  Report.Output = compareOutput(Original, Control, Rewritten);
  Report.OutputBytes = Original.size();
  if (Report.Output.failed())
    Report.Verdict = Outcome::Differs;
  if (O.ExpectOutput && Original.empty())
    stop(Outcome::Differs, "the original program prints nothing");
  if (O.ExpectOutput && Report.Output.NotDeterministic)
    stop(Outcome::Differs,
         "the output of the original program is not deterministic");
}

static std::string readFile(const std::string &Path) {
  std::ifstream Input(Path, std::ios::binary);
  return {std::istreambuf_iterator<char>(Input), {}};
}

static uint32_t wordAt(const std::string &Bytes, uint64_t Offset) {
  uint32_t Word = 0;
  std::memcpy(&Word, Bytes.data() + Offset,
              std::min<uint64_t>(sizeof Word, Bytes.size() - Offset));
  return Word;
}

std::optional<ByteDifference> bankstripe::runtime::findByteDifference(
    const std::string &Original, const std::string &Rewritten, uint64_t Begin) {
  const size_t Size = std::min(Original.size(), Rewritten.size());
  ByteDifference Found;
  std::optional<size_t> First;
  for (size_t I = 0; I < Size; ++I) {
    if (Original[I] == Rewritten[I])
      continue;
    if (!First)
      First = I;
    ++Found.DifferingBytes;
  }
  if (!First)
    return std::nullopt;
  // Ranges begin at a multiple of 256 bytes, so words stay whole.
  const uint64_t Word = *First / 4 * 4;
  Found.Offset = Begin + *First;
  Found.Begin = Begin;
  Found.End = Begin + Size;
  Found.WordOffset = Begin + Word;
  Found.OriginalWord = wordAt(Original, Word);
  Found.RewrittenWord = wordAt(Rewritten, Word);
  return Found;
}

void Session::locate(const Difference &D) {
  if (D.Kind != DifferenceKind::Contents)
    return;
  Tell("locating the difference");
  const auto Fetch = [&](const std::string &Program, unsigned Allocation) {
    record(Program, RecordingMode::Digest,
           fmt::format("{}:{}{}:{}:{}", D.Launch, D.IsVariable ? "v" : "",
                       Allocation, D.Begin,
                       std::min(D.LastEnd, D.Begin + MostFetchedBytes)));
    return readFile(LastPath + ".bytes");
  };
  const std::string Original = Fetch(O.Original, D.Allocation);
  const std::string Rewritten = Fetch(O.Rewritten, D.RewrittenAllocation);
  Report.Bytes = findByteDifference(Original, Rewritten, D.Begin);
}

bool Session::timeBoth(std::vector<Recording> &Originals,
                       std::vector<Recording> &Rewrittens) {
  const FileLock Lock(O.LockPath, LOCK_EX);
  for (unsigned I = 0; I < O.Runs; ++I) {
    Tell(fmt::format("timing, run {} of {}", I + 1, O.Runs));
    RecordedRun Original = record(O.Original, RecordingMode::Time);
    RecordedRun Rewritten = record(O.Rewritten, RecordingMode::Time);
    for (const RecordedRun *Run : {&Original, &Rewritten}) {
      const bool IsRewritten = Run == &Rewritten;
      const char *Which = IsRewritten ? "rewritten" : "original";
      if (!Run->Child.exited()) {
        const std::string Reason =
            fmt::format("the {} program, run without digests: {}{}", Which,
                        Run->Child.describe(), lastWords(Run->Child));
        return stop(IsRewritten ? Outcome::Differs : Outcome::CannotRecord,
                    Reason);
      }
      if (Run->Problem.empty() && Run->Record.Launches.empty()) {
        Report.Notes.push_back(
            fmt::format("the {} program, run without digests, left no "
                        "durations; does it end through _exit?",
                        Which));
        return true;
      }
      if (!Run->Problem.empty()) {
        Report.Notes.push_back(fmt::format(
            "the {} program could not be timed: {}", Which, Run->Problem));
        return true;
      }
    }
    Originals.push_back(std::move(Original.Record));
    Rewrittens.push_back(std::move(Rewritten.Record));
    ++Report.Runs;
  }
  return true;
}

void Session::gatherNotes(const RecordedRun &Original,
                          const RecordedRun &Rewritten) {
  std::map<std::string, uint64_t> Notes = Original.Record.Notes;
  for (const auto &[Text, Count] : Rewritten.Record.Notes)
    Notes[Text] = std::max(Notes[Text], Count);
  for (const auto &[Text, Count] : Notes)
    Report.Notes.push_back(Count == 1
                               ? Text + " (once)"
                               : fmt::format("{} ({} times)", Text, Count));
  if (Original.HasOtherProcesses || Rewritten.HasOtherProcesses)
    Report.Notes.emplace_back(
        "the program starts further processes that use the "
        "GPU; they are not compared");
}

VerifyReport Session::run() {
  if (Folder.Path.empty()) {
    stop(Outcome::CannotRecord, "no temporary folder can be made");
    return std::move(Report);
  }
  if (!O.LockPath.empty() && !FileLock(O.LockPath, LOCK_SH).isOpen()) {
    stop(Outcome::CannotRecord,
         fmt::format("cannot open the lock '{}'", O.LockPath));
    return std::move(Report);
  }
  const RecordedRun First = recordOriginal(0);
  const RecordedRun Second = recordOriginal(1);
  if (!judgeOriginal(First, Second))
    return std::move(Report);
  Tell("recording the rewritten program");
  const RecordedRun Rewritten = record(O.Rewritten, RecordingMode::Digest);
  gatherNotes(First, Rewritten);
  const bool Ended = judgeRewritten(First, Rewritten);
  if (Rewritten.Problem.empty()) {
    // Also after a failure: how far the two agree says where to look.
    Report.Launches = compare(First.Record, Second.Record, Rewritten.Record);
    Report.Kernels = kernelStatistics(First.Record, Rewritten.Record, {}, {});
  }
  if (!Ended)
    return std::move(Report);

  Report.Verdict =
      Report.Launches.identical() ? Outcome::Identical : Outcome::Differs;
  judgeOutput(First.Child.Output, Second.Child.Output, Rewritten.Child.Output);
  if (Report.Launches.First)
    locate(*Report.Launches.First);

  std::vector<Recording> Originals, Rewrittens;
  if (timeBoth(Originals, Rewrittens))
    Report.Kernels =
        kernelStatistics(First.Record, Rewritten.Record, Originals, Rewrittens);
  return std::move(Report);
}

VerifyReport bankstripe::runtime::verify(const Options &O,
                                         const std::string &Recorder,
                                         const Progress &Tell) {
  return Session(O, Recorder, Tell).run();
}
