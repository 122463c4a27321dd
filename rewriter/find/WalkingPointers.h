//===-- WalkingPointers.h - follow pointers into an array -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_WALKINGPOINTERS_H
#define BANKSTRIPE_FIND_WALKINGPOINTERS_H

#include "find/ElementFate.h"
#include "find/Operators.h"
#include "find/SourceText.h"
#include "model/Finding.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace bankstripe {

/// Follows the pointers into arrays, and the parameters that they are given to.
class PointerFollower {
public:
  /// \p MayEdit tells whether the functions of a file can get overloads.
  PointerFollower(const SourceText &Text, BodyIndexCache &Bodies,
                  const UserOperators &Operators,
                  llvm::function_ref<bool(llvm::StringRef)> MayEdit)
      : Operators(Operators), Text(Text), Bodies(Bodies), MayEdit(MayEdit) {}

  /// To be told all of them before any array is asked about.
  const UserOperators &Operators;

  /// The name of a function that \p Body uses as a value must stay that of one
  /// function, and what it calls is called so. To be told of all bodies before
  /// any array is asked about.
  void noteFunctions(const BodyIndex &Body);

  /// Where the pointers into \p Variable go, if all of them only walk.
  std::optional<PointerTrail> trailOf(const clang::VarDecl *Variable,
                                      const BodyIndex &Body);
  /// Whether the pointer that \p Part of \p Variable decays to only walks.
  bool walks(const clang::Expr *Part, const clang::VarDecl *Variable,
             const BodyIndex &Body);
  /// The functions that walking pointers are passed to.
  std::vector<Callee> callees() const;

private:
  friend class PointerWalker;

  /// Whether parameter \p Index of \p Function only walks; it is then among
  /// the callees, and the result is its definition's place. \p AsBits becomes
  /// false if what it points to cannot be bits.
  std::optional<Place> walkingParameter(const clang::FunctionDecl *Function,
                                        unsigned Index,
                                        const clang::CallExpr *Call,
                                        bool &AsBits);

  /// Whether the pointee of a callee's parameter names a template parameter.
  bool isDependent(const Place &Callee, unsigned Index) const {
    auto It = Callees.find(Callee);
    return It == Callees.end() || !It->second.Parameters.count(Index) ||
           It->second.Parameters.at(Index).To.Dependent;
  }
  bool readWalkingParameter(const clang::FunctionDecl *Instance,
                            const clang::FunctionDecl *Definition,
                            unsigned Index, const BodyIndex &Body,
                            const Place &Where, const TextRange &Whole);

  std::string deducedType(const clang::FunctionDecl *Function, unsigned Index,
                          const BodyIndex &Body) const;

  const SourceText &Text;
  BodyIndexCache &Bodies;
  llvm::function_ref<bool(llvm::StringRef)> MayEdit;

  using Call = std::pair<const clang::DeclRefExpr *, const clang::CallExpr *>;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<Call>> Calls;
  llvm::DenseSet<const clang::FunctionDecl *> Values; ///< Or their templates.
  /// Whether parameters walk, by function and index; nothing while their
  /// function is looked at.
  std::map<std::pair<const clang::FunctionDecl *, unsigned>,
           std::optional<bool>>
      Parameters;
  llvm::DenseSet<std::pair<const clang::FunctionDecl *, unsigned>> NotAsBits;
  std::map<Place, Callee> Callees;
  llvm::DenseMap<const clang::VarDecl *, std::optional<PointerTrail>> Trails;
};

} // namespace bankstripe

#endif
