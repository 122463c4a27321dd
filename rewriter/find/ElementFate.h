//===-- ElementFate.h - follow one element of an array ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_ELEMENTFATE_H
#define BANKSTRIPE_FIND_ELEMENTFATE_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"

namespace bankstripe {

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

/// Follows elements through a function and those that it calls.
class ElementFollower {
public:
  ElementFollower(clang::ASTContext &Context, const SourceText &Text,
                  BodyIndexCache &Bodies)
      : Context(Context), Text(Text), Bodies(Bodies) {}

  /// The fate of the element that \p Lvalue denotes, in the function of \p
  /// Body.
  Fate fateOf(const clang::Expr *Lvalue, const BodyIndex &Body) {
    return ofLvalue(Lvalue, {Body, 0});
  }
  /// Whether it stays with itself.
  bool staysWithElement(const clang::Expr *Lvalue, const BodyIndex &Body) {
    const Fate F = fateOf(Lvalue, Body);
    return F != Fate::Escapes && F != Fate::Returned;
  }

private:
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

  clang::ASTContext &Context;
  const SourceText &Text;
  BodyIndexCache &Bodies;
};

/// The variable that \p Statement initialises with \p Init; null if none.
const clang::VarDecl *initialisedBy(const clang::DeclStmt *Statement,
                                    const clang::Expr *Init);

} // namespace bankstripe

#endif
