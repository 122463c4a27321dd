//===-- Write.cpp - what the changes are written to -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "edit/Edit.h"
#include "model/SourceFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
namespace fs = llvm::sys::fs;

static llvm::Error failure(llvm::StringRef Path, const llvm::Twine &What) {
  return llvm::createStringError("cannot write '" + Path + "': " + What);
}

// The superuser may write anything; a file that its owner protected is still
// left alone.
static llvm::Error checkWritable(llvm::StringRef Path, fs::perms Permissions) {
  if (!(Permissions & (fs::owner_write | fs::group_write | fs::others_write)) ||
      !fs::can_write(Path))
    return failure(Path, "it is read-only; make it writable or use "
                         "--output-dir");
  return llvm::Error::success();
}

static llvm::Error checkUnchanged(llvm::StringRef Path,
                                  llvm::StringRef Expected) {
  auto Current = readFile(Path);
  if (!Current)
    return failure(Path, Current.getError().message());
  if ((*Current)->getBuffer() != Expected)
    return failure(Path, "it has changed since it was read; run bankstripe "
                         "again");
  return llvm::Error::success();
}

llvm::Error bankstripe::writeOwnFile(llvm::StringRef Path,
                                     llvm::StringRef Text) {
  if (fs::is_symlink_file(Path)) {
    if (std::error_code EC = fs::remove(Path))
      return failure(Path, EC.message());
  } else if (readText(Path) == Text) {
    return llvm::Error::success();
  }
  return replaceFile(Path, Text, std::nullopt);
}

llvm::Error bankstripe::makeOwnFolder(llvm::StringRef Path,
                                      llvm::StringRef Top) {
  for (llvm::StringRef Folder = Path; Folder.size() >= Top.size();
       Folder = llvm::sys::path::parent_path(Folder))
    if (fs::is_symlink_file(Folder))
      return failure(Path, "'" + Folder +
                               "' is a link, which another program made; "
                               "remove it");
  if (std::error_code EC = fs::create_directories(Path))
    return failure(Path, EC.message());
  return llvm::Error::success();
}

namespace {

/// A new text on the disk, beside the file whose place it will take.
struct PreparedFile : NewContents {
  /// Through a link, the file that it names is replaced, not the link.
  llvm::SmallString<256> Real;
  fs::TempFile Temporary;
  /// What was there when it was replaced; nothing where no file was.
  std::optional<std::string> Before = std::nullopt;
};

} // namespace

static llvm::Expected<PreparedFile> prepare(const NewContents &File) {
  llvm::SmallString<256> Real(File.Path);
  fs::file_status Status;
  const bool Exists = !fs::status(File.Path, Status) && fs::exists(Status);
  if (Exists) {
    if (std::error_code EC = fs::real_path(File.Path, Real))
      return failure(File.Path, EC.message());
    if (llvm::Error E = checkWritable(Real, Status.permissions()))
      return std::move(E);
  }
  if (File.Expected)
    if (llvm::Error E = checkUnchanged(Real, *File.Expected))
      return std::move(E);

  auto Temporary = fs::TempFile::create(Real + ".bankstripe-%%%%%%",
                                        Exists ? Status.permissions()
                                               : fs::all_read | fs::all_write);
  if (!Temporary)
    return failure(File.Path, toString(Temporary.takeError()));
  llvm::raw_fd_ostream OS(Temporary->FD, /*shouldClose=*/false);
  OS << File.Text;
  OS.flush();
  std::error_code EC = OS.error();
  OS.clear_error();
  // The mask of new files may have taken some away.
  if (!EC && Exists)
    EC = fs::setPermissions(Temporary->FD, Status.permissions());
  // There may be more files than a process may have open.
  const std::error_code Unclosed = fs::closeFile(Temporary->FD);
  if (!EC)
    EC = Unclosed;
  if (!EC)
    return PreparedFile{File, Real, std::move(*Temporary)};
  llvm::consumeError(Temporary->discard());
  return failure(File.Path, EC.message());
}

// What somebody else wrote meanwhile stays.
static llvm::Error restore(const PreparedFile &File) {
  if (File.Before)
    return replaceFile(File.Real, *File.Before, File.Text);
  if (llvm::Error E = checkUnchanged(File.Real, File.Text))
    return E;
  std::error_code EC = fs::remove(File.Real);
  return EC ? failure(File.Path, EC.message()) : llvm::Error::success();
}

// Renames, and never copies, which could end half-way.
static llvm::Error replace(PreparedFile &File, bool IsAlone) {
  if (!IsAlone && fs::exists(File.Real)) {
    auto Before = readFile(File.Real);
    if (!Before)
      return failure(File.Path, Before.getError().message());
    File.Before = (*Before)->getBuffer().str();
  }
  if (File.Expected)
    if (llvm::Error E = checkUnchanged(File.Real, *File.Expected))
      return E;
  std::error_code EC = fs::rename(File.Temporary.TmpName, File.Real);
  return EC ? failure(File.Path, EC.message()) : llvm::Error::success();
}

llvm::Error bankstripe::replaceFiles(llvm::ArrayRef<NewContents> Files) {
  llvm::Error Problems = llvm::Error::success();
  std::vector<PreparedFile> Prepared;
  for (const NewContents &File : Files)
    if (auto Next = prepare(File))
      Prepared.push_back(std::move(*Next));
    else
      Problems = joinErrors(std::move(Problems), Next.takeError());
  size_t Replaced = 0;
  while (!Problems && Replaced < Prepared.size()) {
    Problems = replace(Prepared[Replaced], Files.size() == 1);
    if (!Problems)
      ++Replaced;
  }
  // The last first: two names may be those of one file.
  for (size_t I = Prepared.size(); I-- > 0;) {
    if (Problems && I < Replaced)
      Problems = joinErrors(std::move(Problems), restore(Prepared[I]));
    // Nothing is there under its name once that was renamed.
    llvm::consumeError(Prepared[I].Temporary.discard());
  }
  return Problems;
}

llvm::Error bankstripe::replaceFile(llvm::StringRef Path, llvm::StringRef Text,
                                    std::optional<llvm::StringRef> Expected) {
  return replaceFiles({{Path, Text, Expected}});
}
