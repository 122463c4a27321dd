//===-- Lookup.cpp - which decisions file speaks for a source file --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nearest one does, alone, as people know it from .clang-tidy; a header has
// its own nearest one, whoever includes it. Files are compared by their real
// paths.
//
//===----------------------------------------------------------------------===//

#include "decisions/Decisions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

// The path without links; where there is no such file, the absolute path.
static std::string realPath(StringRef Path) {
  llvm::SmallString<256> Result;
  if (!fs::real_path(Path, Result))
    return std::string(Result);
  Result = Path;
  (void)fs::make_absolute(Result); // Fails only without a current folder.
  path::remove_dots(Result, /*remove_dot_dot=*/true);
  return std::string(Result);
}

DecisionsLookup::DecisionsLookup(DecisionsChoice Choice)
    : Choice(std::move(Choice)) {
  if (!this->Choice.Named.empty())
    this->Choice.Named = realPath(this->Choice.Named);
}

std::string DecisionsLookup::pathFor(StringRef File) const {
  if (Choice.None)
    return "";
  if (!Choice.Named.empty())
    return Choice.Named;
  const std::string Real = realPath(File);
  for (StringRef Folder = path::parent_path(Real); !Folder.empty();
       Folder = path::parent_path(Folder)) {
    llvm::SmallString<256> Path(Folder);
    path::append(Path, DecisionsFileName);
    if (fs::exists(Path))
      return std::string(Path);
  }
  return "";
}

llvm::Error DecisionsLookup::readFor(StringRef File) {
  const std::string Path = pathFor(File);
  if (Path.empty() || Files.count(Path))
    return llvm::Error::success();
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return llvm::createStringError("cannot read '" + Path +
                                   "': " + Buffer.getError().message());
  auto Parsed = parseDecisions((*Buffer)->getBuffer(), Path);
  if (!Parsed)
    return llvm::createStringError("cannot obey the decisions file\n" +
                                   toString(Parsed.takeError()));
  Parsed->Defaults.From = Path;
  Files[Path] = std::move(*Parsed);
  return llvm::Error::success();
}

FileDefaults DecisionsLookup::defaultsFor(StringRef File) const {
  auto It = Files.find(pathFor(File));
  return It == Files.end() ? FileDefaults() : It->second.Defaults;
}

// Makes the path absolute that D has in the decisions file Path.
template <class Decision>
void DecisionsLookup::resolve(Decision &D, StringRef Path) const {
  llvm::SmallString<256> Target(path::parent_path(Path));
  path::append(Target, D.File);
  D.File = realPath(Target);
  if (!fs::exists(D.File)) {
    D.Problem = "there is no such file";
    return;
  }
  const std::string Speaks = pathFor(D.File);
  if (Speaks.empty())
    D.Problem = "that file lies outside the folder of its decisions file";
  else if (Speaks != Path)
    D.Problem = "'" + Speaks + "' speaks for that file";
}

std::vector<ArrayDecision> DecisionsLookup::decisions() const {
  std::vector<ArrayDecision> All;
  for (const auto &[Path, File] : Files)
    for (const ArrayDecision &Written : File.Arrays)
      resolve(All.emplace_back(Written), Path);
  return All;
}

std::vector<KernelDecision> DecisionsLookup::kernelDecisions() const {
  std::vector<KernelDecision> All;
  for (const auto &[Path, File] : Files)
    for (const KernelDecision &Written : File.Kernels)
      resolve(All.emplace_back(Written), Path);
  return All;
}
