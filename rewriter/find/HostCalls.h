//===-- HostCalls.h - what callers give host functions ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of a function are known where all its calls are. Calls are
// read body by body, and every other place that names a function may call it
// with anything: an instance of a generic lambda, a default argument of an
// instance, code that the compiler adds, a function as a value. And some
// functions can be called without being named.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_HOSTCALLS_H
#define BANKSTRIPE_FIND_HOSTCALLS_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/UnitFacts.h"
#include "llvm/ADT/MapVector.h"

namespace bankstripe {

/// The places that name functions in the code of a unit, with all instances of
/// templates, and which of them are understood.
class FunctionNames {
public:
  explicit FunctionNames(const SourceText &Text) : Text(Text) {}

  /// Reads \p D, a declaration of the unit that is in no other one.
  void read(clang::Decl *D);
  /// What becomes of \p Function where \p Name names it is known.
  void count(const clang::Expr *Name) { Counted.insert(Name); }
  /// Whether code may run \p Function where it does not name it: by another
  /// name, from assembly, or from templates of system headers.
  bool hasOtherNames(const clang::FunctionDecl *Function) const;
  /// The user's functions that are named where that was not counted, and one
  /// place for each.
  llvm::MapVector<const clang::FunctionDecl *, const clang::Expr *>
  uncounted() const;

private:
  const SourceText &Text;
  std::vector<std::pair<const clang::FunctionDecl *, const clang::Expr *>>
      Names;
  llvm::DenseSet<const clang::Expr *> Counted;
  /// What aliases, labels and assembly say.
  std::vector<std::string> Symbols;
};

/// \p Parameter, if it is one of which every argument is seen.
std::optional<HostParameter> parameterOf(const clang::ParmVarDecl *Parameter,
                                         const FunctionNames &Names);

/// What the host code of \p Body gives the parameters of the user's functions.
/// Counts the names of those that it calls.
std::vector<HostArgument> findHostArguments(const BodyIndex &Body,
                                            FunctionNames &Names);

/// The arguments of calls that are not seen, to the functions that \p Names has
/// not counted.
std::vector<HostArgument> findUnseenArguments(const FunctionNames &Names);

} // namespace bankstripe

#endif
