//===-- Operators.h - the user's operators ----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operator that is written for a class can take no pointer and no bool. It
// may take an object of the helper's that stands for one: as a template, or as
// a parameter of a class that is made of anything.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_OPERATORS_H
#define BANKSTRIPE_FIND_OPERATORS_H

#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace bankstripe {

/// What the operands of an operator become.
enum class Operand {
  Pointer, ///< A pointer into a stripe or bits.
  Bit,     ///< A bit, which converts to bool.
  Number,  ///< It stays a number, or is a bit.
  Any,     ///< Not asked about.
};

/// The operators that a unit declares outside of classes. In which of its
/// namespaces is not asked, since directives and the types of operands can make
/// each of them visible.
class UserOperators {
public:
  /// Remembers \p Declared if it is such an operator, or else those that it
  /// makes visible.
  void note(const clang::NamedDecl *Declared);
  /// The same for all operators of a namespace, and those that it sees.
  void noteAll(const clang::DeclContext *Space);

  /// Whether \p Kind, written for the objects that \p Operands become, may mean
  /// a function.
  bool mayTake(clang::OverloadedOperatorKind Kind,
               llvm::ArrayRef<Operand> Operands) const;
  /// The same of operators as they stand in the text, for their operands in the
  /// order in which they are written.
  bool mayTake(const clang::UnaryOperator *E, Operand Only) const;
  bool mayTake(const clang::BinaryOperator *E, Operand Left,
               Operand Right) const;
  /// Whether a function may take \p Argument as its parameter \p Index.
  static bool mayTake(const clang::FunctionDecl *Function, unsigned Index,
                      Operand Argument);

private:
  llvm::DenseSet<const clang::DeclContext *> Spaces; ///< That all are known of.
  llvm::DenseMap<unsigned, llvm::SmallSetVector<const clang::FunctionDecl *, 4>>
      ByKind;
};

} // namespace bankstripe

#endif
