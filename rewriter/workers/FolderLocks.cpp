//===-- FolderLocks.cpp - keeps other runs out of folders -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "workers/FolderLocks.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace bankstripe;

// All runs lock in the same order, so that none waits for one that waits for
// it.
FolderLocks::FolderLocks(const std::set<std::string> &Folders) {
  for (const std::string &Folder : Folders) {
    const int File =
        open(Folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (File < 0)
      continue;
    Files.push_back(File);
    while (flock(File, LOCK_EX) != 0 && errno == EINTR)
      ;
  }
}

FolderLocks::~FolderLocks() {
  for (const int File : Files)
    close(File);
}
