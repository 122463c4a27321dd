//===-- Paths.h - files and folders -----------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_PATHS_H
#define BANKSTRIPE_TOOL_PATHS_H

#include "edit/Edit.h"
#include "frontend/Frontend.h"
#include "llvm/ADT/StringMap.h"
#include <set>
#include <string>
#include <vector>

namespace bankstripe {

/// The files that the user put at our disposal by naming them or folders above
/// them, be it through links.
class GivenFiles {
public:
  explicit GivenFiles(const std::vector<std::string> &Paths);
  bool operator()(llvm::StringRef File) const;

private:
  std::vector<std::string> Real;
  mutable llvm::StringMap<bool> Known; ///< Many units read the same headers.
};

/// The folder that all of \p Files lie in, or are themselves, without links.
std::string commonFolder(const std::set<std::string> &Files);

/// The user's files below another folder, at their absolute paths: changed ones
/// as they would be, with the helper beside each, and links to the others, so
/// that whatever includes a changed file finds that and not its original.
class Mirror {
public:
  /// \p Changes, some of \p Files, have to outlive this.
  Mirror(llvm::ArrayRef<ChangedFile> Changes, std::set<std::string> Files,
         llvm::StringRef Root);
  /// \returns the arguments that make a compiler look there first for what
  /// \p Job includes.
  std::vector<std::string> argumentsFor(const CompileJob &Job) const;
  /// Writes all of it, once.
  llvm::Error write();
  const std::string &root() const { return Root; }
  llvm::ArrayRef<ChangedFile> changes() const { return Changes; }

private:
  bool holds(llvm::StringRef Folder) const;

  llvm::ArrayRef<ChangedFile> Changes;
  std::set<std::string> Files;
  std::string Root;
  std::set<std::string> Folders; ///< Of the files, and all above them.
  bool Written = false;
};

} // namespace bankstripe

#endif
