//===-- Folders.h - folders that one run has for itself ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever owns a temporary folder holds a lock on a file in it, which the
// system takes away when the process ends, however that happens. So the next
// run can tell what one that was killed has left, and removes it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WORKERS_FOLDERS_H
#define BANKSTRIPE_WORKERS_FOLDERS_H

#include "contract/Process.h"
#include "llvm/Support/Error.h"
#include <set>
#include <string>
#include <vector>

namespace bankstripe {

/// A folder that is removed when this goes out of scope, or by a signal that
/// ends this process.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder &&Other) noexcept;
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();
  const std::string &path() const { return Path; }
  void keep();

private:
  TemporaryFolder(std::string Path, int Lock);

  HeldSignals Held;
  std::string Path;
  int Lock;
};

/// Builds and hooks run several of us at once. What two of them write into one
/// folder, such as the helper, has what both need only if one reads it after
/// the other wrote it.
class FolderLocks {
public:
  /// Waits until no other run has locked any of \p Folders, which are paths
  /// without links, and says so; after a minute it waits no longer. A folder
  /// that cannot be locked is not waited for.
  explicit FolderLocks(const std::set<std::string> &Folders);
  FolderLocks(const FolderLocks &) = delete;
  FolderLocks &operator=(const FolderLocks &) = delete;
  ~FolderLocks();

private:
  std::vector<int> Files;
};

} // namespace bankstripe

#endif
