//===-- Reentry.h - functions that may run twice at once --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_REENTRY_H
#define BANKSTRIPE_FIND_REENTRY_H

#include "find/BodyIndex.h"

namespace bankstripe {

/// Tells which functions a thread may enter again before they return. Shared
/// storage inside a function exists once, so those cannot hold any.
class ReentryCheck {
public:
  /// \p Functions are all that the unit defines, \p Initializers the
  /// expressions outside them.
  ReentryCheck(clang::ASTContext &Context, BodyIndexCache &Bodies,
               llvm::ArrayRef<const clang::FunctionDecl *> Functions,
               llvm::ArrayRef<const clang::Expr *> Initializers);

  /// Why \p Function may be re-entered, for a person; empty when it may not.
  std::string whyReentered(const clang::FunctionDecl *Function);

  /// The functions that are named other than to be called, or virtual.
  using FunctionSet = llvm::DenseSet<const clang::FunctionDecl *>;
  const FunctionSet &addressTaken() const { return HiddenEntries; }

private:
  void addHiddenEntries(const BodyIndex &Body, FunctionSet &Entries) const;
  FunctionSet reachableFromAll(const FunctionSet &Entries);
  bool callsUnknown(const clang::FunctionDecl *Function) const;

  BodyIndexCache &Bodies;
  FunctionSet HiddenEntries;
  FunctionSet Hidden;    ///< May be called through a pointer or virtually.
  FunctionSet Destroyed; ///< May be called when an object ends.
};

} // namespace bankstripe

#endif
