//===-- Folders.cpp - folders that one run has for itself -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "workers/Folders.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static constexpr llvm::StringLiteral Prefix = "bankstripe";
static constexpr llvm::StringLiteral LockName = "/.lock";

/// Those of this process; a copy of it has the names as well.
static std::set<std::pair<pid_t, std::string>> &folders() {
  static std::set<std::pair<pid_t, std::string>> Folders;
  return Folders;
}

// As this process is about to end.
static void removeAll() {
  for (const auto &[Owner, Path] : folders())
    if (Owner == getpid())
      (void)fs::remove_directories(Path);
  folders().clear();
}

// Takes the lock of Folder. Below zero where that cannot be, or where who had
// it has just removed the folder.
static int takeLock(const std::string &Folder, int HowToOpen, int HowToLock) {
  const int File = open((Folder + LockName).str().c_str(),
                        HowToOpen | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  struct stat Status = {};
  if (File >= 0 && flock(File, HowToLock) == 0 && fstat(File, &Status) == 0 &&
      Status.st_nlink != 0)
    return File;
  if (File >= 0)
    close(File);
  return -1;
}

// What runs that were killed have left in Root.
static void removeLeftovers(StringRef Root) {
  std::error_code EC;
  for (fs::directory_iterator It(Root, EC, /*follow_symlinks=*/false), End;
       It != End && !EC; It.increment(EC)) {
    struct stat Status = {};
    if (!path::filename(It->path()).starts_with((Prefix + "-").str()) ||
        lstat(It->path().c_str(), &Status) != 0 || !S_ISDIR(Status.st_mode) ||
        Status.st_uid != geteuid())
      continue;
    if (const int Lock = takeLock(It->path(), 0, LOCK_EX | LOCK_NB);
        Lock >= 0) {
      (void)fs::remove_directories(It->path()); // The next run tries again.
      close(Lock);
    }
  }
}

llvm::Expected<TemporaryFolder> TemporaryFolder::create() {
  const HeldSignals Held;
  processHooks().RemoveFiles = removeAll;
  llvm::SmallString<128> Path;
  int Lock = -1;
  do {
    if (std::error_code EC = fs::createUniqueDirectory(Prefix, Path))
      return llvm::createStringError("cannot make a temporary folder: " +
                                     EC.message());
    Lock = takeLock(std::string(Path), O_CREAT, LOCK_EX);
  } while (Lock < 0 && !fs::exists(Path)); // Another run took it for left over.
  removeLeftovers(path::parent_path(Path));
  return TemporaryFolder(std::string(Path), Lock);
}

TemporaryFolder::TemporaryFolder(std::string Path, int Lock)
    : Path(std::move(Path)), Lock(Lock) {
  folders().emplace(getpid(), this->Path);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&Other) noexcept
    : Path(std::move(Other.Path)), Lock(std::exchange(Other.Lock, -1)) {
  Other.Path.clear();
}

TemporaryFolder::~TemporaryFolder() {
  if (folders().erase({getpid(), Path}))
    (void)fs::remove_directories(Path); // Temporary files at worst.
  if (Lock >= 0)
    close(Lock);
}

void TemporaryFolder::keep() {
  folders().erase({getpid(), Path});
  (void)fs::remove(Path + LockName);
}

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
