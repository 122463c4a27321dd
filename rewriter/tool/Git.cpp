//===-- Git.cpp - what git knows of files ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A repository that somebody unpacked may name programs in its config: hooks,
// monitors, filters, transports. So git is only asked which files were
// committed, and the bytes are compared here: `git status` would run filters.
// (Where one changes a file, that is taken for uncommitted.)
//
//===----------------------------------------------------------------------===//

#include "tool/Git.h"
#include "contract/Process.h"
#include "model/SourceFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/SHA256.h"
#include <cstdlib>

using namespace bankstripe;
using llvm::StringRef;
namespace path = llvm::sys::path;

// What git says in Folder; nothing where it says no, or is not at home.
static std::optional<std::string> ask(const std::string &Git, StringRef Folder,
                                      llvm::ArrayRef<std::string> Question) {
  std::vector<std::string> Words{Git, "-c", "core.fsmonitor=false", "-c",
                                 "core.hooksPath=/dev/null"};
  llvm::append_range(Words, Question);
  ProcessResult Reply = runProcess(Words, Output::UnaskedApart, Folder.str());
  return Reply.succeeded() ? std::optional(std::move(Reply.Out)) : std::nullopt;
}

// The name of a file that holds Text, as long as Like.
static std::string nameLike(StringRef Like, StringRef Text) {
  const std::string Blob =
      "blob " + llvm::utostr(Text.size()) + '\0' + Text.str();
  const auto Bytes = llvm::arrayRefFromStringRef(Blob);
  return Like.size() == 40
             ? llvm::toHex(llvm::SHA1::hash(Bytes), /*LowerCase=*/true)
             : llvm::toHex(llvm::SHA256::hash(Bytes), /*LowerCase=*/true);
}

// Line ends may have become those of another system when it was checked out.
static bool isNamed(StringRef Name, StringRef Text) {
  if (nameLike(Name, Text) == Name)
    return true;
  std::string Converted = Text.str();
  for (size_t At = 0; (At = Converted.find("\r\n", At)) != std::string::npos;)
    Converted.erase(At, 1);
  return nameLike(Name, Converted) == Name;
}

// The names of the files in Folder, as they were last committed.
static std::map<std::string, std::string> committed(const std::string &Git,
                                                    StringRef Folder) {
  std::map<std::string, std::string> Names;
  // Fails where nothing was committed yet.
  const std::string List =
      ask(Git, Folder, {"ls-tree", "-z", "HEAD"}).value_or("");
  for (StringRef Line : llvm::split(List, '\0')) {
    const auto [About, File] = Line.split('\t'); // `100644 blob NAME`
    Names[File.str()] = About.rsplit(' ').second.str();
  }
  return Names;
}

std::vector<std::string>
bankstripe::uncommitted(llvm::ArrayRef<ChangedFile> Changes) {
  const auto Git = llvm::sys::findProgramByName("git");
  if (!Git || !path::is_absolute(*Git)) // By `.` on PATH, anybody's.
    return {};
  // What is missing from a repository is not fetched.
  setenv("GIT_ALLOW_PROTOCOL", "", /*overwrite=*/1);
  std::map<std::string, std::vector<const ChangedFile *>> Folders;
  for (const ChangedFile &File : Changes)
    Folders[path::parent_path(realPath(File.Path)).str()].push_back(&File);
  std::vector<std::string> Result;
  for (const auto &[Folder, Files] : Folders) {
    if (ask(*Git, Folder, {"rev-parse", "--is-inside-work-tree"}) != "true\n")
      continue;
    const auto Names = committed(*Git, Folder);
    for (const ChangedFile *File : Files) {
      const std::string Own = path::filename(realPath(File->Path)).str();
      const auto Known = Names.find(Own);
      if (Known == Names.end()
              ? !ask(*Git, Folder, {"check-ignore", "--", "./" + Own})
              : !isNamed(Known->second, File->Before))
        Result.push_back(File->Path);
    }
  }
  return Result;
}
