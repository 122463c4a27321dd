//===-- DiskTrace.h - what a parse asked of the disk ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parse learns of the disk by asking a file system. All its questions are
// noted, with the replies: which files were there, which were not, what was in
// them, which of them are one and the same. As long as the disk would reply as
// it did, the parse would come out as it did. So a header that appears where
// one was looked for in vain is noticed, and so is one that `__has_include`
// asked about.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CACHE_DISKTRACE_H
#define BANKSTRIPE_CACHE_DISKTRACE_H

#include "frontend/Frontend.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem/UniqueID.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <map>
#include <optional>

namespace bankstripe {

/// What can be asked about a path.
enum class DiskQuestion : char {
  Content = 'c',  ///< What is in the file.
  Listing = 'l',  ///< The names in the folder.
  Open = 'o',     ///< Whether it can be opened, and its name without links.
  RealPath = 'r', ///< Its name without links.
  Status = 's',   ///< What it is, if it is there.
  MayEdit = 'e',  ///< Whether the user put it at our disposal.
};

/// The reply of the disk.
struct DiskReply {
  std::string Text;
  /// Of what is there, for Open and Status.
  std::optional<llvm::sys::fs::UniqueID> Identity;
};

/// Asks the disk itself, each question once.
class DiskState {
public:
  DiskState(llvm::function_ref<bool(llvm::StringRef File)> MayEdit);
  const DiskReply &ask(DiskQuestion Question, llvm::StringRef Path);

private:
  DiskReply askDisk(DiskQuestion Question, llvm::StringRef Path);

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk;
  llvm::function_ref<bool(llvm::StringRef File)> MayEdit;
  llvm::StringMap<DiskReply> Replies;
};

/// By path and question. The question '=' is which name of the same file comes
/// first; only names that are not the first of theirs have it.
using DiskReplies = std::map<std::pair<std::string, char>, std::string>;

/// Questions with their replies.
class DiskTrace {
public:
  void note(DiskQuestion Question, llvm::StringRef Path, DiskReply Reply);
  /// Whatever comes of this depends on more than the disk.
  void giveUp() { Complete = false; }
  /// Whether the replies were all there is to know, and did not change while
  /// they were given.
  bool isComplete() const { return Complete; }
  DiskReplies replies() const;

private:
  DiskReplies Replies;
  std::map<std::string, llvm::sys::fs::UniqueID> Identities;
  bool Complete = true;
};

/// Whether \p State would give these replies.
bool wouldGive(const DiskReplies &Replies, DiskState &State);

/// Notes what one parse asks.
class DiskRecorder : public ParseWatch {
public:
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
  watch(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk) override;
  void sawTime() override { Trace.giveUp(); }

  DiskTrace Trace;
};

} // namespace bankstripe

#endif
