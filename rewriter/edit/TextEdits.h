//===-- TextEdits.h - edits, and the text that they make --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file can have thousands of functions that are edited, each of which asks in
// which line it stands. What takes a look at the whole text is found out once.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EDIT_TEXTEDITS_H
#define BANKSTRIPE_EDIT_TEXTEDITS_H

#include "edit/Edit.h"
#include <map>
#include <set>

namespace bankstripe {

/// A text that lives elsewhere, with what is known of all of it.
class FileText : public llvm::StringRef {
public:
  /// \p Numbered: others are known to ask for the numbers of its lines.
  explicit FileText(llvm::StringRef Text, bool Numbered = false);

  /// The line that \p Offset is in, counted from 1.
  unsigned lineAt(size_t Offset) const;
  /// What `__LINE__` is in \p Line.
  unsigned presumedLine(unsigned Line) const;
  /// As of computesWithLines, or because others ask.
  bool computesWithLines() const;
  /// As of findSafeLines.
  const std::set<size_t> &safeLines() const;

private:
  std::vector<size_t> Newlines; ///< Their offsets.
  mutable std::optional<bool> Computes;
  mutable std::optional<std::set<size_t>> Safe;
  mutable std::optional<std::map<size_t, unsigned>> Given; ///< By `#line`.
};

/// `\r\n` if \p Code's first line ends so, else `\n`.
llvm::StringRef lineEndingOf(llvm::StringRef Code);
/// The blanks at the start of the line that holds \p Offset.
llvm::StringRef indentationAt(llvm::StringRef Code, unsigned Offset);

/// Whether code stands in the line behind that of \p Offset. It would stick to
/// a function that is inserted there.
bool codeFollows(llvm::StringRef Code, unsigned Offset);

/// Orders \p Edits and drops repetitions.
void sortEdits(EditList &Edits);

/// \p Edits in order, with one of those that touch.
EditList joined(EditList Edits, const FileText &Code);

/// A text that was edited, and which line of the original each of its lines is:
/// that of the piece with its first character.
struct EditedText {
  std::string Text;
  std::vector<unsigned> Lines; ///< As in ChangedFile, one for each line.

  void append(const EditedText &More);
  /// Appends \p More, all of which belongs to the line \p Line.
  void append(const llvm::Twine &More, unsigned Line);
};

/// Sorts \p Edits, drops repetitions, and applies them to \p Code from
/// \p Begin to \p End (those that lie inside). Errors: two of them overlap.
llvm::Expected<EditedText> applyEdits(const FileText &Code, unsigned Begin,
                                      unsigned End, EditList Edits);

/// Applies \p Edits to all of \p Code. Those that touch become one: who reads
/// them elsewhere need not know in which order to apply these.
llvm::Expected<ChangedFile> changeFile(llvm::StringRef Path,
                                       const FileText &Code, EditList Edits);

/// `#line 12`, as the text's own directives number its \p Line, with the line
/// ending of \p Code.
std::string lineDirective(const FileText &Code, unsigned Line);

/// \p Edits, which are in order and do not touch, with directives that give the
/// lines of \p Code behind them their numbers again.
EditList keepLineNumbers(const FileText &Code, EditList Edits);

} // namespace bankstripe

#endif
