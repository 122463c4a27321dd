//===-- Place.h - where something stands in the sources ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places and ranges of source text as plain values. They outlive the Clang
// objects that they were read from, so every later stage can be tested and
// printed without a compiler.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_PLACE_H
#define BANKSTRIPE_MODEL_PLACE_H

#include <compare>
#include <string>

namespace bankstripe {

/// A position that a person can look up.
struct Place {
  std::string File;    ///< Absolute path; empty when unknown.
  unsigned Line = 0;   ///< One-based.
  unsigned Column = 0; ///< One-based, in bytes.

  bool isValid() const { return !File.empty() && Line != 0; }
  friend auto operator<=>(const Place &, const Place &) = default;
};

/// A stretch of bytes in one file.
struct TextRange {
  std::string File;    ///< Absolute path; empty when there is no such text.
  unsigned Offset = 0; ///< In bytes from the start of the file.
  unsigned Length = 0; ///< In bytes; 0 names a point between two bytes.

  bool isValid() const { return !File.empty(); }
  unsigned end() const { return Offset + Length; }
  friend auto operator<=>(const TextRange &, const TextRange &) = default;
};

/// What stands in a text on one line where another line began in the definition
/// of a macro.
inline constexpr char SoftBreak = '\v';

/// A use of a macro that is read as what it stands for, on one line: `Text` is
/// in the place of `Written`, and as many line breaks behind it as that has.
struct ExpandedMacro {
  unsigned Offset = 0; ///< In bytes from the start of the file as written.
  std::string Written, Text;

  friend bool operator==(const ExpandedMacro &,
                         const ExpandedMacro &) = default;
};

/// `a.cu:40`.
std::string shortText(const Place &Where);

} // namespace bankstripe

#endif
