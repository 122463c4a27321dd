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

#include "harness/Runner.h"
#include "recording/Recording.h"
#include "recording/Records.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

using namespace bankstripe::runtime;
namespace fs = std::filesystem;

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
  auto Read = readRecording(Path);
  if (auto *Error = std::get_if<ReadError>(&Read))
    return Error->Message;
  Record = std::move(std::get<Recording>(Read));
  return Record.Failure;
}

// A run for times alone knows what the GPU ran.
static size_t launchesOf(const RecordedProcess &P) {
  return std::max(P.Record.Launches.size(), P.Record.Executions.size());
}

// Which of several processes is compared: the one that launches most, of those
// that launch equally often the one that used the GPU first.
static size_t choosePrincipal(const std::vector<RecordedProcess> &Processes) {
  size_t Best = 0;
  for (size_t I = 1; I < Processes.size(); ++I)
    if (launchesOf(Processes[I]) > launchesOf(Processes[Best]))
      Best = I;
  return Best;
}

static std::string describeProcess(const RecordedProcess &P) {
  const std::string Name =
      P.Number ? fmt::format("process {}", P.Number) : "the first process";
  if (!P.Problem.empty())
    return fmt::format("{} could not be recorded: {}", Name, P.Problem);
  const size_t Launches = launchesOf(P);
  return fmt::format("{} made {} launch{}", Name, Launches,
                     Launches == 1 ? "" : "es");
}

// The recordings of a run, that of the first process first.
static std::vector<RecordedProcess> findProcesses(const std::string &First) {
  std::vector<RecordedProcess> Found;
  const std::string Stem = fs::path(First).filename().string() + ".";
  std::error_code Error;
  for (const auto &Entry :
       fs::directory_iterator(fs::path(First).parent_path(), Error)) {
    const std::string Name = Entry.path().filename().string();
    unsigned Number = 0;
    if (Name.starts_with(Stem) &&
        std::from_chars(Name.data() + Stem.size(), Name.data() + Name.size(),
                        Number)
                .ptr == Name.data() + Name.size())
      Found.push_back({Entry.path().string(), Number, {}, ""});
  }
  std::ranges::sort(Found, {}, &RecordedProcess::Number);
  if (fs::exists(First, Error))
    Found.insert(Found.begin(), RecordedProcess{First, 0, {}, ""});
  return Found;
}

static void readProcesses(RecordedRun &Run, const std::string &First) {
  std::vector<RecordedProcess> Processes = findProcesses(First);
  if (Processes.empty())
    Processes.push_back({First, 0, {}, ""});
  for (RecordedProcess &P : Processes)
    P.Problem = readOne(P.Record, P.Path);
  const size_t Principal = choosePrincipal(Processes);
  for (size_t I = 0; I < Processes.size(); ++I) {
    if (I == Principal)
      continue;
    Run.Others.push_back(describeProcess(Processes[I]));
    Run.OtherMayBeChosen |=
        launchesOf(Processes[I]) == launchesOf(Processes[Principal]);
  }
  static_cast<RecordedProcess &>(Run) = std::move(Processes[Principal]);
}

Runner::Runner(double TimeoutSeconds, std::string Recorder, Progress Show)
    : TimeoutSeconds(TimeoutSeconds), Recorder(std::move(Recorder)),
      Show(std::move(Show)) {
  std::error_code Error;
  Folder = fs::temp_directory_path(Error) / "bankstripe-verify-XXXXXX";
  if (!::mkdtemp(Folder.data()))
    Folder.clear();
}

Runner::~Runner() {
  std::error_code Error;
  if (!Folder.empty())
    fs::remove_all(Folder, Error);
}

RecordedRun Runner::run(const Command &What, RecordRequest Request,
                        bool RandomAddresses, const EndRule &MayEnd) {
  RecordedRun Run;
  const bool IsTimed = Request.Mode == RecordingMode::Time;
  const std::string Own = fmt::format("{}/{}", folder(), RunCount++);
  std::error_code Error;
  fs::create_directory(Own, Error);
  Request.Recording = Own + "/recording";
  if (Request.Survey.Folder.empty())
    Request.Survey.Folder = Own;
  const std::string Asked = Own + "/request";
  if (!writeFile(Asked, printRequest(Request))) {
    Run.Child.StartError = "'" + Asked + "' cannot be written";
    return Run;
  }
  ChildRequest Child;
  Child.Program = What.Program;
  Child.Arguments = What.Arguments;
  Child.TimeoutSeconds = TimeoutSeconds;
  if (MayEnd)
    Child.MayEnd = [&](double Seconds) {
      return MayEnd(Seconds, [&] {
        RecordedRun SoFar;
        readProcesses(SoFar, Request.Recording);
        return SoFar;
      });
    };
  if (!IsTimed)
    Child.FixedAddresses = !RandomAddresses;
  Child.Environment["CUDA_INJECTION64_PATH"] = Recorder;
  Child.Environment[RequestVariable] = Asked;
  Run.Child = runChild(Child);
  readProcesses(Run, Request.Recording);
  return Run;
}

RecordedRun Runner::record(const Command &What, const DigestRun &How,
                           const std::string &KeepAs) {
  RecordRequest Request;
  Request.Digests = How.Rule;
  if (How.Survey) {
    Request.Mode = RecordingMode::Survey;
    Request.Survey = *How.Survey;
    Request.Survey.Folder.clear(); // The run's own.
    Request.Survey.Discards = true;
  }
  RecordedRun Run = run(What, std::move(Request), How.RandomAddresses);
  if (!KeepAs.empty() && Run.Child.exited() && Run.Problem.empty())
    keep(Run, KeepAs);
  forget(Run);
  return Run;
}

void Runner::forget(const RecordedRun &Run) const {
  std::error_code Error;
  fs::remove_all(fs::path(Run.Path).parent_path(), Error);
}

// There is what was asked for, the recording, and in the end the exit status
// with what was printed from the second line on.
bool Runner::keep(const RecordedRun &Run, const std::string &To) {
  std::error_code Error;
  if (fs::create_directory(To, Error))
    fs::permissions(To, fs::perms::owner_all, Error);
  const fs::path There = To;
  const auto Copy = [&](const fs::path &From, const char *Name) {
    return !Error && fs::copy_file(From, There / Name,
                                   fs::copy_options::overwrite_existing, Error);
  };
  return Copy(Run.Path, "recording") &&
         Copy(fs::path(Run.Path).parent_path() / "request", "request") &&
         writeFile(There / "ending", fmt::format("{}\n{}", Run.Child.ExitStatus,
                                                 Run.Child.Output));
}

std::optional<KeptRun> Runner::kept(const std::string &There) {
  const fs::path From = There;
  const auto Ending = readFile(From / "ending"),
             Asked = readFile(From / "request");
  RecordRequest Request;
  if (!Ending || !Asked || !parseRequest(*Asked, Request).empty())
    return std::nullopt;
  KeptRun Kept{{},
               {std::move(Request.Digests), false, std::move(Request.Survey)}};
  readProcesses(Kept.Run, From / "recording");
  std::from_chars(Ending->data(), Ending->data() + Ending->size(),
                  Kept.Run.Child.ExitStatus);
  Kept.Run.Child.Output = Ending->substr(Ending->find('\n') + 1);
  return Kept;
}
