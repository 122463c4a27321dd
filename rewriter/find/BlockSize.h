//===-- BlockSize.h - the values that host code can compute -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_BLOCKSIZE_H
#define BANKSTRIPE_FIND_BLOCKSIZE_H

#include "find/BodyIndex.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace bankstripe {

/// What is known about the value of a host expression.
struct HostValue {
  /// Every value that it can have; nothing when that is not known. At most
  /// HostEvaluator::MaximumValues.
  std::optional<std::set<int64_t>> Values;
  /// How they are known ("literal", "variable 'threads'"), or why not.
  std::string Source;
  /// A value that is not known, but is just this parameter of the function.
  const clang::ParmVarDecl *Parameter = nullptr;
  /// The values are only an upper bound: the smaller of them and another.
  bool IsBound = false;
};

/// Evaluates integers and `dim3` products in one function. A variable counts
/// when all its assignments are seen and none of them depends on itself: then
/// its values are those of everything that is ever assigned to it.
class HostEvaluator {
public:
  static constexpr unsigned MaximumValues = 16;

  HostEvaluator(clang::ASTContext &Context, const BodyIndex &Body)
      : Context(Context), Body(Body) {}

  /// Values of the integer expression \p E.
  HostValue integer(const clang::Expr *E) { return evaluate(E, 0); }
  /// Values of x * y * z of \p E, an integer or a `dim3`.
  HostValue dim3Product(const clang::Expr *E) { return product(E, 0); }

private:
  HostValue evaluate(const clang::Expr *E, unsigned Depth);
  HostValue evaluateUnbounded(const clang::Expr *E, unsigned Depth);
  HostValue product(const clang::Expr *E, unsigned Depth);
  HostValue variable(const clang::VarDecl *Variable, bool IsDim3,
                     unsigned Depth);
  HostValue assigned(const clang::VarDecl *Variable, const std::string &Name,
                     bool IsDim3, unsigned Depth);
  HostValue binary(const clang::BinaryOperator *Operator, unsigned Depth);
  HostValue minimum(const clang::Expr *A, const clang::Expr *B, unsigned Depth);
  HostValue field(const clang::MemberExpr *Member, unsigned Depth);

  clang::ASTContext &Context;
  const BodyIndex &Body;
  /// Variables whose values are being found.
  llvm::SmallPtrSet<const clang::VarDecl *, 8> Active;
};

} // namespace bankstripe

#endif
