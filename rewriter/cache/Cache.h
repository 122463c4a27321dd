//===-- Cache.h - answers of earlier runs -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers are kept in a folder that all processes of a user share, under a key
// (Identity.cpp) and with a trace of what they depended on (DiskTrace.cpp):
// docs/internals/front-end.md says how. The cache is never needed: where it
// cannot be read or written, there is none.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CACHE_CACHE_H
#define BANKSTRIPE_CACHE_CACHE_H

#include "frontend/Frontend.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <map>
#include <optional>
#include <set>
#include <string>

namespace bankstripe {

/// 40 hexadecimal digits that tell \p Text from all other texts.
std::string strongDigestOf(llvm::StringRef Text);

/// Makes a key of named parts.
class KeyBuilder {
public:
  KeyBuilder &add(llvm::StringRef Name, llvm::StringRef Value);
  /// 40 hexadecimal digits.
  std::string key();

private:
  llvm::TruncatedBLAKE3<20> Hasher;
};

/// A folder of values. Several processes may use it at the same time: an entry
/// appears whole or not at all, and one that is damaged is none.
class Cache {
public:
  Cache(std::string Folder, llvm::CachePruningPolicy Limits)
      : Folder(std::move(Folder)), Limits(Limits) {}

  /// A value that was put under \p Key and that \p IsRight accepts. There can
  /// be a few, since what a key does not name may have been different.
  std::optional<std::string>
  get(llvm::StringRef Key,
      llvm::function_ref<bool(llvm::StringRef Value)> IsRight);

  /// Keeps \p Value under \p Key, in the place of the oldest where there are
  /// many. Failures are silent.
  void put(llvm::StringRef Key, llvm::StringRef Value);

  /// Those of all values.
  std::set<std::string> keys() const;

  /// Removes what is under \p Key.
  void remove(llvm::StringRef Key) const;

  /// Removes what was not asked for in the longest time, as long as there is
  /// too much. Does nothing when somebody did so lately, or nothing was put.
  void prune() const;

  const std::string &folder() const { return Folder; }

private:
  std::string path(llvm::StringRef Key, unsigned Variant) const;

  std::string Folder;
  llvm::CachePruningPolicy Limits;
  bool HasGrown = false;
};

/// The folder that the environment asks for: $BANKSTRIPE_CACHE_DIR,
/// $XDG_CACHE_HOME/bankstripe or ~/.cache/bankstripe; empty when there is none.
std::string usualCacheFolder();

/// The size that the environment asks for ($BANKSTRIPE_CACHE_SIZE, in bytes or
/// with K, M or G behind the number), else the usual one.
llvm::CachePruningPolicy usualCacheLimits();

/// Tells this program from all other builds of it, with the libraries that it
/// runs with. Empty when that cannot be told.
std::string ownIdentity();

/// Tells the file \p Path from others that stood or will stand there: by its
/// real name, size and time, scripts by their text.
std::string identityOfFile(llvm::StringRef Path);

/// Tells the library \p Name, if it is loaded, likewise: such as the driver.
std::string identityOfLibrary(const char *Name);

/// Tells nvcc at \p Nvcc, with the compilers that it runs, from other ones.
/// \p HostCompiler is the one that its command names, or empty.
std::string identityOfNvcc(llvm::StringRef Nvcc, llvm::StringRef HostCompiler);

/// The variables that Clang looks at, with their values.
std::string environmentOfClang();

/// Those that nvcc and the programs that it runs look at.
std::string environmentOfNvcc();

/// What can be asked about a path.
enum class DiskQuestion : char {
  Content = 'c',  ///< What is in the file.
  Listing = 'l',  ///< The names in the folder.
  Open = 'o',     ///< Whether it can be opened, and its name without links.
  RealPath = 'r', ///< Its name without links.
  Status = 's',   ///< What it is, if it is there; of folders the name as well.
  MayEdit = 'e',  ///< Whether the user put it at our disposal.
  /// Which compilers they are: nvcc, a newline, and the host compiler that it
  /// is told to use, if any.
  Compilers = 'n',
};

/// Asks the disk itself, each question once.
class DiskState {
public:
  DiskState(llvm::function_ref<bool(llvm::StringRef File)> MayEdit);
  const std::string &ask(DiskQuestion Question, llvm::StringRef Path);

private:
  std::string askDisk(DiskQuestion Question, llvm::StringRef Path);

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk;
  llvm::function_ref<bool(llvm::StringRef File)> MayEdit;
  llvm::StringMap<std::string> Replies;
};

/// By path and question.
using DiskReplies = std::map<std::pair<std::string, char>, std::string>;

/// Questions with their replies.
class DiskTrace {
public:
  void note(DiskQuestion Question, llvm::StringRef Path,
            const std::string &Reply);
  /// Whatever comes of this depends on more than the disk.
  void giveUp() { Complete = false; }
  /// Whether the replies were all there is to know, and did not change while
  /// they were given.
  bool isComplete() const { return Complete; }
  const DiskReplies &replies() const { return Replies; }

private:
  DiskReplies Replies;
  bool Complete = true;
};

/// Whether \p State would give these replies.
bool wouldGive(const DiskReplies &Replies, DiskState &State);

/// Notes what one parse asks.
class DiskRecorder : public ParseWatch {
public:
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
  watch(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk) override;
  void askedNvcc(llvm::StringRef Nvcc, llvm::StringRef HostCompiler) override;
  void sawTime() override { Trace.giveUp(); }

  DiskTrace Trace;
};

} // namespace bankstripe

#endif
