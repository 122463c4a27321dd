//===-- SourceFile.h - a file as it was read --------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_SOURCEFILE_H
#define BANKSTRIPE_MODEL_SOURCEFILE_H

#include "llvm/ADT/StringRef.h"
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

/// The bytes of \p Path; nothing when it cannot be read.
std::optional<std::string> readText(llvm::StringRef Path);

} // namespace bankstripe

#endif
