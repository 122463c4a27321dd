//===-- Undo.h - bankstripe undo --------------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `rewrite --in-place` replaces is kept in the folder `undo` of the cache,
// one entry for each run, of the limits that the cache has.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_UNDO_H
#define BANKSTRIPE_TOOL_UNDO_H

#include "cache/Cache.h"
#include "workers/Folders.h"
#include "llvm/Support/Error.h"
#include <set>
#include <vector>

namespace bankstripe {

/// A file that a run wrote in place.
struct WrittenFile {
  std::string Path;                  ///< Without links.
  std::optional<std::string> Before; ///< Nothing where no file was.
  std::string After;
  bool IsHelper = false;
  std::set<std::string> Helpers; ///< The places of those that it includes.
};

/// What runs wrote in place; while this exists, no other run changes it.
class UndoStore {
public:
  /// Error: there is no folder for it.
  static llvm::Expected<UndoStore> open();

  /// Keeps \p Files as the newest. \returns the key. Error: it cannot.
  llvm::Expected<std::string> keep(const std::vector<WrittenFile> &Files);
  /// Replaces what is kept under \p Key by \p Rest; nothing removes it.
  void replace(llvm::StringRef Key, const std::vector<WrittenFile> &Rest);
  /// What each run wrote, the newest first.
  std::map<std::string, std::vector<WrittenFile>, std::greater<>> runs();

  const std::string &folder() const { return Kept.folder(); }

private:
  explicit UndoStore(const std::string &Folder);

  Cache Kept;
  std::unique_ptr<FolderLocks> Lock;
};

} // namespace bankstripe

#endif
