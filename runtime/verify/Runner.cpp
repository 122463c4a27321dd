//===-- Runner.cpp - runs a command under the recorder --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder is loaded into every process that uses the GPU. The first one
// writes the file that it was told to, each other one a file of the same name
// with the number of its process behind it.
//
//===----------------------------------------------------------------------===//

#include "verify/Runner.h"
#include "recording/RecordingReader.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sys/file.h>
#include <unistd.h>

using namespace bankstripe::runtime;
namespace fs = std::filesystem;

FileLock::FileLock(const std::string &Path, int Operation) {
  if (Path.empty())
    return;
  File = ::open(Path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  while (File >= 0 && ::flock(File, Operation) != 0 && errno == EINTR) {
  }
}

FileLock::~FileLock() {
  if (File >= 0)
    ::close(File);
}

std::string bankstripe::runtime::lastWords(const ChildResult &Child) {
  std::string Text = Child.Errors;
  while (!Text.empty() && Text.back() == '\n')
    Text.pop_back();
  if (Text.empty())
    return "";
  return "; its last line on standard error: " +
         Text.substr(Text.rfind('\n') + 1);
}

static std::string readOne(Recording &Record, const std::string &Path) {
  auto Read = readRecordingFile(Path);
  if (auto *Error = std::get_if<ReadError>(&Read))
    return Error->Message;
  Record = std::move(std::get<Recording>(Read));
  return Record.Failure;
}

void bankstripe::runtime::readRecordingInto(RecordedRun &Run,
                                            const std::string &Path) {
  Run.Path = Path;
  Run.Problem = readOne(Run.Record, Path);
}

size_t bankstripe::runtime::choosePrincipal(
    const std::vector<RecordedProcess> &Processes) {
  size_t Best = 0;
  for (size_t I = 1; I < Processes.size(); ++I)
    if (Processes[I].Record.Launches.size() >
        Processes[Best].Record.Launches.size())
      Best = I;
  return Best;
}

static std::string describeProcess(const RecordedProcess &P) {
  const std::string Name =
      P.Number ? fmt::format("process {}", P.Number) : "the first process";
  if (!P.Problem.empty())
    return fmt::format("{} could not be recorded: {}", Name, P.Problem);
  std::set<std::string> Kernels;
  for (const Launch &L : P.Record.Launches)
    Kernels.insert(L.Kernel);
  const size_t Launches = P.Record.Launches.size();
  return fmt::format("{} made {} launch{} of {} kernel{}", Name, Launches,
                     Launches == 1 ? "" : "es", Kernels.size(),
                     Kernels.size() == 1 ? "" : "s");
}

static bool isNumber(const std::string &Text) {
  return !Text.empty() &&
         Text.find_first_not_of("0123456789") == std::string::npos &&
         Text.size() < 10;
}

// The recordings of a run, that of the first process first.
static std::vector<RecordedProcess> findProcesses(const std::string &First) {
  std::vector<RecordedProcess> Found;
  const std::string Stem = fs::path(First).filename().string() + ".";
  std::error_code Error;
  for (const auto &Entry :
       fs::directory_iterator(fs::path(First).parent_path(), Error)) {
    const std::string Name = Entry.path().filename().string();
    if (!Name.starts_with(Stem) || !isNumber(Name.substr(Stem.size())))
      continue;
    RecordedProcess &P = Found.emplace_back();
    P.Path = Entry.path().string();
    P.Number = static_cast<unsigned>(std::stoul(Name.substr(Stem.size())));
  }
  std::sort(Found.begin(), Found.end(),
            [](const RecordedProcess &A, const RecordedProcess &B) {
              return A.Number < B.Number;
            });
  if (fs::exists(First, Error))
    Found.insert(Found.begin(), RecordedProcess{First, 0, {}, ""});
  return Found;
}

void Runner::readProcesses(RecordedRun &Run, const std::string &First) const {
  std::vector<RecordedProcess> Processes = findProcesses(First);
  if (Processes.size() < 2)
    return readRecordingInto(Run, First);
  for (RecordedProcess &P : Processes)
    P.Problem = readOne(P.Record, P.Path);
  const size_t Principal = choosePrincipal(Processes);
  for (size_t I = 0; I < Processes.size(); ++I) {
    if (I == Principal)
      continue;
    Run.Others.push_back(describeProcess(Processes[I]));
    Run.OtherCouldBeTaken |= Processes[I].Record.Launches.size() ==
                             Processes[Principal].Record.Launches.size();
  }
  Run.Path = Processes[Principal].Path;
  Run.Record = std::move(Processes[Principal].Record);
  Run.Problem = std::move(Processes[Principal].Problem);
}

Runner::Runner(const Options &O, const std::string &Recorder)
    : O(O), Recorder(Recorder) {
  std::error_code Error;
  std::string Pattern =
      (fs::temp_directory_path(Error) / "bankstripe-verify-XXXXXX").string();
  if (::mkdtemp(Pattern.data()))
    Folder = Pattern;
}

Runner::~Runner() {
  std::error_code Error;
  if (!Folder.empty())
    fs::remove_all(Folder, Error);
}

RecordedRun Runner::run(const Command &What, const RunRequest &Request) {
  RecordedRun Run;
  const std::string Path = Folder + "/" + std::to_string(Runs++);
  const bool IsTimed = Request.Mode == RecordingMode::Time;
  ChildRequest Child;
  Child.Program = What.Program;
  Child.Arguments = What.Arguments;
  Child.TimeoutSeconds = O.TimeoutSeconds;
  if (!IsTimed)
    Child.FixedAddresses = !RandomAddresses && !Request.RandomAddresses;
  // What the caller's environment holds is not meant for this run.
  for (const char *Name :
       {"BANKSTRIPE_CAPTURE", "BANKSTRIPE_CAPTURE_KERNEL", "BANKSTRIPE_DUMP",
        "BANKSTRIPE_SCHEDULE", "BANKSTRIPE_KERNELS", "BANKSTRIPE_SAMPLE",
        "BANKSTRIPE_MAX_LAUNCHES", "BANKSTRIPE_OVERHEAD"})
    Child.Environment[Name] = "";
  for (const auto &[Name, Value] : Request.Settings)
    Child.Environment[Name] = Value;
  Child.Environment["CUDA_INJECTION64_PATH"] = Recorder;
  Child.Environment["BANKSTRIPE_RECORD"] = Path;
  Child.Environment["BANKSTRIPE_MODE"] = IsTimed ? "time" : "digest";
  {
    const FileLock Lock(IsTimed ? std::string() : O.LockPath, LOCK_SH);
    Run.Child = runChild(Child);
  }
  readProcesses(Run, Path);
  return Run;
}

void Runner::forget(const RecordedRun &Run) const {
  // A recording of a further process has a number behind the first one's name.
  const std::string Name = fs::path(Run.Path).filename().string();
  const std::string First = Name.substr(0, Name.find('.'));
  std::error_code Error;
  for (const auto &Entry : fs::directory_iterator(Folder, Error)) {
    const std::string Found = Entry.path().filename().string();
    if (Found == First || Found.starts_with(First + "."))
      fs::remove(Entry.path(), Error);
  }
}
