//===-- Arrays.h - the per-thread arrays of a function ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_ARRAYS_H
#define BANKSTRIPE_FIND_ARRAYS_H

#include "find/Declaration.h"
#include "find/Loops.h"
#include "find/Uses.h"
#include "find/VersionText.h"

namespace bankstripe {

/// Builds the findings of one function, or of one instantiation, and knows what
/// they have in common.
class ArrayReader {
public:
  ArrayReader(const clang::FunctionDecl *Function, BodyIndexCache &Bodies,
              clang::ASTContext &Context, const SourceText &Text,
              UseClassifier &Classifier);

  /// The finding of \p Variable, which \p Statement declares; the caller fills
  /// in the kernels that reach it.
  Finding read(const clang::VarDecl *Variable,
               const clang::DeclStmt *Statement);

private:
  void readContext(Finding &F, const clang::VarDecl *Variable) const;
  void readUses(Finding &F, const clang::VarDecl *Variable);
  void readObjectUses(Finding &F, const clang::VarDecl *Variable);
  unsigned viewAlignment(const clang::VarDecl *Variable) const;

  const clang::FunctionDecl *Function;
  const BodyIndex &Body;
  BodyIndexCache &Bodies;
  clang::ASTContext &Context;
  const SourceText &Text;
  UseClassifier &Classifier;
  std::optional<CountedLoops> Loops;
  std::optional<VersionReader> Versions;
};

} // namespace bankstripe

#endif
