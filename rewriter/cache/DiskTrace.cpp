//===-- DiskTrace.cpp - what a parse asked of the disk --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors are part of a reply: a header that cannot be read is an error, one
// that is not there is looked for elsewhere. Which files are one and the same
// counts for `#pragma once` and for folders that are named twice; files that
// are not must stay so.
//
//===----------------------------------------------------------------------===//

#include "cache/Cache.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <vector>

using namespace bankstripe;
using llvm::StringRef;
using llvm::Twine;
using llvm::sys::fs::UniqueID;
namespace vfs = llvm::vfs;

static DiskReply failed(std::error_code Code) {
  return {"!" + std::to_string(Code.value()), std::nullopt};
}

static DiskReply replyOf(const llvm::ErrorOr<vfs::Status> &Status) {
  if (!Status)
    return failed(Status.getError());
  const char *Kind = Status->isDirectory()     ? "folder"
                     : Status->isRegularFile() ? "file"
                                               : "other";
  return {Kind, Status->getUniqueID()};
}

static DiskReply
replyOf(const llvm::ErrorOr<std::unique_ptr<vfs::File>> &File) {
  if (!File)
    return failed(File.getError());
  DiskReply Reply = replyOf((*File)->status());
  if (auto Name = (*File)->getName())
    Reply.Text += " " + *Name;
  return Reply;
}

static DiskReply
replyOf(const llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> &Buffer) {
  if (!Buffer)
    return failed(Buffer.getError());
  return {strongDigestOf((*Buffer)->getBuffer()), std::nullopt};
}

static DiskReply listingOf(vfs::FileSystem &Files, StringRef Folder) {
  std::error_code Code;
  std::vector<std::string> Names;
  for (vfs::directory_iterator It = Files.dir_begin(Folder, Code), End;
       It != End && !Code; It.increment(Code))
    Names.push_back(It->path().str());
  if (Code)
    return failed(Code);
  llvm::sort(Names);
  const StringRef Between("\0", 1); // Which is in no name.
  return {strongDigestOf(llvm::join(Names, Between)), std::nullopt};
}

static DiskReply realPathOf(vfs::FileSystem &Files, StringRef Path) {
  llvm::SmallString<256> Real;
  if (std::error_code Code = Files.getRealPath(Path, Real))
    return failed(Code);
  return {std::string(Real), std::nullopt};
}

DiskState::DiskState(llvm::function_ref<bool(StringRef)> MayEdit)
    : Disk(vfs::createPhysicalFileSystem().release()), MayEdit(MayEdit) {}

DiskReply DiskState::askDisk(DiskQuestion Question, StringRef Path) {
  switch (Question) {
  case DiskQuestion::Status:
    return replyOf(Disk->status(Path));
  case DiskQuestion::Listing:
    return listingOf(*Disk, Path);
  case DiskQuestion::RealPath:
    return realPathOf(*Disk, Path);
  case DiskQuestion::MayEdit:
    return {MayEdit(Path) ? "yes" : "no", std::nullopt};
  case DiskQuestion::Open:
  case DiskQuestion::Content:
    break;
  }
  // To open a pipe would wait for who writes to it.
  if (auto Status = Disk->status(Path);
      Status && !Status->isRegularFile() && !Status->isDirectory())
    return {"!no file", std::nullopt};
  auto File = Disk->openFileForRead(Path);
  if (Question == DiskQuestion::Open)
    return replyOf(File);
  if (!File)
    return failed(File.getError());
  return replyOf((*File)->getBuffer(Path, /*FileSize=*/-1,
                                    /*RequiresNullTerminator=*/false));
}

const DiskReply &DiskState::ask(DiskQuestion Question, StringRef Path) {
  llvm::SmallString<256> Name(Path);
  Name.push_back(static_cast<char>(Question));
  auto [It, New] = Replies.try_emplace(Name);
  if (New)
    It->second = askDisk(Question, Path);
  return It->second;
}

void DiskTrace::note(DiskQuestion Question, StringRef Path, DiskReply Reply) {
  if (Reply.Identity) {
    auto [It, New] = Identities.try_emplace(Path.str(), *Reply.Identity);
    Complete &= New || It->second == *Reply.Identity;
  }
  auto [It, New] = Replies.try_emplace(
      {Path.str(), static_cast<char>(Question)}, Reply.Text);
  Complete &= New || It->second == Reply.Text;
}

// For each file that has several names all but the first, with the first.
static DiskReplies
findAliases(const std::map<std::string, UniqueID> &Identities) {
  std::map<UniqueID, std::string> First;
  DiskReplies Aliases;
  for (const auto &[Path, Identity] : Identities) {
    auto [It, New] = First.try_emplace(Identity, Path);
    if (!New)
      Aliases.emplace(std::pair(Path, '='), It->second);
  }
  return Aliases;
}

DiskReplies DiskTrace::replies() const {
  DiskReplies All = Replies;
  All.merge(findAliases(Identities));
  return All;
}

bool bankstripe::wouldGive(const DiskReplies &Replies, DiskState &State) {
  DiskReplies Aliases;
  std::map<std::string, UniqueID> Identities;
  for (const auto &[Asked, Reply] : Replies) {
    const auto &[Path, Question] = Asked;
    if (Question == '=') {
      Aliases.emplace(Asked, Reply);
      continue;
    }
    const DiskReply &Now = State.ask(static_cast<DiskQuestion>(Question), Path);
    if (Now.Text != Reply)
      return false;
    if (Now.Identity)
      Identities.emplace(Path, *Now.Identity);
  }
  return findAliases(Identities) == Aliases;
}

namespace {

/// A file whose content is noted when it is read.
class RecordedFile : public vfs::File {
public:
  RecordedFile(std::unique_ptr<vfs::File> Inner, std::string Path,
               DiskTrace &Trace)
      : Inner(std::move(Inner)), Path(std::move(Path)), Trace(Trace) {}

  llvm::ErrorOr<vfs::Status> status() override { return Inner->status(); }
  llvm::ErrorOr<std::string> getName() override { return Inner->getName(); }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
  getBuffer(const Twine &Name, int64_t FileSize, bool RequiresNullTerminator,
            bool IsVolatile) override {
    auto Buffer =
        Inner->getBuffer(Name, FileSize, RequiresNullTerminator, IsVolatile);
    Trace.note(DiskQuestion::Content, Path, replyOf(Buffer));
    return Buffer;
  }
  std::error_code close() override { return Inner->close(); }

private:
  std::unique_ptr<vfs::File> Inner;
  std::string Path;
  DiskTrace &Trace;
};

/// A file system that notes what it is asked.
class RecordedDisk : public vfs::ProxyFileSystem {
public:
  RecordedDisk(llvm::IntrusiveRefCntPtr<vfs::FileSystem> Disk, DiskTrace &Trace)
      : ProxyFileSystem(std::move(Disk)), Trace(Trace) {}

  llvm::ErrorOr<vfs::Status> status(const Twine &Path) override {
    auto Status = getUnderlyingFS().status(Path);
    Trace.note(DiskQuestion::Status, absolute(Path), replyOf(Status));
    return Status;
  }
  bool exists(const Twine &Path) override {
    const auto Status = status(Path);
    return Status && Status->exists();
  }
  llvm::ErrorOr<std::unique_ptr<vfs::File>>
  openFileForRead(const Twine &Path) override {
    auto File = getUnderlyingFS().openFileForRead(Path);
    std::string Name = absolute(Path);
    Trace.note(DiskQuestion::Open, Name, replyOf(File));
    if (!File)
      return File;
    return std::make_unique<RecordedFile>(std::move(*File), std::move(Name),
                                          Trace);
  }
  vfs::directory_iterator dir_begin(const Twine &Folder,
                                    std::error_code &Code) override {
    const std::string Name = absolute(Folder);
    Trace.note(DiskQuestion::Listing, Name, listingOf(getUnderlyingFS(), Name));
    return getUnderlyingFS().dir_begin(Folder, Code);
  }
  std::error_code setCurrentWorkingDirectory(const Twine &Folder) override {
    Trace.note(DiskQuestion::Status, absolute(Folder),
               replyOf(getUnderlyingFS().status(Folder)));
    return getUnderlyingFS().setCurrentWorkingDirectory(Folder);
  }
  std::error_code getRealPath(const Twine &Path,
                              llvm::SmallVectorImpl<char> &Output) override {
    const std::string Name = absolute(Path);
    Trace.note(DiskQuestion::RealPath, Name,
               realPathOf(getUnderlyingFS(), Name));
    return getUnderlyingFS().getRealPath(Path, Output);
  }

private:
  std::string absolute(const Twine &Path) const {
    llvm::SmallString<256> Name;
    Path.toVector(Name);
    if (makeAbsolute(Name))
      Trace.giveUp(); // There is no working directory.
    return std::string(Name);
  }

  DiskTrace &Trace;
};

} // namespace

llvm::IntrusiveRefCntPtr<vfs::FileSystem>
DiskRecorder::watch(llvm::IntrusiveRefCntPtr<vfs::FileSystem> Disk) {
  return llvm::makeIntrusiveRefCnt<RecordedDisk>(std::move(Disk), Trace);
}
