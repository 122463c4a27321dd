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
#include "workers/Folders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

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

// One that is there keeps the parts that it has, since other files may use
// them.
std::map<std::string, std::string>
bankstripe::helpersFor(llvm::ArrayRef<ChangedFile> Changes) {
  std::map<std::string, std::vector<StringRef>> Users; // By the helper's place.
  std::map<std::string, std::string> Helpers;
  for (const ChangedFile &File : Changes) {
    if (std::string Place = helperPlace(File); !Place.empty())
      Users[Place].push_back(File.After);
    for (const auto &[Name, Text] : launchHelpers())
      if (StringRef(File.After).contains(("\"" + Name + "\"").str()))
        Helpers[(path::parent_path(File.Path) + "/" + Name).str()] = Text;
  }
  for (auto &[Place, Texts] : Users) {
    const std::string Earlier = readText(Place).value_or("");
    Texts.push_back(Earlier);
    Helpers[Place] = Earlier == helperText() ? Earlier : helperFor(Texts);
  }
  std::erase_if(Helpers, [](const auto &Helper) {
    return readText(Helper.first) == Helper.second;
  });
  return Helpers;
}

static std::string countArrays(const Plan &P, StringRef File) {
  const auto Moved = llvm::count_if(P.Arrays, [&](const PlannedArray &A) {
    return A.Array.Where.File == File && A.Verdict.changesSource();
  });
  const auto Padded =
      llvm::count_if(P.SharedArrays, [&](const PlannedSharedArray &A) {
        return A.Array.Where.File == File && A.Padding;
      });
  if (!Moved && !Padded)
    return "launches and calls changed";
  return (Moved ? countOf(Moved, "array") + " moved" : "") +
         (Moved && Padded ? ", " : "") +
         (Padded ? countOf(Padded, "array") + " padded" : "");
}

// Headers come first, since users have named the sources.
static void printWritten(const RunResult &Run,
                         const std::map<std::string, std::string> &NewHelpers) {
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
    llvm::errs() << "bankstripe: to undo: git restore FILE"
                 << (NewHelpers.empty() ? "" : ", remove new helpers")
                 << "; docs/guide/review.md\n";
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

llvm::Error bankstripe::writeInPlace(const RunResult &Run, Detail Level) {
  std::set<std::string> Folders;
  const std::vector<ChangedFile> Seen = withLinks(Run);
  for (const ChangedFile &File : Seen) {
    Folders.insert(realPath(path::parent_path(File.Path)));
    if (const std::string Place = helperPlace(File); !Place.empty())
      Folders.insert(realPath(path::parent_path(Place)));
  }
  const FolderLocks Locks(Folders);
  const auto Helpers = helpersFor(Seen);
  std::vector<NewContents> All;
  for (const auto &[Place, Text] : Helpers) {
    if (llvm::Error E = checkHelperPlace(Place))
      return E;
    All.push_back({Place, Text, std::nullopt});
  }
  for (const ChangedFile &File : Run.Changes)
    All.push_back({File.Path, File.After, StringRef(File.Before)});
  {
    const HeldSignals Held;
    if (llvm::Error E = replaceFiles(All))
      return E;
  }
  if (Level != Detail::Quiet)
    printWritten(Run, Helpers);
  return llvm::Error::success();
}
