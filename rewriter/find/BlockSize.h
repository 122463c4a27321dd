//===-- BlockSize.h - the values that host code can compute -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_BLOCKSIZE_H
#define BANKSTRIPE_FIND_BLOCKSIZE_H

#include "find/HostUse.h"
#include "clang/AST/ASTContext.h"
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace bankstripe {

/// The value of the integer expression \p E, if it is a constant.
std::optional<int64_t> constantOf(const clang::Expr *E,
                                  const clang::ASTContext &Context);
/// \p A and \p B combined or compared; nothing where that is not understood.
std::optional<int64_t> apply(clang::BinaryOperatorKind Op, int64_t A,
                             int64_t B);
/// Whether \p Type, if it is one of integers, has \p Value.
bool holds(clang::QualType Type, int64_t Value,
           const clang::ASTContext &Context);

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
  /// Of a block, x, y and z where each is known and just one; else empty.
  std::vector<unsigned> Shape = {};
};

/// A value of which \p Why nothing is known.
HostValue unknown(std::string Why);
/// One that is \p A or \p B.
HostValue merge(HostValue A, const HostValue &B);

/// Evaluates integers and `dim3` products in one function. A variable counts
/// when all its assignments are seen and none of them depends on itself: then
/// its values are those of everything that is ever assigned to it.
class HostEvaluator {
public:
  static constexpr unsigned MaximumValues = 16;
  /// Of operators in each other; generated programs would fill the stack.
  static constexpr unsigned MaximumDepth = 64;

  explicit HostEvaluator(const BodyIndex &Body) : Body(Body) {}

  /// Values of the integer expression \p E.
  HostValue integer(const clang::Expr *E);
  /// Values of x * y * z of \p E, an integer or a `dim3`.
  HostValue dim3Product(const clang::Expr *E);

private:
  HostValue unconverted(const clang::Expr *E);
  HostValue variable(const clang::VarDecl *Variable);
  HostValue assigned(const clang::VarDecl *Variable, const std::string &Name);
  HostValue binary(const clang::BinaryOperator *Operator);
  HostValue minimum(const clang::Expr *A, const clang::Expr *B);
  HostValue field(const clang::MemberExpr *Member);

  const BodyIndex &Body;
  unsigned Depth = 0;
  llvm::DenseMap<const clang::VarDecl *, HostValue> Variables;
};

} // namespace bankstripe

#endif
