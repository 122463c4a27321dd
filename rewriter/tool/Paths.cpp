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

Mirror::Mirror(llvm::ArrayRef<ChangedFile> Changes, std::set<std::string> Given,
               StringRef Root)
    : Changes(Changes), Files(std::move(Given)), Root(Root) {
  for (const std::string &File : Files)
    for (StringRef Up = path::parent_path(File);
         !Up.empty() && Folders.insert(Up.str()).second;)
      Up = path::parent_path(Up);
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
    if (!Folders.count(std::string(Here)))
      return false;
  }
  return true;
}

std::vector<std::string> Mirror::argumentsFor(const CompileJob &Job) const {
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
  if (std::exchange(Written, true))
    return llvm::Error::success();
  for (const std::string &Folder : Folders)
    if (std::error_code EC = fs::create_directories(Root + Folder))
      return llvm::createStringError("cannot make '" + Root + Folder +
                                     "': " + EC.message());
  for (const ChangedFile &File : Changes) {
    const std::string Path = Root + File.Path;
    const std::string Helper =
        (path::parent_path(Path) + "/" + HelperFileName).str();
    if (llvm::Error E = replaceFile(Path, File.After, std::nullopt))
      return E;
    if (llvm::Error E = replaceFile(Helper, helperText(), std::nullopt))
      return E;
  }
  for (const std::string &File : Files)
    if (!fs::exists(Root + File))
      if (std::error_code EC = fs::create_link(File, Root + File))
        return llvm::createStringError("cannot make '" + Root + File +
                                       "': " + EC.message());
  return llvm::Error::success();
}
