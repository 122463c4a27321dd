//===-- Loops.h - loops that a pragma could unroll --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which `for` loops count from a constant to a constant, which of them lead the
// indices of an array, and which values indices have by them.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_LOOPS_H
#define BANKSTRIPE_FIND_LOOPS_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/Finding.h"

namespace bankstripe {

/// The smallest and the largest value that an index has.
struct IndexRange {
  int64_t Least = 0;
  int64_t Most = 0;
};

/// The counted loops of a function, or of an instantiation.
class CountedLoops {
public:
  CountedLoops(const BodyIndex &Body, const SourceText &Text);

  /// The loops whose variables, with constants, are all that the indices of
  /// \p Array are computed from; none where there is anything else to them, or
  /// the array is more than subscripted. They stand in a file as they are
  /// written, and their author has not said anything about them.
  std::vector<CountedLoop> leading(const clang::VarDecl *Array) const;

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
    unsigned Trips = 0;
    IndexRange Values;   ///< Of its variable.
    bool IsLeft = false; ///< Before it has run that often.
  };
  using LoopMap = std::map<Place, CountedLoop>;

  bool isLed(const clang::Expr *Index, LoopMap &Leading) const;
  bool isLedBy(const clang::Stmt *At, const clang::VarDecl *Variable,
               LoopMap &Leading) const;
  std::optional<IndexRange>
  rangeOf(const clang::Expr *E,
          llvm::SmallPtrSetImpl<const clang::VarDecl *> &Seen) const;
  std::optional<IndexRange> rangeAt(const clang::Stmt *At,
                                    const clang::VarDecl *Variable) const;

  const BodyIndex &Body;
  const SourceText &Text;
  llvm::DenseMap<const clang::ForStmt *, Loop> Loops;
};

} // namespace bankstripe

#endif
