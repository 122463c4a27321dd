//===-- Uses.h - what a piece of code does with an array --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_USES_H
#define BANKSTRIPE_FIND_USES_H

#include "find/Pointers.h"
#include "model/Finding.h"
#include <variant>

namespace bankstripe {

/// Classifies the references to a per-thread array: each is either a full
/// subscript that stays with its element, or an obstacle.
class UseClassifier {
public:
  /// \p MayEdit tells whether the functions of a file can get overloads.
  UseClassifier(clang::ASTContext &Context, const SourceText &Text,
                BodyIndexCache &Bodies,
                llvm::function_ref<bool(llvm::StringRef)> MayEdit)
      : Context(Context), Text(Text), Elements(Context, Text, Bodies),
        Pointers(Context, Text, Bodies, Elements, MayEdit) {}

  /// What \p Reference, which names an array, does: a plain subscript, a
  /// pointer that only walks, or an obstacle. \p Body is the index of the
  /// function that holds it.
  std::variant<Use, PointerTrail, Obstacle>
  classify(const clang::DeclRefExpr *Reference, const BodyIndex &Body);

  const PointerFollower &pointers() const { return Pointers; }

private:
  Obstacle wholeArray(const clang::DeclRefExpr *Reference,
                      const BodyIndex &Body) const;
  std::optional<Obstacle> describe(Use &U, const clang::Expr *Element,
                                   const clang::DeclRefExpr *Reference,
                                   const BodyIndex &Body, bool &InMacro) const;
  std::optional<Obstacle> checkIndices(Use &U, const clang::Expr *Element,
                                       const BodyIndex &Body,
                                       bool MayEnd) const;
  Obstacle obstacle(Reason Why, const clang::Stmt *At,
                    std::string Detail = "") const;

  clang::ASTContext &Context;
  const SourceText &Text;
  ElementFollower Elements;
  PointerFollower Pointers;
};

/// Whether the value of \p Reference, or its type, is asked for by a constant
/// expression that reads no element: one that a reference is not allowed in.
bool isPartOfConstant(const clang::DeclRefExpr *Reference,
                      const BodyIndex &Body, const clang::ASTContext &Context);

} // namespace bankstripe

#endif
