//===-- BodyIndex.h - one function body, indexed ----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over a function's body that remembers what every question of this
// stage is about: parents of statements, references to variables, calls,
// launches, and which names stand where. Clang's own parent map covers the
// whole translation unit and costs seconds with thrust included; this covers
// only the functions that are asked about.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_BODYINDEX_H
#define BANKSTRIPE_FIND_BODYINDEX_H

#include "model/Reason.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <vector>

namespace bankstripe {

/// What one function body contains.
struct BodyIndex {
  explicit BodyIndex(const clang::ASTContext &Context) : Context(Context) {}

  const clang::ASTContext &Context;
  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> Parents;
  llvm::DenseMap<const clang::VarDecl *,
                 std::vector<const clang::DeclRefExpr *>>
      References;
  /// Variables in the order of their declarations, with the statement that
  /// declares them (null for a condition's or a handler's variable).
  std::vector<std::pair<const clang::VarDecl *, const clang::DeclStmt *>>
      Variables;
  /// Functions named in the body, and where.
  std::vector<const clang::DeclRefExpr *> FunctionReferences;
  /// What decltype and typeof are asked about.
  llvm::DenseSet<const clang::Expr *> TypeOperands;
  /// Null for one that may lead to any label.
  std::vector<const clang::GotoStmt *> Gotos;
  std::vector<const clang::SwitchCase *> SwitchCases;
  /// `break`, `continue` and `return`.
  std::vector<const clang::Stmt *> Exits;
  std::vector<const clang::CallExpr *> Calls;   ///< Launches too.
  std::vector<const clang::CXXThisExpr *> This; ///< Implicit ones too.
  std::vector<const clang::ForStmt *> ForLoops;
  /// Where the tree holds a name of any kind (raw encodings of locations).
  llvm::DenseSet<clang::SourceLocation> NameLocations;
  /// Where an instantiation names a variable of its pattern, as types do that
  /// depend on no parameter: the length of an array, for example.
  llvm::DenseSet<clang::SourceLocation> OfPattern;
  /// Functions that it declares, using-declarations and -directives.
  std::vector<const clang::NamedDecl *> Visible;
  /// Names that the function declares itself, parameters included, or makes
  /// visible.
  llvm::DenseSet<const clang::IdentifierInfo *> LocalNames;

  const clang::Stmt *parentOf(const clang::Stmt *S) const {
    return Parents.lookup(S);
  }
  /// \p S with the statements of \p Kinds right around it: the parent of the
  /// result is none of these.
  template <class... Kinds>
  const clang::Stmt *outermost(const clang::Stmt *S) const {
    while (llvm::isa_and_nonnull<Kinds...>(parentOf(S)))
      S = parentOf(S);
    return S;
  }
  /// The statement around \p S, and around statements of \p Kinds there.
  template <class... Kinds>
  const clang::Stmt *around(const clang::Stmt *S) const {
    return parentOf(outermost<Kinds...>(S));
  }
  /// Whether nothing uses the value of \p E: it stands as a statement.
  bool isDiscarded(const clang::Expr *E) const;
  /// The subscript of an array, or of a row of one; null when \p Array is used
  /// in another way.
  const clang::ArraySubscriptExpr *subscriptOf(const clang::Expr *Array) const;
  /// The subscripts of the array that \p Reference names, up to an element,
  /// the first one first.
  llvm::SmallVector<const clang::ArraySubscriptExpr *>
  subscriptsOf(const clang::Expr *Reference) const;
  /// Where \p Variable is named; it may be null.
  llvm::ArrayRef<const clang::DeclRefExpr *>
  references(const clang::VarDecl *Variable) const {
    auto Found = References.find(Variable);
    if (Found == References.end())
      return {};
    return Found->second;
  }
  /// The call of the function that \p Reference names; null where the name
  /// stands for something else.
  const clang::CallExpr *callOf(const clang::DeclRefExpr *Reference) const;
};

/// The variable that \p E names; null when it is something else.
const clang::VarDecl *variableOf(const clang::Expr *E);

/// Whether \p Index is an integer as it is written.
inline bool isInteger(const clang::Expr *Index) {
  return Index->IgnoreUnlessSpelledInSource()
      ->getType()
      ->isIntegralOrUnscopedEnumerationType();
}

/// The function whose text \p Function is an instance of, or itself.
const clang::FunctionDecl *patternOf(const clang::FunctionDecl *Function);

/// Whether \p D, or the template that it is an instance of, stands in a system
/// header.
bool isOfSystem(const clang::Decl *D);

/// What a statement or an expression consists of; what stands elsewhere, as
/// defaults do, as well.
llvm::SmallVector<const clang::Stmt *> partsOf(const clang::Stmt *S);

/// Whether \p Holds is true of \p S or of any part of it.
bool anyPart(const clang::Stmt *S,
             llvm::function_ref<bool(const clang::Stmt *)> Holds);

/// Indexes a statement by itself: a body, or an expression that belongs to no
/// function, such as the initialiser of a global variable.
BodyIndex indexStatement(const clang::Stmt *S,
                         const clang::ASTContext &Context);

/// A mention of a name that no node of the tree accounts for, and what it
/// stands against: the preprocessor skipped it, a macro or an instantiation
/// dropped it.
using UnseenMention = std::pair<Reason, clang::SourceLocation>;

/// Indexes bodies, once each.
class BodyIndexCache {
public:
  /// The index of the body of \p Function's definition; null without a body.
  const BodyIndex *get(const clang::FunctionDecl *Function);
  /// The largest alignment, in bytes, that a cast claims for memory of less
  /// aligned objects, in \p Function or in what it calls or names, as far as
  /// the tree shows that; 0 without such a cast. (Who calls whom in all is for
  /// the IR to say, evidence/Calls.h.)
  unsigned claimedAlignment(const clang::FunctionDecl *Function);
  /// The mentions of \p Variable's name behind its declaration in the body of
  /// \p Function that the tree does not explain: an edit would leave them
  /// behind.
  llvm::SmallVector<UnseenMention>
  unseenMentions(const clang::FunctionDecl *Function,
                 const clang::VarDecl *Variable);

private:
  using MentionsByName = llvm::StringMap<std::vector<UnseenMention>>;
  llvm::DenseMap<const clang::FunctionDecl *, MentionsByName> Unseen;
  llvm::DenseMap<const clang::FunctionDecl *, unsigned> Claims;
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<BodyIndex>>
      Indexes;
};

} // namespace bankstripe

#endif
