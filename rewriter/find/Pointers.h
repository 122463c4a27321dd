//===-- Pointers.h - follow pointers into an array --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_POINTERS_H
#define BANKSTRIPE_FIND_POINTERS_H

#include "find/ElementFate.h"
#include "model/Callee.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <set>

namespace bankstripe {

/// Follows the pointers into arrays, and the parameters that they are given to.
class PointerFollower {
public:
  /// \p MayEdit tells whether the functions of a file can get overloads.
  PointerFollower(clang::ASTContext &Context, const SourceText &Text,
                  BodyIndexCache &Bodies, ElementFollower &Elements,
                  llvm::function_ref<bool(llvm::StringRef)> MayEdit)
      : Context(Context), Text(Text), Bodies(Bodies), Elements(Elements),
        MayEdit(MayEdit) {}

  /// Where the pointers into \p Variable go, if all of them only walk.
  std::optional<PointerTrail> trailOf(const clang::VarDecl *Variable,
                                      const BodyIndex &Body);
  /// The functions that walking pointers are passed to.
  std::vector<Callee> callees() const;
  const std::set<clang::FileID> &calleeFiles() const { return CalleeFiles; }

private:
  friend class PointerWalker;

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

  clang::ASTContext &Context;
  const SourceText &Text;
  BodyIndexCache &Bodies;
  ElementFollower &Elements;
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
