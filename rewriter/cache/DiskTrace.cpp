//===-- DiskTrace.cpp - what a parse asked of the disk --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors are part of a reply: a header that cannot be read is an error, one
// that is not there is looked for elsewhere. Which names lead to one file
// counts for `#pragma once` and for folders that are named twice, so replies
// hold names without links.
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
namespace vfs = llvm::vfs;

static std::string failed(std::error_code Code) {
  return "!" + std::to_string(Code.value());
}

static std::string realPathOf(vfs::FileSystem &Files, StringRef Path) {
  llvm::SmallString<256> Real;
  if (std::error_code Code = Files.getRealPath(Path, Real))
    return failed(Code);
  return std::string(Real);
}

static std::string statusOf(vfs::FileSystem &Files, StringRef Path,
                            const llvm::ErrorOr<vfs::Status> &Status) {
  if (!Status)
    return failed(Status.getError());
  if (Status->isDirectory())
    return "folder " + realPathOf(Files, Path);
  return Status->isRegularFile() ? "file" : "other";
}

static std::string
nameOf(const llvm::ErrorOr<std::unique_ptr<vfs::File>> &File) {
  if (!File)
    return failed(File.getError());
  const llvm::ErrorOr<std::string> Name = (*File)->getName();
  return Name ? *Name : failed(Name.getError());
}

static std::string
digestOf(const llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> &Buffer) {
  return Buffer ? strongDigestOf((*Buffer)->getBuffer())
                : failed(Buffer.getError());
}

static std::string listingOf(vfs::FileSystem &Files, StringRef Folder) {
  std::error_code Code;
  std::vector<std::string> Names;
  for (vfs::directory_iterator It = Files.dir_begin(Folder, Code), End;
       It != End && !Code; It.increment(Code))
    Names.push_back(It->path().str());
  if (Code)
    return failed(Code);
  llvm::sort(Names);
  const StringRef Between("\0", 1); // Which is in no name.
  return strongDigestOf(llvm::join(Names, Between));
}

DiskState::DiskState(llvm::function_ref<bool(StringRef)> MayEdit)
    : Disk(vfs::createPhysicalFileSystem().release()), MayEdit(MayEdit) {}

static std::string compilersOf(StringRef Names) {
  const auto [Nvcc, HostCompiler] = Names.split('\n');
  return strongDigestOf(identityOfNvcc(Nvcc, HostCompiler) +
                        environmentOfNvcc());
}

std::string DiskState::askDisk(DiskQuestion Question, StringRef Path) {
  switch (Question) {
  case DiskQuestion::Status:
    return statusOf(*Disk, Path, Disk->status(Path));
  case DiskQuestion::Listing:
    return listingOf(*Disk, Path);
  case DiskQuestion::RealPath:
    return realPathOf(*Disk, Path);
  case DiskQuestion::MayEdit:
    return MayEdit(Path) ? "yes" : "no";
  case DiskQuestion::Compilers:
    return compilersOf(Path);
  case DiskQuestion::Open:
  case DiskQuestion::Content:
    break;
  }
  // To open a pipe would wait for who writes to it.
  if (auto Status = Disk->status(Path);
      Status && !Status->isRegularFile() && !Status->isDirectory())
    return "!no file";
  auto File = Disk->openFileForRead(Path);
  if (Question == DiskQuestion::Open)
    return nameOf(File);
  if (!File)
    return failed(File.getError());
  return digestOf((*File)->getBuffer(Path, /*FileSize=*/-1,
                                     /*RequiresNullTerminator=*/false));
}

const std::string &DiskState::ask(DiskQuestion Question, StringRef Path) {
  llvm::SmallString<256> Name(Path);
  Name.push_back(static_cast<char>(Question));
  auto [It, New] = Replies.try_emplace(Name);
  if (New)
    It->second = askDisk(Question, Path);
  return It->second;
}

void DiskTrace::note(DiskQuestion Question, StringRef Path,
                     const std::string &Reply) {
  auto [It, New] =
      Replies.try_emplace({Path.str(), static_cast<char>(Question)}, Reply);
  Complete &= New || It->second == Reply;
}

bool bankstripe::wouldGive(const DiskReplies &Replies, DiskState &State) {
  return llvm::all_of(Replies, [&](const auto &Each) {
    const auto &[Path, Question] = Each.first;
    return State.ask(static_cast<DiskQuestion>(Question), Path) == Each.second;
  });
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
    Trace.note(DiskQuestion::Content, Path, digestOf(Buffer));
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
    noteStatus(absolute(Path), Status);
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
    Trace.note(DiskQuestion::Open, Name, nameOf(File));
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
    noteStatus(absolute(Folder), getUnderlyingFS().status(Folder));
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
  void noteStatus(const std::string &Path,
                  const llvm::ErrorOr<vfs::Status> &Status) {
    Trace.note(DiskQuestion::Status, Path,
               statusOf(getUnderlyingFS(), Path, Status));
  }
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

void DiskRecorder::askedNvcc(StringRef Nvcc, StringRef HostCompiler) {
  const std::string Names = (Nvcc + "\n" + HostCompiler).str();
  Trace.note(DiskQuestion::Compilers, Names, compilersOf(Names));
}
