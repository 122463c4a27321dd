//===-- PointerWalker.h - follow pointers into an array ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_POINTERWALKER_H
#define BANKSTRIPE_FIND_POINTERWALKER_H

#include "find/Uses.h"

namespace bankstripe {

/// Follows every pointer that begins with one variable (the array itself, or a
/// parameter) through one function body. It only walks when each of its uses
/// would mean the same for an object that steps from element to element.
class PointerWalker {
public:
  /// \p Element is the unqualified type that the pointers must keep.
  PointerWalker(UseClassifier &Classifier, const BodyIndex &Body,
                const clang::VarDecl *Source, clang::QualType Element)
      : Classifier(Classifier), Body(Body), Source(Source), Element(Element) {}

  /// Whether the pointer that \p Value computes only walks.
  bool follow(const clang::Expr *Value);
  /// Whether that holds for every use of the pointer variable \p Pointer.
  bool followVariable(const clang::VarDecl *Pointer);
  /// Whether nothing but pointers into the same array meets what was followed.
  bool staysAmongItself();

  PointerTrail take() { return std::move(Trail); }

private:
  bool followBinary(const clang::BinaryOperator *Operator,
                    const clang::Expr *Value);
  bool followArgument(const clang::CallExpr *Call, const clang::Expr *Value);
  bool followDeclaration(const clang::DeclStmt *Statement,
                         const clang::Expr *Value);
  bool followReference(const clang::DeclRefExpr *Reference);
  bool track(const clang::VarDecl *Pointer);
  bool isTracked(const clang::Expr *Value) const;
  bool isDiscarded(const clang::Expr *Value) const;

  UseClassifier &Classifier;
  const BodyIndex &Body;
  const clang::VarDecl *Source;
  clang::QualType Element;
  llvm::DenseSet<const clang::VarDecl *> Tracked;
  std::vector<const clang::Expr *> Meets; ///< Must be tracked as well.
  std::vector<const clang::DeclStmt *> Statements;
  PointerTrail Trail;
};

/// The text of the pointers that \p Statement declares, if all of it can be
/// declared anew.
std::optional<PointerDeclaration>
readPointerDeclaration(const clang::DeclStmt *Statement,
                       const SourceText &Text);

/// The text of \p Parameter of a pattern's or function's definition, if it can
/// be declared anew.
std::optional<CalleeParameter>
readPointerParameter(const clang::ParmVarDecl *Parameter,
                     const SourceText &Text);

} // namespace bankstripe

#endif
