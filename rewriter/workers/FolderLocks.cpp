//===-- FolderLocks.cpp - keeps other runs out of folders -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "workers/FolderLocks.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

using namespace bankstripe;

// Who holds it may be who waits for us, as with `flock FOLDER bankstripe ...`.
static void lock(int File, const std::string &Folder) {
  using namespace std::chrono_literals;
  constexpr std::chrono::milliseconds Most = 1min, Pause = 20ms;
  for (std::chrono::milliseconds Waited = 0ms; Waited < Most; Waited += Pause) {
    if (flock(File, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      return;
    if (Waited == 0ms)
      llvm::errs() << "bankstripe: waiting for another run, which writes into '"
                   << Folder << "'\n";
    std::this_thread::sleep_for(Pause);
  }
}

// All runs lock in the same order, so that none waits for one that waits for
// it.
FolderLocks::FolderLocks(const std::set<std::string> &Folders) {
  for (const std::string &Folder : Folders) {
    const int File =
        open(Folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (File < 0)
      continue;
    Files.push_back(File);
    lock(File, Folder);
  }
}

FolderLocks::~FolderLocks() {
  for (const int File : Files)
    close(File);
}
