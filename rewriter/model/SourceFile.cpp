//===-- SourceFile.cpp - a file as it was read ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/SourceFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace bankstripe;

std::string bankstripe::digestOf(llvm::StringRef Text) {
  const llvm::XXH128_hash_t Hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(Text));
  return llvm::formatv("{0:x-16}{1:x-16}", Hash.high64, Hash.low64);
}

std::string bankstripe::realPath(llvm::StringRef Path) {
  llvm::SmallString<256> Result;
  if (!llvm::sys::fs::real_path(Path, Result))
    return std::string(Result);
  Result = Path;
  // Fails only without a current folder; the path then stays relative.
  (void)llvm::sys::fs::make_absolute(Result);
  llvm::sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return std::string(Result);
}

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
bankstripe::readFile(llvm::StringRef Path) {
  // Without O_NONBLOCK, a pipe would already wait here.
  const int File = open(Path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (File < 0)
    return std::error_code(errno, std::generic_category());
  llvm::scope_exit Close([File] { close(File); });
  struct stat Status = {};
  if (fstat(File, &Status) != 0)
    return std::error_code(errno, std::generic_category());
  if (S_ISDIR(Status.st_mode))
    return std::make_error_code(std::errc::is_a_directory);
  if (!S_ISREG(Status.st_mode))
    return std::make_error_code(std::errc::not_supported);
  if (static_cast<uint64_t>(Status.st_size) > MostTextBytes)
    return std::make_error_code(std::errc::file_too_large);
  return llvm::MemoryBuffer::getOpenFile(File, Path, Status.st_size);
}

std::optional<std::string> bankstripe::readText(llvm::StringRef Path) {
  auto File = readFile(Path);
  if (!File)
    return std::nullopt;
  return (*File)->getBuffer().str();
}

std::string bankstripe::expand(llvm::StringRef Text,
                               llvm::ArrayRef<ExpandedMacro> Expanded) {
  std::string Result;
  size_t Done = 0;
  for (const ExpandedMacro &M : Expanded) {
    if (M.Offset < Done || !Text.substr(M.Offset).starts_with(M.Written))
      return "";
    Result += Text.slice(Done, M.Offset);
    Result += M.Text;
    Done = M.Offset + M.Written.size();
  }
  return Result.append(Text.substr(Done));
}

namespace {

class FilesWithAnEnd : public llvm::vfs::ProxyFileSystem {
public:
  explicit FilesWithAnEnd(bool WithPipes)
      : ProxyFileSystem(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>(
            llvm::vfs::createPhysicalFileSystem().release())),
        WithPipes(WithPipes) {}

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &Path) override {
    auto Status = status(Path);
    if (!Status)
      return Status.getError();
    if (Status->isRegularFile() && Status->getSize() > MostTextBytes)
      return std::make_error_code(std::errc::file_too_large);
    const bool IsPipe =
        Status->getType() == llvm::sys::fs::file_type::fifo_file;
    if (Status->isRegularFile() || Status->isDirectory() ||
        (IsPipe && WithPipes))
      return ProxyFileSystem::openFileForRead(Path);
    return std::make_error_code(std::errc::not_supported);
  }

private:
  bool WithPipes;
};

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
bankstripe::openDisk(bool WithPipes) {
  return llvm::makeIntrusiveRefCnt<FilesWithAnEnd>(WithPipes);
}
