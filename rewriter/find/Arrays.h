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
#include "llvm/ADT/StringMap.h"

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
  void findUnseenNames(clang::FileID File, unsigned Begin, unsigned End);
  void checkUnseenNames(Finding &F, const clang::VarDecl *Variable);

  const clang::FunctionDecl *Function;
  const BodyIndex &Body;
  BodyIndexCache &Bodies;
  clang::ASTContext &Context;
  const SourceText &Text;
  UseClassifier &Classifier;
  /// Code that it reaches holds for local memory only.
  bool ReachesLocalAssembly = false;
  std::optional<CountedLoops> Loops;
  std::optional<VersionReader> Versions;
  /// The mentions of variables that the tree does not show, by name, of the
  /// text from UnseenBegin on.
  llvm::StringMap<std::vector<std::pair<Reason, clang::SourceLocation>>> Unseen;
  clang::FileID UnseenFile;
  unsigned UnseenBegin = 0;
};

} // namespace bankstripe

#endif
