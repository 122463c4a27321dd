//===-- SarifPlaces.h - files, lines and columns of a log -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPORT_SARIFPLACES_H
#define BANKSTRIPE_REPORT_SARIFPLACES_H

#include "model/Plan.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <optional>

namespace bankstripe {

/// The lines of a text. Columns count UTF-16 code units, of which a byte that
/// is not UTF-8 is one; a byte order mark is none.
class LineTable {
public:
  explicit LineTable(llvm::StringRef Text);

  /// The bytes from \p Offset to \p End.
  llvm::json::Object region(unsigned Offset, unsigned End) const;
  /// The name, or else the character, that begins at \p P; the line alone where
  /// the text has no such place.
  llvm::json::Object region(const Place &P) const;

private:
  struct Position {
    unsigned Line;
    unsigned Column;
  };
  Position positionOf(unsigned Offset) const;

  llvm::StringRef Text;
  std::vector<unsigned> Starts; ///< Of the lines, in bytes.
};

/// The files that a log names.
class SarifFiles {
public:
  /// \p Contents are what was read of some of them; others are read anew.
  SarifFiles(const std::map<std::string, std::string> &Contents,
             llvm::StringRef Root)
      : Contents(Contents), Root(Root) {}

  /// An artifactLocation.
  llvm::json::Object location(llvm::StringRef File);
  /// A physicalLocation.
  llvm::json::Object physical(const Place &P);
  const LineTable &linesOf(llvm::StringRef File);
  bool isUTF8(llvm::StringRef File);
  /// `src/a.cu`, percent-encoded; of a file elsewhere, its URI.
  std::string uri(llvm::StringRef File) const;
  /// All that were named, in that order.
  llvm::json::Array artifacts();
  /// What the relative names are relative to.
  llvm::json::Object bases() const;

private:
  struct Entry {
    unsigned Index;
    std::optional<std::string> Text; ///< Nothing when it cannot be read.
    LineTable Lines;
  };
  const Entry &entry(llvm::StringRef File);
  bool isBelowRoot(llvm::StringRef File) const;

  const std::map<std::string, std::string> &Contents;
  std::string Root;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> Entries;
  std::vector<std::string> Order;
};

} // namespace bankstripe

#endif
