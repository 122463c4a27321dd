//===-- VersionText.h - what a version of a function needs ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_VERSIONTEXT_H
#define BANKSTRIPE_FIND_VERSIONTEXT_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/UnitFacts.h"

namespace bankstripe {

/// Whether \p Variable is `__shared__`.
bool isShared(const clang::VarDecl &Variable);

/// Tells for the arrays of one function, or of one instantiation, whether the
/// rest of the body can stand there twice.
class VersionReader {
public:
  VersionReader(const clang::FunctionDecl *Function, const BodyIndex &Body,
                const SourceText &Text);

  /// From \p Statement on, which declares the array, or is the first of the
  /// body of a parameter; null for a variable of a condition.
  VersionText of(const clang::Stmt *Statement) const;
  /// Whether a version of the rest stands before \p Statement already.
  bool isThere(const clang::Stmt *Statement) const;

private:
  void readRest(VersionText &Result, unsigned First) const;
  unsigned positionOf(const clang::Stmt *S) const;
  std::optional<unsigned> beginOf(const clang::Stmt *Outermost) const;

  const clang::FunctionDecl *Function;
  const BodyIndex &Body;
  const SourceText &Text;
  TextRange Written; ///< The body with its braces; invalid when not in a file.
  /// Of the statements of the body itself, counted from 1.
  llvm::DenseMap<const clang::Stmt *, unsigned> Order;
};

/// Whether \p Function is linked as device code in which there may be other
/// definitions of it.
bool isWeak(const clang::FunctionDecl *Function);

} // namespace bankstripe

#endif
