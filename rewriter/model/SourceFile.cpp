//===-- SourceFile.cpp - a file as it was read ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/SourceFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

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

std::optional<std::string> bankstripe::readText(llvm::StringRef Path) {
  auto File = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!File)
    return std::nullopt;
  return (*File)->getBuffer().str();
}
