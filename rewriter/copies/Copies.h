//===-- Copies.h - the user's tree, and rewritten copies of it --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For --output-dir, and for nvcc to look at. A folder is copied: of it whatever
// was read, changed or not, each file at its place. A compiler that is told -I
// COPIES/include in the place of -I include, or before it, so finds every
// changed header, whoever includes it. A header that stayed where it was would
// find the original beside it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_COPIES_COPIES_H
#define BANKSTRIPE_COPIES_COPIES_H

#include "edit/Edit.h"
#include "frontend/Frontend.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace bankstripe {

/// The files that the user put at our disposal by naming them or folders above
/// them, be it through links, and not excluding them.
class GivenFiles {
public:
  explicit GivenFiles(const std::vector<std::string> &Paths,
                      ExcludedFiles Excluded = {});
  bool operator()(llvm::StringRef File) const;

private:
  /// Each with the folder below which globs are compared.
  std::vector<std::pair<std::string, std::string>> Real;
  ExcludedFiles Excluded;
  mutable llvm::StringMap<bool> Known; ///< Many units read the same headers.
};

/// The folder that all of \p Files lie in, or are themselves, without links.
std::string commonFolder(llvm::ArrayRef<std::string> Files);

/// Error: a helper cannot be written at \p Place, since there is a file that no
/// earlier run wrote. It says that nothing was changed, so ask before that.
llvm::Error checkHelperPlace(llvm::StringRef Place);

/// The copies of one tree.
class Copies {
public:
  /// They are made below \p Folder, of the folder that all of \p Paths lie in.
  Copies(llvm::StringRef Folder, const std::vector<std::string> &Paths);

  /// Whether \p File is a copy that an earlier run made of what is given now.
  bool isCopy(llvm::StringRef File) const;
  /// Where the copy of \p File is; nothing where it lies outside of the tree.
  std::optional<std::string> placeOf(llvm::StringRef File) const;
  const std::string &folder() const { return Folder; }
  /// What makes a compiler look for copies first of what \p Job includes.
  std::vector<std::string> argumentsFor(const CompileJob &Job) const;

  /// Writes copies of \p Files, rewritten where \p Changes says so, and one
  /// helper where these include it. Nothing outside of the folder is touched,
  /// also through no link. Errors: something cannot be written, or the copies
  /// of \p Jobs would include the original of a changed file, or of one that
  /// they include as a copy as well; the others are written. If another file
  /// has the name of a helper, nothing is.
  llvm::Error write(const std::set<std::string> &Files,
                    llvm::ArrayRef<ChangedFile> Changes,
                    llvm::ArrayRef<CompileJob> Jobs = {});

private:
  std::optional<std::string> insideTree(llvm::StringRef File) const;
  llvm::Error put(llvm::StringRef Place, llvm::StringRef Text,
                  llvm::StringRef Original) const;
  llvm::Error copy(llvm::StringRef File, llvm::StringRef Place) const;
  llvm::Error copyOnce(llvm::StringRef File, llvm::StringRef Place,
                       std::map<std::string, std::string> &Copied) const;

  std::string Folder; ///< Absolute, with a slash at its end, as is Tree.
  std::string Tree;   ///< Without links.
  std::map<std::string, const ChangedFile *> Changed; ///< By real path.
  std::string Helper; ///< The text of all helpers among the copies.
};

} // namespace bankstripe

#endif
