//===-- FileText.h - the text of a file that is edited ----------*- C++ -*-===//
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

#ifndef BANKSTRIPE_EDIT_FILETEXT_H
#define BANKSTRIPE_EDIT_FILETEXT_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <set>
#include <vector>

namespace bankstripe {

/// A text that lives elsewhere, with what is known of all of it.
class FileText : public llvm::StringRef {
public:
  /// \p Numbered: others are known to ask for the numbers of its lines.
  explicit FileText(llvm::StringRef Text, bool Numbered = false);

  /// The line that \p Offset is in, counted from 1.
  unsigned lineAt(size_t Offset) const;
  /// As of computesWithLines, or because others ask.
  bool computesWithLines() const;
  /// As of findSafeLines.
  const std::set<size_t> &safeLines() const;

private:
  std::vector<size_t> Newlines; ///< Their offsets.
  mutable std::optional<bool> Computes;
  mutable std::optional<std::set<size_t>> Safe;
};

} // namespace bankstripe

#endif
