//===-- Annotations.h - code with marks in it -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests write down what they expect at the place in the code where they expect
// it. A mark is a point or a range, with or without a name:
//
//     int x = $read^a[i];         a point named "read", before the `a`
//     int x = ^a[i];              a point without a name
//     [[int a[4]]];               a range without a name, over `int a[4]`
//     $text[[int a[4]]];          a range named "text"
//
// `]]` ends a range when the square brackets inside it are balanced. Code that
// needs `^` writes `xor`, and an attribute is written `[ [unused] ]`. Made
// after llvm::Annotations, which is not packaged with LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_SUPPORT_ANNOTATIONS_H
#define BANKSTRIPE_TESTS_SUPPORT_ANNOTATIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>
#include <vector>

namespace bankstripe::testing {

/// A piece of code, and the marks that stood in it.
class Annotations {
public:
  /// A point has no length.
  struct Mark {
    std::string Name;
    unsigned Begin = 0; ///< Offset in code(), in bytes.
    unsigned End = 0;
  };

  /// Takes the marks out of \p Marked. A range that is not closed is reported
  /// by problem().
  explicit Annotations(llvm::StringRef Marked);

  llvm::StringRef code() const { return Code; }
  /// All marks, in the order in which they begin.
  llvm::ArrayRef<Mark> marks() const { return Marks; }
  /// The marks of one name.
  std::vector<Mark> marks(llvm::StringRef Name) const;
  /// The code under \p M.
  llvm::StringRef text(const Mark &M) const;
  /// What is wrong with the marks; empty when nothing is.
  llvm::StringRef problem() const { return Problem; }

  /// The offset of a one-based line and column; the size of the code when
  /// there is no such place.
  unsigned offset(unsigned Line, unsigned Column) const;
  /// \p Message, and under it the line of \p Offset with a caret below it:
  ///
  ///     line 2: unexpected read
  ///         int x = a[i];
  ///                 ^
  std::string pointAt(unsigned Offset, const llvm::Twine &Message) const;

private:
  std::string Code;
  std::vector<Mark> Marks;
  std::string Problem;
};

} // namespace bankstripe::testing

#endif
