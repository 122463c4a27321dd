//===-- Arrays.h - the per-thread arrays of a function ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_ARRAYS_H
#define BANKSTRIPE_FIND_ARRAYS_H

#include "find/Declaration.h"
#include "find/Loops.h"
#include "find/Versions.h"
#include "find/WalkingPointers.h"

namespace bankstripe {

/// The function that \p Variable, which the body of \p Function holds, belongs
/// to: a lambda for the device in a function of the host, or that function.
const clang::FunctionDecl *homeOf(const clang::VarDecl *Variable,
                                  const clang::FunctionDecl *Function);

/// Builds the findings of one function, or of one instantiation, and knows what
/// they have in common. Each mention of an array is a full subscript that stays
/// with its element, a pointer that only walks, or an obstacle.
class ArrayReader {
public:
  ArrayReader(const clang::FunctionDecl *Function, BodyIndexCache &Bodies,
              const SourceText &Text, PointerFollower &Pointers);

  /// The finding of \p Variable, which \p Statement declares; null for a
  /// parameter.
  Finding read(const clang::VarDecl *Variable,
               const clang::DeclStmt *Statement);

private:
  using Subscripts = llvm::SmallVector<const clang::ArraySubscriptExpr *>;

  void readContext(Finding &F, const clang::VarDecl *Variable) const;
  /// \returns whether the array's address may reach casts.
  bool readUses(Finding &F, const clang::VarDecl *Variable);
  bool readObjectUses(Finding &F, const clang::VarDecl *Variable);
  std::optional<Obstacle> readUse(Finding &F,
                                  const clang::DeclRefExpr *Reference);
  std::optional<Obstacle> checkIndices(Use &U, const Subscripts &All,
                                       bool MayEnd) const;
  bool isReadAsWhole(const clang::DeclRefExpr *Reference) const;
  bool isNeverWritten(const Finding &F, size_t FromUses,
                      const clang::VarDecl *Variable) const;
  Obstacle wholeArray(const clang::DeclRefExpr *Reference) const;
  Obstacle obstacle(Reason Why, const clang::Stmt *At,
                    std::string Detail = "") const;

  const clang::FunctionDecl *Function;
  const BodyIndex &Body;
  BodyIndexCache &Bodies;
  const SourceText &Text;
  PointerFollower &Pointers;
  CountedLoops Loops;
};

} // namespace bankstripe

#endif
