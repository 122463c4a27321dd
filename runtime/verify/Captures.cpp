//===-- Captures.cpp - a launch of both programs into a file --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Captures.h"
#include "recording/Capture.h"
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

using namespace bankstripe::runtime;
namespace fs = std::filesystem;

std::string CaptureReport::command() const {
  return Command{"bankstripe-replay", {Path}}.text();
}

// Why the recorder left no file, when it gave no reason.
static std::string whyNothing(const RecordedRun &Run, unsigned Launch) {
  for (const auto &[Note, Count] : Run.Record.Notes)
    if (Note.starts_with(NoCaptureNote))
      return Note.substr(std::strlen(NoCaptureNote));
  if (!Run.Child.exited())
    return Run.Child.describe() + lastWords(Run.Child);
  if (!Run.Problem.empty())
    return Run.Problem;
  if (Run.Record.Launches.size() <= Launch)
    return fmt::format("this time it made {} launches only",
                       Run.Record.Launches.size());
  return "the recorder left no capture";
}

namespace {

// What the recorder wrote of one program.
struct Piece {
  std::string Path;
  std::string Kernel;  ///< Of the launch.
  std::string Problem; ///< Why there is nothing; else empty.
};

} // namespace

// Nothing is to be digested but what has to be.
static Piece record(Runner &Runs, bool IsRewritten, unsigned Launch,
                    const std::string &Folder, bool RandomAddresses) {
  const Options &O = Runs.options();
  const std::string Asked = Folder + (IsRewritten ? "/rewritten" : "/original");
  RecordRequest Request;
  Request.Digests = DigestRule::none();
  Request.Capture = {Launch, Asked, IsRewritten};
  const RecordedRun Run = Runs.run(IsRewritten ? O.Rewritten : O.Original,
                                   std::move(Request), RandomAddresses);
  Runs.forget(Run);
  // Each process has a file of its own, named like its recording.
  Piece Found;
  Found.Path = Asked + fs::path(Run.Path).extension().string();
  std::error_code Error;
  if (!fs::exists(Found.Path, Error))
    Found.Problem = whyNothing(Run, Launch);
  if (Launch < Run.Record.Launches.size())
    Found.Kernel = Run.Record.Launches[Launch].Kernel;
  return Found;
}

static void addRewritten(CaptureReport &To, const Piece &Original,
                         const Piece &Rewritten) {
  To.RewrittenProblem = Rewritten.Problem;
  if (To.RewrittenProblem.empty() && Rewritten.Kernel != Original.Kernel)
    To.RewrittenProblem = "it launches " + Rewritten.Kernel + " instead";
  if (To.RewrittenProblem.empty())
    To.RewrittenProblem = appendCapture(Original.Path, Rewritten.Path);
}

// Gives the file the name that was asked for, unless something has it.
static std::string giveName(const std::string &File, const fs::path &Name) {
  std::error_code Error;
  if (fs::exists(Name, Error))
    return "there is a file of that name now";
  fs::rename(File, Name, Error);
  return Error ? Error.message() : "";
}

CaptureReport bankstripe::runtime::captureLaunch(Runner &Runs, unsigned Launch,
                                                 bool RandomAddresses) {
  const Options &O = Runs.options();
  CaptureReport Report;
  Report.Path = O.CapturePath;
  Report.What = Launch;
  const TemporaryFolder Beside(O.CapturePath + ".XXXXXX");
  const std::string &Folder = Beside.Path;
  if (Folder.empty()) {
    Report.Problem = fmt::format("no folder can be made beside '{}': {}",
                                 O.CapturePath, std::strerror(errno));
    return Report;
  }
  Runs.tell(fmt::format("capturing launch {} of the original", Launch));
  const Piece Original =
      record(Runs, /*IsRewritten=*/false, Launch, Folder, RandomAddresses);
  Report.Kernel = Original.Kernel;
  Report.Problem = Original.Problem;
  if (!Report.isThere())
    return Report;
  Runs.tell(fmt::format(
      "capturing the kernel of launch {} of the rewritten program", Launch));
  addRewritten(
      Report, Original,
      record(Runs, /*IsRewritten=*/true, Launch, Folder, RandomAddresses));
  if (!Report.isThere())
    return Report;
  const auto Read = readCapture(Original.Path);
  if (const auto *Problem = std::get_if<ReadError>(&Read)) {
    Report.Problem =
        "what the recorder left cannot be read: " + Problem->Message;
    return Report;
  }
  Report.Lacks = std::get<Capture>(Read).Notes;
  std::error_code Error;
  Report.Bytes = fs::file_size(Original.Path, Error);
  Report.Problem =
      Error ? Error.message() : giveName(Original.Path, O.CapturePath);
  return Report;
}
