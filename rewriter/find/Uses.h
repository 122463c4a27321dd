//===-- Uses.h - what a piece of code does with an array --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_USES_H
#define BANKSTRIPE_FIND_USES_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/Finding.h"
#include <variant>

namespace bankstripe {

/// Classifies the references to a private array: each is either a full
/// subscript that stays with its element, or an obstacle.
class UseClassifier {
public:
  UseClassifier(clang::ASTContext &Context, const SourceText &Text,
                BodyIndexCache &Bodies)
      : Context(Context), Text(Text), Bodies(Bodies) {}

  /// What \p Reference, which names an array of \p Dimensions extents, does.
  /// \p Body is the index of the function that holds it.
  std::variant<Use, Obstacle> classify(const clang::DeclRefExpr *Reference,
                                       const BodyIndex &Body);

private:
  /// Where an element ends up, seen from an expression that denotes it.
  enum class Fate {
    Read,      ///< Its value is read.
    Write,     ///< It is overwritten.
    ReadWrite, ///< Both.
    Address,   ///< It is reached through an address that stays with it.
    Returned,  ///< A function returns the reference that it was given.
    Escapes,   ///< Its address may reach other elements.
    Unknown,   ///< Not understood.
  };

  struct Scope {
    const BodyIndex &Body;
    unsigned Depth; ///< Of calls followed; bounded.
  };

  Fate ofLvalue(const clang::Expr *E, Scope C);
  Fate ofPointer(const clang::Expr *E, Scope C);
  Fate ofReturned(const clang::Expr *Call, Scope C);
  Fate ofLvalueArgument(const clang::Expr *Call, const clang::Expr *Argument,
                        Scope C);
  Fate ofPointerArgument(const clang::CallExpr *Call,
                         const clang::Expr *Argument, Scope C);
  Fate ofVariable(const clang::VarDecl *Variable, const BodyIndex &Body,
                  unsigned Depth);
  const clang::VarDecl *initialisedBy(const clang::DeclStmt *Statement,
                                      const clang::Expr *Init) const;

  Obstacle wholeArray(const clang::DeclRefExpr *Reference,
                      const BodyIndex &Body) const;
  std::optional<Obstacle> describe(Use &U, const clang::Expr *Element,
                                   const clang::DeclRefExpr *Reference) const;
  std::optional<Obstacle> checkIndices(Use &U,
                                       const clang::Expr *Element) const;
  Obstacle obstacle(Reason Why, const clang::Stmt *At,
                    std::string Detail = "") const;

  clang::ASTContext &Context;
  const SourceText &Text;
  BodyIndexCache &Bodies;
};

} // namespace bankstripe

#endif
