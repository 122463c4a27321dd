//===-- FolderLocks.h - keeps other runs out of folders ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds and hooks run several of us at once. What two of them write into one
// folder, such as the helper, has what both need only if one reads it after the
// other wrote it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WORKERS_FOLDERLOCKS_H
#define BANKSTRIPE_WORKERS_FOLDERLOCKS_H

#include <set>
#include <string>
#include <vector>

namespace bankstripe {

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
