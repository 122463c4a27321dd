//===-- Originals.cpp - what the original did, for the next time ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three files a run, of which the last one written says that all are there:
//
//     N.recording   as the recorder wrote it
//     N.output      standard output
//     N.key         how it was recorded, the program, its size and time, where
//                     and with what arguments it ran
//
//===----------------------------------------------------------------------===//

#include "verify/Originals.h"
#include "verify/Files.h"
#include <filesystem>
#include <fmt/format.h>

using namespace bankstripe::runtime;
namespace fs = std::filesystem;

Originals::Originals(const Options &O, const std::string &How)
    : Folder(O.Originals) {
  std::error_code Error;
  const auto Bytes = fs::file_size(O.Original.Program, Error);
  const auto Time = fs::last_write_time(O.Original.Program, Error);
  if (Error)
    Folder.clear();
  // Arguments may be paths from the working directory.
  Key =
      fmt::format("{}\n{}\n{}\n{}\n{}\n", How, fs::current_path(Error).string(),
                  fs::absolute(O.Original.Program, Error).string(), Bytes,
                  Time.time_since_epoch().count());
  for (const std::string &Argument : O.Original.Arguments)
    Key += fmt::format("{}:{}\n", Argument.size(), Argument);
}

std::string Originals::stem(unsigned Number) const {
  return fmt::format("{}/{}", Folder, Number);
}

std::optional<RecordedRun> Originals::find(unsigned Number) const {
  if (Folder.empty() || readFile(stem(Number) + ".key") != Key)
    return std::nullopt;
  RecordedRun Run;
  readRecordingInto(Run, stem(Number) + ".recording");
  auto Output = readFile(stem(Number) + ".output");
  if (!Run.Problem.empty() || !Output)
    return std::nullopt;
  Run.Child.Output = std::move(*Output);
  return Run;
}

// What failed is worth another try, and has more to say than is kept here.
void Originals::keep(unsigned Number, const RecordedRun &Run) const {
  if (Folder.empty() || !Run.Child.succeeded() || !Run.Problem.empty() ||
      !Run.Others.empty())
    return;
  std::error_code Error;
  fs::create_directories(Folder, Error);
  fs::remove(stem(Number) + ".key", Error);
  fs::copy_file(Run.Path, stem(Number) + ".recording",
                fs::copy_options::overwrite_existing, Error);
  if (!Error && writeFile(stem(Number) + ".output", Run.Child.Output) &&
      !writeFile(stem(Number) + ".key", Key))
    fs::remove(stem(Number) + ".key", Error);
}
