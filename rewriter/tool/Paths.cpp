//===-- Paths.cpp - files and folders -------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Paths.h"
#include "model/SourceFile.h"
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
