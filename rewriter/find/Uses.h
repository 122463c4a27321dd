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
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <set>
#include <variant>

namespace bankstripe {

/// Classifies the references to a private array: each is either a full
/// subscript that stays with its element, or an obstacle.
class UseClassifier {
public:
  /// \p MayEdit tells whether the functions of a file can get overloads.
  UseClassifier(clang::ASTContext &Context, const SourceText &Text,
                BodyIndexCache &Bodies,
                llvm::function_ref<bool(llvm::StringRef)> MayEdit)
      : Context(Context), Text(Text), Bodies(Bodies), MayEdit(MayEdit) {}

  /// What \p Reference, which names an array, does: a plain subscript, a
  /// pointer that only walks, or an obstacle. \p Body is the index of the
  /// function that holds it.
  std::variant<Use, PointerTrail, Obstacle>
  classify(const clang::DeclRefExpr *Reference, const BodyIndex &Body);

  /// The functions that walking pointers are passed to.
  std::vector<Callee> callees() const;
  const std::set<clang::FileID> &calleeFiles() const { return CalleeFiles; }

private:
  friend class PointerWalker;

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

  /// Whether an element stays with itself, seen from \p Lvalue.
  bool staysWithElement(const clang::Expr *Lvalue, const BodyIndex &Body);
  /// Where the pointers into \p Variable go, if all of them only walk.
  std::optional<PointerTrail> trailOf(const clang::VarDecl *Variable,
                                      const BodyIndex &Body);
  /// Whether parameter \p Index of \p Function only walks; it is then among
  /// the callees, and the result is its definition's place.
  std::optional<Place> walkingParameter(const clang::FunctionDecl *Function,
                                        unsigned Index,
                                        const clang::CallExpr *Call);

  /// Whether the pointee of a callee's parameter names a template parameter.
  bool isDependent(const Place &Callee, unsigned Index) const {
    auto It = Callees.find(Callee);
    if (It == Callees.end() || !It->second.Parameters.count(Index))
      return true;
    return It->second.Parameters.at(Index).To.Dependent;
  }
  bool readWalkingParameter(const clang::FunctionDecl *Instance,
                            const clang::FunctionDecl *Definition,
                            unsigned Index, const BodyIndex &Body,
                            const Place &Where, const TextRange &Whole);

  Obstacle wholeArray(const clang::DeclRefExpr *Reference,
                      const BodyIndex &Body) const;
  std::optional<Obstacle> describe(Use &U, const clang::Expr *Element,
                                   const clang::DeclRefExpr *Reference,
                                   bool &InMacro) const;
  std::optional<Obstacle> checkIndices(Use &U, const clang::Expr *Element,
                                       bool MayEnd) const;
  Obstacle obstacle(Reason Why, const clang::Stmt *At,
                    std::string Detail = "") const;

  clang::ASTContext &Context;
  const SourceText &Text;
  BodyIndexCache &Bodies;
  llvm::function_ref<bool(llvm::StringRef)> MayEdit;

  /// What is known of parameters, by function and index.
  struct ParameterFact {
    bool InProgress = true;
    bool Walks = false;
  };
  std::map<std::pair<const clang::FunctionDecl *, unsigned>, ParameterFact>
      Parameters;
  std::map<Place, Callee> Callees;
  llvm::DenseMap<const clang::VarDecl *, std::optional<PointerTrail>> Trails;
  std::set<clang::FileID> CalleeFiles;
};

} // namespace bankstripe

#endif
