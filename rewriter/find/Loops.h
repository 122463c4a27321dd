//===-- Loops.h - loops that a pragma could unroll --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which `for` loops count from a constant to a constant, stand where
// `#pragma unroll` can be put before them, and lead the indices of an array.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_LOOPS_H
#define BANKSTRIPE_FIND_LOOPS_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/Finding.h"

namespace bankstripe {

/// The counted loops of a function, or of an instantiation, that stand in a
/// file as they are written, and about which their author has not said
/// anything.
class CountedLoops {
public:
  CountedLoops(const BodyIndex &Body, const clang::ASTContext &Context,
               const SourceText &Text);

  /// The loops whose variables, with constants, are all that the indices of
  /// \p Array are computed from; none where there is anything else to them, or
  /// the array is more than subscripted.
  std::vector<CountedLoop> leading(const clang::VarDecl *Array) const;

private:
  using LoopMap = std::map<Place, CountedLoop>;
  const CountedLoop *around(const clang::Stmt *At,
                            const clang::VarDecl *Variable) const;
  bool isLed(const clang::Expr *Index, LoopMap &Leading) const;

  struct LoopOf {
    const clang::VarDecl *Variable = nullptr;
    CountedLoop Loop;
  };
  const BodyIndex &Body;
  const clang::ASTContext &Context;
  llvm::DenseMap<const clang::ForStmt *, LoopOf> Loops;
};

/// The smallest and the largest value that an index has.
struct IndexRange {
  int64_t Least = 0;
  int64_t Most = 0;
};

/// The values that \p Index has for certain, both of them: a constant, or a sum
/// or multiple of constants and of the variables of counted loops in which it
/// is evaluated each time.
std::optional<IndexRange> rangeOfIndex(const clang::Expr *Index,
                                       const BodyIndex &Body,
                                       const clang::ASTContext &Context);

} // namespace bankstripe

#endif
