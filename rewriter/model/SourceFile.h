//===-- SourceFile.h - a file as it was read --------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_SOURCEFILE_H
#define BANKSTRIPE_MODEL_SOURCEFILE_H

#include "model/Place.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <optional>
#include <string>

namespace bankstripe {

/// A file as it was read.
struct SourceFile {
  std::string Path;   ///< Absolute.
  std::string Digest; ///< Of its bytes.
};

/// 32 hexadecimal digits that tell \p Text from other texts.
std::string digestOf(llvm::StringRef Text);

/// \p Path without links; where there is no such file, the absolute path.
std::string realPath(llvm::StringRef Path);

/// More than any text has that a project holds.
constexpr uint64_t MostTextBytes = uint64_t(1) << 30;

/// The bytes of \p Path, a regular file of at most MostTextBytes: others may
/// have no end, or wait for somebody who writes to them.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef Path);

/// The same; nothing when it cannot be read.
std::optional<std::string> readText(llvm::StringRef Path);

/// \p Text with \p Expanded, which are in order; empty where it holds others.
std::string expand(llvm::StringRef Text,
                   llvm::ArrayRef<ExpandedMacro> Expanded);

/// The disk, with a working folder of its own, of which such files can be read,
/// and pipes where somebody ends what waits for them.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> openDisk(bool WithPipes);

} // namespace bankstripe

#endif
