//===-- InPlace.cpp - bankstripe rewrite --in-place -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/InPlace.h"
#include "contract/Process.h"
#include "copies/Copies.h"
#include "model/Helper.h"
#include "model/SourceFile.h"
#include "report/Report.h"
#include "report/Terminal.h"
#include "text/Includes.h"
#include "tool/Undo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

// --- What git knows of files -------------------------------------------------

// A repository that somebody unpacked may name programs in its config: hooks,
// monitors, filters, transports. So git is only asked which files were
// committed, and the bytes are compared here: `git status` would run filters.
// (Where one changes a file, that is taken for uncommitted.)

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

// Those of Changes that lie in a work tree of git, are not ignored there, and
// as they were read are not what was last committed. None where there is no
// git.
static std::vector<std::string>
uncommitted(llvm::ArrayRef<ChangedFile> Changes) {
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

// --- Helpers -----------------------------------------------------------------

// Where the helper is that \p File includes, beside it as far as nobody says
// otherwise; empty if it includes none.
static std::string helperPlace(const ChangedFile &File) {
  for (const IncludeDirective &D : findIncludes(File.After))
    if (D.Quoted && path::filename(D.Name) == HelperFileName) {
      llvm::SmallString<256> Place(path::parent_path(File.Path));
      path::append(Place, fs::exists(Place + "/" + D.Name)
                              ? StringRef(D.Name)
                              : StringRef(HelperFileName));
      return std::string(Place);
    }
  return "";
}

// The places of all helpers that \p File includes.
static std::set<std::string> helperPlaces(const ChangedFile &File) {
  std::set<std::string> Places;
  if (std::string Place = helperPlace(File); !Place.empty())
    Places.insert(std::move(Place));
  for (const auto &[Name, Text] : launchHelpers())
    if (StringRef(File.After).contains(("\"" + Name + "\"").str()))
      Places.insert((path::parent_path(File.Path) + "/" + Name).str());
  return Places;
}

// What the helper at Place holds for Users. One that is there keeps the parts
// that it has, since other files may use them.
static std::string textFor(StringRef Place, std::vector<StringRef> Users) {
  for (const auto &[Name, Text] : launchHelpers())
    if (path::filename(Place) == Name)
      return Text.str();
  std::string Earlier = readText(Place).value_or("");
  if (Earlier == helperText())
    return Earlier;
  Users.push_back(Earlier);
  return helperFor(Users);
}

std::map<std::string, std::string>
bankstripe::helpersFor(llvm::ArrayRef<ChangedFile> Changes) {
  std::map<std::string, std::vector<StringRef>> Users; // By the helper's place.
  for (const ChangedFile &File : Changes)
    for (const std::string &Place : helperPlaces(File))
      Users[Place].push_back(File.After);
  std::map<std::string, std::string> Helpers;
  for (const auto &[Place, Texts] : Users)
    if (std::string Text = textFor(Place, Texts); readText(Place) != Text)
      Helpers[Place] = std::move(Text);
  return Helpers;
}

static std::string countArrays(const Plan &P, StringRef File) {
  const auto Moved = llvm::count_if(P.Arrays, [&](const PlannedArray &A) {
    return A.Array.Where.File == File && A.Verdict.changesSource();
  });
  return Moved ? countOf(Moved, "array") + " moved"
               : "launches and calls changed";
}

// Headers come first, since users have named the sources.
static void printWritten(const RunResult &Run,
                         const std::map<std::string, std::string> &NewHelpers,
                         const std::string &Kept) {
  auto Print = [](StringRef File, const llvm::Twine &What) {
    llvm::errs() << "bankstripe: " << printable(displayName(File)) << ": "
                 << What << '\n';
  };
  std::set<std::string> Sources;
  for (const CompileJob &Job : Run.Read.Jobs)
    Sources.insert(realPath(Job.File));
  for (const bool AreSources : {false, true})
    for (const ChangedFile &File : Run.Changes)
      if (Sources.contains(realPath(File.Path)) == AreSources)
        Print(File.Path,
              (AreSources ? "" : "a header that other files may include; ") +
                  countArrays(Run.Decisions, File.Path));
  for (const auto &Helper : NewHelpers)
    Print(Helper.first, "written");
  if (!Run.Changes.empty())
    llvm::errs() << "bankstripe: to undo: "
                 << (Kept.empty() ? "there is no copy of what was replaced"
                                  : "bankstripe undo PATH; what was replaced "
                                    "is kept in '" +
                                        printable(Kept) + "'")
                 << '\n';
}

// The changed files, also by the links that compilers are given: these look for
// the helper beside the link.
static std::vector<ChangedFile> withLinks(const RunResult &Run) {
  std::vector<ChangedFile> Result = Run.Changes;
  for (const CompileJob &Job : Run.Read.Jobs) {
    auto Changed = std::ranges::find(Run.Changes, Job.File, &ChangedFile::Path);
    if (!Job.Link.empty() && Changed != Run.Changes.end())
      Result.emplace_back(*Changed).Path = Job.Link;
  }
  return Result;
}

// The one name of a file that may not be there yet.
static std::string realPlace(StringRef Place) {
  return fs::exists(Place) ? realPath(Place)
                           : realPath(path::parent_path(Place)) + "/" +
                                 path::filename(Place).str();
}

static std::vector<WrittenFile>
whatIsWritten(llvm::ArrayRef<ChangedFile> Seen,
              const std::map<std::string, std::string> &Helpers) {
  std::map<std::string, WrittenFile> Files; // By their paths.
  for (const ChangedFile &File : Seen) {
    const std::string Path = realPath(File.Path);
    WrittenFile &Written = Files[Path];
    Written.Path = Path;
    Written.Before = File.Before;
    Written.After = File.After;
    for (const std::string &Place : helperPlaces(File))
      Written.Helpers.insert(realPlace(Place));
  }
  for (const auto &[Place, Text] : Helpers)
    Files[realPlace(Place)] = {
        realPlace(Place), readText(Place), Text, /*IsHelper=*/true, {}};
  std::vector<WrittenFile> All;
  for (auto &[Path, File] : Files)
    All.push_back(std::move(File));
  return All;
}

static llvm::Error checkCommitted(llvm::ArrayRef<ChangedFile> Changes) {
  const std::vector<std::string> Dirty = uncommitted(Changes);
  if (Dirty.empty())
    return llvm::Error::success();
  return llvm::createStringError("nothing was written, for " + namesOf(Dirty) +
                                 " has changes that are not committed; commit "
                                 "them, or give --allow-dirty");
}

// Replaces the files while all folders are locked. What was there goes into
// Store, if there is one.
static llvm::Error replaceAll(const RunResult &Run,
                              llvm::ArrayRef<ChangedFile> Seen,
                              const std::map<std::string, std::string> &Helpers,
                              UndoStore *Store) {
  std::vector<NewContents> All;
  for (const auto &[Place, Text] : Helpers) {
    if (llvm::Error E = checkHelperPlace(Place))
      return E;
    All.push_back({Place, Text, std::nullopt});
  }
  for (const ChangedFile &File : Run.Changes)
    All.push_back({File.Path, File.After, StringRef(File.Before)});
  const HeldSignals Held;
  if (!Store)
    return replaceFiles(All);
  auto Key = Store->keep(whatIsWritten(Seen, Helpers));
  if (!Key)
    return Key.takeError();
  llvm::Error E = replaceFiles(All);
  if (E)
    Store->replace(*Key, {});
  return E;
}

llvm::Error bankstripe::writeInPlace(const RunResult &Run,
                                     const ToolOptions &Options) {
  if (Run.Changes.empty())
    return llvm::Error::success();
  if (!Options.AllowDirty)
    if (llvm::Error E = checkCommitted(Run.Changes))
      return E;
  auto Store = UndoStore::open();
  if (!Store && !Options.AllowDirty)
    return Store.takeError();
  std::set<std::string> Folders;
  const std::vector<ChangedFile> Seen = withLinks(Run);
  for (const ChangedFile &File : Seen) {
    Folders.insert(realPath(path::parent_path(File.Path)));
    if (const std::string Place = helperPlace(File); !Place.empty())
      Folders.insert(realPath(path::parent_path(Place)));
  }
  const FolderLocks Locks(Folders);
  const auto Helpers = helpersFor(Seen);
  if (llvm::Error E = replaceAll(Run, Seen, Helpers, Store ? &*Store : nullptr))
    return E;
  if (Options.level() != Detail::Quiet)
    printWritten(Run, Helpers, Store ? Store->folder() : "");
  if (!Store)
    consumeError(Store.takeError());
  return llvm::Error::success();
}
