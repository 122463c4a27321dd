//===-- Paths.cpp - files and folders -------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which folders there will be in a mirror is known before anything is written,
// and so are a compiler's arguments: they are part of the key under which its
// answer may be known already.
//
//===----------------------------------------------------------------------===//

#include "tool/Paths.h"
#include "frontend/CompilerOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

GivenFiles::GivenFiles(const std::vector<std::string> &Paths) {
  for (const std::string &Path : Paths)
    Real.push_back(realPath(Path));
}

bool GivenFiles::operator()(StringRef File) const {
  auto [It, New] = Known.try_emplace(File, false);
  if (New) {
    const std::string Path = realPath(File);
    It->second = llvm::any_of(Real, [&](const std::string &Given) {
      StringRef Rest = Path;
      return Rest.consume_front(Given) &&
             (Rest.empty() || Given.back() == '/' || Rest.starts_with("/"));
    });
  }
  return It->second;
}

std::string bankstripe::commonFolder(const std::set<std::string> &Files) {
  std::string Common = realPath(*Files.begin());
  if (!fs::is_directory(Common))
    Common = path::parent_path(Common).str();
  for (const std::string &File : Files)
    while (!GivenFiles({Common})(File))
      Common = path::parent_path(Common).str();
  return Common;
}

llvm::Expected<TemporaryFolder> TemporaryFolder::create() {
  llvm::SmallString<128> Path;
  if (std::error_code EC = fs::createUniqueDirectory("bankstripe", Path))
    return llvm::createStringError("cannot make a temporary folder: " +
                                   EC.message());
  return TemporaryFolder(std::string(Path));
}

TemporaryFolder::~TemporaryFolder() {
  if (!Path.empty())
    (void)fs::remove_directories(Path); // Temporary files at worst.
}

// What stands beside a changed file, or the main file, is linked into the
// mirror, so that an #include from there finds the changed file and not its
// original.
static llvm::Error linkNeighbours(StringRef Folder, StringRef Root) {
  if (std::error_code EC = fs::create_directories(Root + Folder))
    return llvm::createStringError("cannot make '" + Root + Folder +
                                   "': " + EC.message());
  std::error_code EC;
  for (fs::directory_iterator It(Folder, EC), End; It != End && !EC;
       It.increment(EC)) {
    std::string Link = Root.str() + It->path();
    if (fs::is_regular_file(It->path()) && !fs::exists(Link))
      if (std::error_code Failed = fs::create_link(It->path(), Link))
        return llvm::createStringError("cannot make '" + Link +
                                       "': " + Failed.message());
  }
  return llvm::Error::success();
}

Mirror::Mirror(llvm::ArrayRef<ChangedFile> Changes, StringRef Root)
    : Changes(Changes), Root(Root) {
  for (const ChangedFile &File : Changes)
    Folders.insert(path::parent_path(File.Path).str());
}

// Whether there will be a folder Folder in the mirror, whatever `..` is in its
// name.
bool Mirror::holds(StringRef Folder) const {
  llvm::SmallString<256> Here;
  for (StringRef Part :
       llvm::make_range(path::begin(Folder), path::end(Folder))) {
    if (Part == "..")
      path::remove_filename(Here);
    else if (Part != ".")
      path::append(Here, Part);
    if (!Above.count(std::string(Here)))
      return false;
  }
  return true;
}

std::vector<std::string> Mirror::add(const CompileJob &Job) {
  Folders.insert(path::parent_path(Job.File).str());
  for (const std::string &Folder : Folders)
    for (StringRef Up = Folder; !Up.empty() && Above.insert(Up.str()).second;)
      Up = path::parent_path(Up);
  // A changed header must be found before its original.
  std::vector<std::string> Args;
  for (const CompilerOption &Option :
       readOptions(Dialect::Clang, Job.ClangArgs)) {
    llvm::SmallString<256> Absolute(Option.Value);
    path::make_absolute(Job.Directory, Absolute);
    if (Option.Meaning == OptionMeaning::Include && holds(Absolute))
      Args.push_back("-I" + Root + std::string(Absolute));
  }
  Args.push_back("-I" + path::parent_path(Job.File).str());
  return Args;
}

llvm::Error Mirror::write() {
  for (const ChangedFile &File :
       Written ? llvm::ArrayRef<ChangedFile>() : Changes) {
    std::string Path = Root + File.Path;
    StringRef Folder = path::parent_path(Path);
    if (std::error_code EC = fs::create_directories(Folder))
      return llvm::createStringError("cannot make '" + Folder +
                                     "': " + EC.message());
    if (llvm::Error E = replaceFile(Path, File.After, std::nullopt))
      return E;
    if (llvm::Error E = replaceFile((Folder + "/" + HelperFileName).str(),
                                    helperText(), std::nullopt))
      return E;
  }
  Written = true;
  for (const std::string &Folder : Folders)
    if (Linked.insert(Folder).second)
      if (llvm::Error E = linkNeighbours(Folder, Root))
        return E;
  return llvm::Error::success();
}
