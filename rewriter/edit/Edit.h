//===-- Edit.h - from a plan to changed files -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fifth arrow of the pipeline, and the only place that knows how text is
// changed:
//
//   Plan => replacements per file => new contents => files on disk
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EDIT_EDIT_H
#define BANKSTRIPE_EDIT_EDIT_H

#include "model/Helper.h"
#include "model/Plan.h"
#include "llvm/Support/Error.h"

namespace bankstripe {

/// A replacement in one file: `Length` bytes at `Offset` become `Text`.
struct TextEdit {
  unsigned Offset = 0;
  unsigned Length = 0;
  std::string Text;
  /// What stands in Text a second time has the lines that it had: those of the
  /// file, counted from 1, one for each line of Text. Else empty.
  std::vector<unsigned> Lines = {};

  unsigned end() const { return Offset + Length; }
  friend auto operator<=>(const TextEdit &, const TextEdit &) = default;
};

/// Edits of one file, ordered. Equal edits are one: a macro may show the same
/// text to the compiler several times.
using EditList = std::vector<TextEdit>;

/// One file that the plan changes.
struct ChangedFile {
  std::string Path;   ///< Absolute path of the original.
  std::string Before; ///< The bytes that were parsed.
  std::string After;
  EditList Edits = {}; ///< From the one to the other; no two of them touch.
  /// The line of Before that each line of After is, or belongs to.
  std::vector<unsigned> Lines = {};
};

/// What was planned, and what that changes.
struct PlannedChanges {
  Plan Decisions;
  std::vector<ChangedFile> Changes;
};

/// Edits of a file overlap, which is a defect of an earlier stage.
class UnwritableFile : public llvm::ErrorInfo<UnwritableFile> {
public:
  static char ID;
  UnwritableFile(std::string Path, std::string Problem)
      : Path(std::move(Path)), Problem(std::move(Problem)) {}
  void log(llvm::raw_ostream &OS) const override {
    OS << Path << ": " << Problem;
  }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  const std::string Path, Problem;
};

/// Carries out \p P on the contents that it carries. With \p EmbedHelper the
/// helper's text goes into each changed file, else an `#include` of it.
/// Errors: UnwritableFile, for the first of such files.
llvm::Expected<std::vector<ChangedFile>> applyPlan(const Plan &P,
                                                   bool EmbedHelper);

/// What a file shall hold.
struct NewContents {
  llvm::StringRef Path, Text;
  /// If given, it is replaced only while it holds just that.
  std::optional<llvm::StringRef> Expected;
};

/// Replaces all of \p Files or none, each of them atomically, keeping their
/// permissions. Errors: a file is read-only, has changed, or cannot be written.
llvm::Error replaceFiles(llvm::ArrayRef<NewContents> Files);

/// The same for one file.
llvm::Error replaceFile(llvm::StringRef Path, llvm::StringRef Text,
                        std::optional<llvm::StringRef> Expected);

/// The same for a file that no user writes: a link in its place goes, and what
/// that names stays. One that holds \p Text is not touched.
llvm::Error writeOwnFile(llvm::StringRef Path, llvm::StringRef Text);

/// Makes the folder \p Path, at or below \p Top, which no user makes either. An
/// error if a link stands in the place of one of them.
llvm::Error makeOwnFolder(llvm::StringRef Path, llvm::StringRef Top);

} // namespace bankstripe

#endif
