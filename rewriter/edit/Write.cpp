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

llvm::Error bankstripe::replaceFile(llvm::StringRef Path, llvm::StringRef Text,
                                    std::optional<llvm::StringRef> Expected) {
  // Through a link, the file that it names is replaced, not the link.
  llvm::SmallString<256> Real(Path);
  fs::file_status Status;
  bool Exists = !fs::status(Path, Status) && fs::exists(Status);
  if (Exists) {
    if (std::error_code EC = fs::real_path(Path, Real))
      return failure(Path, EC.message());
    if (llvm::Error E = checkWritable(Real, Status.permissions()))
      return E;
  }
  if (Expected)
    if (llvm::Error E = checkUnchanged(Real, *Expected))
      return E;

  auto Temporary = fs::TempFile::create(Real + ".bankstripe-%%%%%%",
                                        Exists ? Status.permissions()
                                               : fs::all_read | fs::all_write);
  if (!Temporary)
    return failure(Path, toString(Temporary.takeError()));
  llvm::raw_fd_ostream OS(Temporary->FD, /*shouldClose=*/false);
  OS << Text;
  OS.flush();
  std::error_code EC = OS.error();
  OS.clear_error();
  // The mask of new files may have taken some away.
  if (!EC && Exists)
    EC = fs::setPermissions(Temporary->FD, Status.permissions());
  llvm::Error Failed = EC ? llvm::errorCodeToError(EC) : Temporary->keep(Real);
  if (!Failed)
    return llvm::Error::success();
  llvm::consumeError(Temporary->discard());
  return failure(Path, toString(std::move(Failed)));
}
