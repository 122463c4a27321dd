//===-- Rewrite.cpp - bankstripe rewrite ----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Pipeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// Writes the files of one run and counts failures.
class Writer {
public:
  explicit Writer(const ToolOptions &Options) : Options(Options) {}

  void inPlace(const RunResult &Run);
  void belowDirectory(const RunResult &Run);
  bool failed() const { return Failed; }

private:
  bool check(llvm::Error E);
  bool write(StringRef Path, StringRef Text, std::optional<StringRef> Expected);
  bool writeHelper(StringRef Folder);
  std::string relative(const RunResult &Run, StringRef File) const;

  const ToolOptions &Options;
  std::set<std::string> HelperFolders;
  bool Failed = false;
};

} // namespace

bool Writer::check(llvm::Error E) {
  if (!E)
    return true;
  llvm::errs() << "bankstripe: " << toString(std::move(E)) << '\n';
  Failed = true;
  return false;
}

bool Writer::write(StringRef Path, StringRef Text,
                   std::optional<StringRef> Expected) {
  return check(replaceFile(Path, Text, Expected));
}

// Before the files that include it, so that they always find it.
bool Writer::writeHelper(StringRef Folder) {
  if (Options.EmbedHelper || !HelperFolders.insert(Folder.str()).second)
    return true;
  llvm::SmallString<256> Path(Folder);
  path::append(Path, HelperFileName);
  auto Present = llvm::MemoryBuffer::getFile(Path);
  if (Present && (*Present)->getBuffer() == helperText())
    return true;
  return write(Path, helperText(), std::nullopt);
}

void Writer::inPlace(const RunResult &Run) {
  for (const ChangedFile &File : Run.Changes)
    if (writeHelper(path::parent_path(File.Path)))
      write(File.Path, File.After, File.Before);
}

// A file's place below the folder that was given; a file that was given
// itself stands at the top.
std::string Writer::relative(const RunResult &Run, StringRef File) const {
  const std::string Real = realPath(File);
  for (const std::string &Given : Run.Paths) {
    const std::string Folder = realPath(Given);
    StringRef Rest = Real;
    if (fs::is_directory(Folder) && Rest.consume_front(Folder) &&
        (Folder.back() == '/' || Rest.starts_with("/")))
      return Rest.ltrim('/').str();
  }
  return path::filename(File).str();
}

// Changed and unchanged files alike, so that the folder can be compiled.
void Writer::belowDirectory(const RunResult &Run) {
  std::map<std::string, const ChangedFile *> Changed;
  for (const std::string &File : Run.Files)
    Changed[File] = nullptr;
  for (const ChangedFile &File : Run.Changes)
    Changed[File.Path] = &File;
  for (const auto &[File, Change] : Changed) {
    llvm::SmallString<256> Target(Options.OutputDirectory);
    (void)fs::make_absolute(Target); // Making the folder reports what is wrong.
    path::append(Target, relative(Run, File));
    StringRef Folder = path::parent_path(Target);
    if (std::error_code EC = fs::create_directories(Folder)) {
      check(llvm::createStringError("cannot make folder '" + Folder +
                                    "': " + EC.message()));
      continue;
    }
    if (Change) {
      if (writeHelper(Folder))
        write(Target, Change->After, std::nullopt);
      continue;
    }
    auto Text = llvm::MemoryBuffer::getFile(File, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    if (!Text)
      continue; // It could not be read in the first place, and was reported.
    write(Target, (*Text)->getBuffer(), std::nullopt);
  }
}

static void printJson(const RunResult &Run) {
  llvm::json::Value Report = toJson(Run.Decisions, Run.Resources);
  llvm::json::Array Files;
  for (const ChangedFile &File : Run.Changes) {
    std::string Diff;
    llvm::raw_string_ostream OS(Diff);
    printDiff(OS, displayName(File.Path), File.Before, File.After);
    Files.push_back(llvm::json::Object{{"file", llvm::json::fixUTF8(File.Path)},
                                       {"diff", llvm::json::fixUTF8(Diff)}});
  }
  Report.getAsObject()->insert({"changes", std::move(Files)});
  llvm::outs() << llvm::formatv("{0:2}\n", Report);
}

int bankstripe::runRewrite(const ToolOptions &Options) {
  if (Options.Mode == RewriteMode::PlanFolder)
    return runPlanFolder(Options);
  llvm::Expected<RunResult> Run = runPipeline(Options);
  if (!Run) {
    llvm::errs() << "bankstripe: " << toString(Run.takeError()) << '\n';
    return ExitSomeFailed;
  }
  if (Options.Format == OutputFormat::Json) {
    printJson(*Run);
  } else {
    printText(llvm::errs(), Run->Decisions, Run->Resources, Options.Level,
              Options.Explain);
    printDecisions(llvm::errs(), Run->Decisions, Options.Level);
    if (Options.Mode == RewriteMode::DryRun ||
        (Options.Mode == RewriteMode::Check && Options.Level != Detail::Quiet))
      for (const ChangedFile &File : Run->Changes)
        printDiff(llvm::outs(), displayName(File.Path), File.Before,
                  File.After);
  }
  Writer W(Options);
  if (Options.Mode == RewriteMode::InPlace)
    W.inPlace(*Run);
  else if (Options.Mode == RewriteMode::OutputDirectory)
    W.belowDirectory(*Run);
  if (Run->SomeFailed || W.failed())
    return ExitSomeFailed;
  if (Options.Mode == RewriteMode::Check && !Run->Changes.empty())
    return ExitChanges;
  return ExitDone;
}
