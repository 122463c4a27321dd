//===-- Includes.h - what a source includes, by its text --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a preprocessor: all directives count, whatever #if they stand in. So
// the files that are found are at least those that a compiler would read, of
// the user's; the folders of system headers are not looked into.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TEXT_INCLUDES_H
#define BANKSTRIPE_TEXT_INCLUDES_H

#include "llvm/ADT/StringRef.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bankstripe {

/// One `#include`, or one `__has_include`.
struct IncludeDirective {
  /// The name with its quotes or brackets; of length 0 where a macro names the
  /// file.
  size_t Offset = 0, Length = 0;
  std::string Name; ///< Without them.
  bool Quoted = false;
  bool Next = false; ///< `#include_next`.
  bool Asks = false; ///< `__has_include`.
};

std::vector<IncludeDirective> findIncludes(const std::string &Text);

/// Where included files are looked for.
struct IncludeFolders {
  std::vector<std::string> Quote, Any;

  /// Adds those of \p List, the value of CPATH, which come last. What other
  /// variables name are folders of the system.
  void addFromEnvironment(llvm::StringRef List);
};

/// One file of the user's.
struct IncludedFile {
  std::string Name; ///< As the compiler would spell it.
  std::string Text;
  std::vector<IncludeDirective> Directives;
  /// For each of them the real path of the file that it names; empty for a
  /// file that was not found.
  std::vector<std::string> Targets;
};

/// A source with whatever it includes, by real path.
struct IncludeTree {
  std::string Main; ///< Real path.
  std::map<std::string, IncludedFile> Files;
};

/// Where `#include` of \p Directive in the file \p Includer leads to, spelled
/// as compilers do: the includer's folder, a slash, the name.
std::optional<std::string> findIncluded(const IncludeDirective &Directive,
                                        llvm::StringRef Includer,
                                        const IncludeFolders &Folders);

/// Reads \p Main and what it includes; nothing when it cannot be read.
std::optional<IncludeTree> readIncludeTree(llvm::StringRef Main,
                                           const IncludeFolders &Folders);

/// Whether device code in \p Tree may declare a per-thread array: some file has
/// a keyword for it, and some file a `[`.
bool mayHoldPrivateArray(const IncludeTree &Tree);

} // namespace bankstripe

#endif
