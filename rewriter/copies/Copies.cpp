//===-- Copies.cpp - the user's tree, and rewritten copies of it ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "copies/Copies.h"
#include "frontend/CompilerOptions.h"
#include "model/Helper.h"
#include "model/SourceFile.h"
#include "report/Report.h"
#include "text/Includes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

GivenFiles::GivenFiles(const std::vector<std::string> &Paths,
                       ExcludedFiles Excluded)
    : Excluded(std::move(Excluded)) {
  for (const std::string &Path : Paths) // Nobody writes globs from / on.
    Real.emplace_back(
        realPath(Path),
        realPath(Path != "/" && fs::is_directory(Path) ? Path : "."));
}

bool GivenFiles::operator()(StringRef File) const {
  auto [It, New] = Known.try_emplace(File, false);
  if (New) {
    const std::string Path = realPath(File);
    It->second = llvm::any_of(Real, [&](const auto &Given) {
      const auto &[Named, Base] = Given;
      StringRef Rest = Path;
      return Rest.consume_front(Named) &&
             (Rest.empty() || Named.back() == '/' || Rest.starts_with("/")) &&
             !Excluded.contain(Path, Base);
    });
  }
  return It->second;
}

std::string bankstripe::commonFolder(llvm::ArrayRef<std::string> Files) {
  std::string Common = realPath(Files.front());
  if (!fs::is_directory(Common))
    Common = path::parent_path(Common).str();
  for (const std::string &File : Files)
    while (!GivenFiles({Common})(File))
      Common = path::parent_path(Common).str();
  return Common;
}

// Whether an earlier run wrote \p File.
static bool isHelper(StringRef File) {
  return StringRef(readText(File).value_or(""))
      .starts_with(("// " + path::filename(File) + " ").str());
}

static llvm::Error refuseHelper(StringRef Place) {
  return llvm::createStringError(
      "cannot write '" + displayName(Place) +
      "': there is another file of that name, which bankstripe did not write; "
      "rename it, or use --embed-helper. Nothing was changed");
}

llvm::Error bankstripe::checkHelperPlace(StringRef Place) {
  fs::file_status Status;
  (void)fs::status(Place, Status, /*follow=*/false);
  if (!fs::exists(Status) || (fs::is_regular_file(Status) && isHelper(Place)))
    return llvm::Error::success();
  return refuseHelper(Place);
}

static std::string withSlash(const std::string &Folder) {
  return StringRef(Folder).ends_with("/") ? Folder : Folder + "/";
}

// Also where some of the folders are not there yet.
static std::string realFolder(StringRef Path) {
  if (fs::exists(Path) || !path::has_parent_path(Path))
    return realPath(Path);
  return realFolder(path::parent_path(Path)) + "/" + path::filename(Path).str();
}

Copies::Copies(StringRef Destination, const std::vector<std::string> &Paths)
    : Folder(withSlash(realFolder(Destination))),
      Tree(withSlash(commonFolder(Paths))) {}

bool Copies::isCopy(StringRef File) const {
  return Folder != Tree && StringRef(Folder).starts_with(Tree) &&
         StringRef(realPath(File)).starts_with(Folder);
}

// By the name under which it is included, which may be that of a link, or else
// by where it really lies.
std::optional<std::string> Copies::insideTree(StringRef File) const {
  for (const std::string &Name : {File.str(), realPath(File)}) {
    StringRef Inside = Name;
    if (Inside.consume_front(Tree))
      return Inside.str();
  }
  return std::nullopt;
}

std::optional<std::string> Copies::placeOf(StringRef File) const {
  auto Inside = insideTree(File);
  return Inside ? std::optional(Folder + *Inside) : std::nullopt;
}

// Where there is no copy of a folder, compilers look further.
std::vector<std::string> Copies::argumentsFor(const CompileJob &Job) const {
  std::vector<std::string> Args;
  for (const CompilerOption &Option :
       readOptions(Dialect::Clang, Job.ClangArgs)) {
    llvm::SmallString<256> Included(Option.Value);
    path::make_absolute(Job.Directory, Included);
    path::remove_dots(Included, /*remove_dot_dot=*/true);
    auto Place = placeOf(Included);
    if (Option.Meaning == OptionMeaning::Include && Place)
      Args.push_back("-I" + *Place);
  }
  Args.push_back("-I" + path::parent_path(Job.path()).str());
  return Args;
}

// What is there already stays as old as it is, for make.
llvm::Error Copies::put(StringRef Place, StringRef Text,
                        StringRef Original) const {
  const std::string Path = Folder + Place.str();
  const StringRef Parent = path::parent_path(Path);
  if (std::error_code EC = fs::create_directories(Parent))
    return llvm::createStringError("cannot make folder '" + Parent +
                                   "': " + EC.message());
  if (!StringRef(withSlash(realPath(Parent))).starts_with(Folder))
    return llvm::createStringError("'" + Parent + "' leads out of '" + Folder +
                                   "'; nothing is written there");
  if (fs::is_symlink_file(Path))
    if (std::error_code EC = fs::remove(Path))
      return llvm::createStringError("cannot replace '" + Path +
                                     "': " + EC.message());
  if (!Original.empty() && realPath(Path) == realPath(Original))
    return llvm::createStringError("'" + Path +
                                   "' would be its own copy; name another "
                                   "folder, or use --in-place");
  if (readText(Path) == Text)
    return llvm::Error::success();
  return replaceFile(Path, Text, std::nullopt);
}

// Up from the folder of \p Place to that of all copies.
static std::string upFrom(StringRef Place) {
  std::string Up;
  for (size_t Depth = Place.count('/'); Depth; --Depth)
    Up += "../";
  return Up;
}

llvm::Error Copies::copy(StringRef File, StringRef Place) const {
  auto Change = Changed.find(realPath(File));
  if (Change == Changed.end()) {
    if (path::filename(File) == HelperFileName)
      return put(Place, Helper, File);
    for (const auto &[Name, Text] : launchHelpers())
      if (path::filename(File) == Name)
        return put(Place, Text, File);
    auto Text = readText(File);
    // One that could not be read in the first place was reported.
    return Text ? put(Place, *Text, File) : llvm::Error::success();
  }
  const ChangedFile &Rewritten = *Change->second;
  std::string Text = Rewritten.After;
  for (const auto &[Name, Included] : allHelpers(Helper)) {
    const std::string Include = "#include \"" + Name.str() + "\"";
    const size_t At = Text.find(Include);
    if (At == std::string::npos ||
        StringRef(Rewritten.Before).contains(Include))
      continue;
    if (llvm::Error E = put(Name, Included, ""))
      return E;
    Text.insert(At + Include.find('"') + 1, upFrom(Place));
  }
  return put(Place, Text, File);
}

namespace {

/// What a compiler reads that is given the copy of a source.
class ReadByCopies {
public:
  ReadByCopies(const Copies &Tree, const CompileJob &Job,
               const std::set<std::string> &Files);
  /// Follows the includes of \p File, of which this is the copy if \p Lacking
  /// is empty: else the file or folder that would have to be copied as well.
  void read(const std::string &File, const std::string &Lacking);
  /// What is wrong with it; empty: nothing.
  std::string
  problem(const std::map<std::string, const ChangedFile *> &Changed) const;

private:
  std::string lackingFor(const IncludeDirective &D, const std::string &Includer,
                         const std::string &Found, StringRef Lacking) const;

  const Copies &Tree;
  const std::set<std::string> &Files; ///< All that are read, without links.
  IncludeFolders Folders;
  std::set<std::string> Copied;
  /// Of the others who includes it, and what lacks.
  std::map<std::string, std::pair<std::string, std::string>> Originals;
};

} // namespace

ReadByCopies::ReadByCopies(const Copies &Tree, const CompileJob &Job,
                           const std::set<std::string> &Files)
    : Tree(Tree), Files(Files) {
  for (const CompilerOption &Option :
       readOptions(Dialect::Clang, Job.ClangArgs)) {
    const bool Quoted = Option.Meaning == OptionMeaning::QuoteInclude;
    if (!Quoted && Option.Meaning != OptionMeaning::Include)
      continue;
    llvm::SmallString<256> Named(Option.Value);
    path::make_absolute(Job.Directory, Named);
    (Quoted ? Folders.Quote : Folders.Any).push_back(realPath(Named));
  }
  read(Job.File, "");
}

// Beside a copy lie copies, as far as there are any; instead of a folder of the
// tree, that of its copies is named.
std::string ReadByCopies::lackingFor(const IncludeDirective &D,
                                     const std::string &Includer,
                                     const std::string &Found,
                                     StringRef Lacking) const {
  if (!Tree.placeOf(Found))
    return Found;
  if (D.Quoted && findIncluded(D, Includer, {}))
    return Lacking.str();
  const std::string Folder = realPath(
      StringRef(Found).drop_back(std::min(D.Name.size() + 1, Found.size())));
  return Tree.placeOf(withSlash(Folder)) ? "" : Folder;
}

void ReadByCopies::read(const std::string &File, const std::string &Lacking) {
  if (Lacking.empty() && !Copied.insert(File).second)
    return;
  for (const IncludeDirective &D : findIncludes(readText(File).value_or(""))) {
    const auto Found = findIncluded(D, File, Folders);
    const std::string Real = Found ? realPath(*Found) : "";
    if (!Files.count(Real))
      continue;
    const std::string Lacks = lackingFor(D, File, *Found, Lacking);
    if (Lacks.empty() || Originals.try_emplace(Real, File, Lacks).second)
      read(Real, Lacks);
  }
}

// A file is not known to be the same as its copy by `#pragma once`.
std::string ReadByCopies::problem(
    const std::map<std::string, const ChangedFile *> &Changed) const {
  for (const auto &[File, Why] : Originals)
    if (Changed.count(File) ||
        (Copied.count(File) &&
         StringRef(readText(File).value_or("")).contains("#pragma once")))
      return "the copies would be compiled with the original of '" + File +
             "', which '" + Why.first + "' includes; give '" + Why.second +
             "' as well";
  return "";
}

// What Changes use of the helper, and what is there of it among Files and in
// the Folder: all copies of it are one.
static std::string helperOf(const std::set<std::string> &Files,
                            llvm::ArrayRef<ChangedFile> Changes,
                            StringRef Folder) {
  std::vector<std::string> Earlier{
      readText((Folder + HelperFileName).str()).value_or("")};
  for (const std::string &File : Files)
    if (path::filename(File) == HelperFileName)
      Earlier.push_back(readText(File).value_or(""));
  std::vector<StringRef> Texts(Earlier.begin(), Earlier.end());
  for (const ChangedFile &File : Changes)
    Texts.emplace_back(File.After);
  return helperFor(Texts);
}

// Ours takes nobody's place: neither what lies in the Folder, nor the copy of
// one of Files.
static llvm::Error checkHelperPlaces(const std::set<std::string> &Files,
                                     llvm::ArrayRef<ChangedFile> Changes,
                                     StringRef Folder) {
  for (const StringRef Name :
       {HelperFileName, LaunchFileName, ChoiceFileName}) {
    if (llvm::none_of(Changes, [&](const ChangedFile &File) {
          return llvm::any_of(
              findIncludes(File.After), [&](const IncludeDirective &D) {
                return D.Quoted && path::filename(D.Name) == Name;
              });
        }))
      continue;
    if (llvm::Error E = checkHelperPlace((Folder + Name).str()))
      return E;
    for (const std::string &File : Files)
      if (path::filename(File) == Name && !isHelper(File))
        return refuseHelper(File);
  }
  return llvm::Error::success();
}

// A file that is reached by way of a link to its folder as well has one copy,
// which the others include: `#pragma once` would not know two for one.
llvm::Error Copies::copyOnce(StringRef File, StringRef Place,
                             std::map<std::string, std::string> &Copied) const {
  const std::string Real = realPath(File);
  const bool IsLink =
      realPath(path::parent_path(File)) + "/" + path::filename(File).str() !=
      Real;
  auto [First, IsNew] = Copied.try_emplace(Real, Place.str());
  if (IsNew || IsLink)
    return copy(File, Place);
  return put(Place, "#include \"" + upFrom(Place) + First->second + "\"\n",
             File);
}

llvm::Error Copies::write(const std::set<std::string> &Files,
                          llvm::ArrayRef<ChangedFile> Changes,
                          llvm::ArrayRef<CompileJob> Jobs) {
  std::set<std::string> All = Files;
  for (const ChangedFile &File : Changes) {
    Changed[realPath(File.Path)] = &File;
    All.insert(File.Path);
  }
  if (llvm::Error E = checkHelperPlaces(All, Changes, Folder))
    return E;
  Helper = helperOf(All, Changes, Folder);
  llvm::Error Problems = llvm::Error::success();
  std::map<std::string, std::string> Copied; // By real path, where.
  for (const std::string &File : All) {
    if (isCopy(File) || !fs::is_regular_file(File))
      continue;
    if (auto Place = insideTree(File))
      Problems =
          joinErrors(std::move(Problems), copyOnce(File, *Place, Copied));
  }
  std::set<std::string> Real, Said;
  for (const std::string &File : All)
    Real.insert(realPath(File));
  for (const CompileJob &Job : Jobs)
    if (const std::string Why = ReadByCopies(*this, Job, Real).problem(Changed);
        !Why.empty() && Said.insert(Why).second)
      Problems = joinErrors(std::move(Problems), llvm::createStringError(Why));
  return Problems;
}
