//===-- Loops.h - loops from constant to constant ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which `for` loops count from a constant to a constant, and which values
// indices have by them.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_LOOPS_H
#define BANKSTRIPE_FIND_LOOPS_H

#include "find/BodyIndex.h"

namespace bankstripe {

/// The smallest and the largest value that an index has.
struct IndexRange {
  int64_t Least = 0;
  int64_t Most = 0;
};

/// The counted loops of a function, or of an instantiation.
class CountedLoops {
public:
  explicit CountedLoops(const BodyIndex &Body);

  /// The values that \p Index has for certain, both of them: a constant, or a
  /// sum or multiple of constants and of the variables of counted loops in
  /// which it is evaluated each time.
  std::optional<IndexRange> rangeOf(const clang::Expr *Index) const {
    llvm::SmallPtrSet<const clang::VarDecl *, 4> Seen;
    return rangeOf(Index, Seen);
  }

private:
  struct Loop {
    const clang::VarDecl *Variable = nullptr;
    IndexRange Values;   ///< Of its variable.
    bool IsLeft = false; ///< Before it has run that often.
  };
  std::optional<IndexRange>
  rangeOf(const clang::Expr *E,
          llvm::SmallPtrSetImpl<const clang::VarDecl *> &Seen) const;
  std::optional<IndexRange> rangeAt(const clang::Stmt *At,
                                    const clang::VarDecl *Variable) const;

  const BodyIndex &Body;
  llvm::DenseMap<const clang::ForStmt *, Loop> Loops;
};

} // namespace bankstripe

#endif
