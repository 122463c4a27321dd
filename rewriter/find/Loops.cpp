//===-- Loops.cpp - loops from constant to constant -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only the plain shape counts: one variable that the header starts, compares
// and steps by constants, and that the body only reads. How often
// such a loop runs is found by letting it run.
//
//===----------------------------------------------------------------------===//

#include "find/Loops.h"
#include "find/Constants.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace bankstripe;
using namespace clang;

/// Longer loops are not simulated.
static constexpr unsigned MostTripsOfInterest = 1024;

namespace {

/// `for (Variable = First; Variable < Bound; Variable += By)`
struct LoopHeader {
  const VarDecl *Variable = nullptr;
  QualType ComparedAs;
  int64_t First = 0;
  BinaryOperatorKind Comparison = BO_LT; ///< Variable on the left.
  int64_t Bound = 0;
  BinaryOperatorKind Step = BO_Add;
  int64_t By = 1;
};

} // namespace

// A and B combined or compared; nothing where that is not understood.
static std::optional<int64_t> apply(BinaryOperatorKind Op, int64_t A,
                                    int64_t B) {
  switch (Op) {
  case BO_Add:
    return llvm::checkedAdd(A, B);
  case BO_Sub:
    return llvm::checkedSub(A, B);
  case BO_Mul:
    return llvm::checkedMul(A, B);
  case BO_Div:
    return B > 0 ? std::optional(A / B) : std::nullopt;
  case BO_Shl:
    return A >= 0 && B >= 0 && B < 32 ? std::optional(A << B) : std::nullopt;
  case BO_Shr:
    return A >= 0 && B >= 0 && B < 32 ? std::optional(A >> B) : std::nullopt;
  case BO_LT:
    return A < B;
  case BO_LE:
    return A <= B;
  case BO_GT:
    return A > B;
  case BO_GE:
    return A >= B;
  case BO_NE:
    return A != B;
  default:
    return std::nullopt;
  }
}

// Whether Type, if it is one of integers, has Value.
static bool holds(QualType Type, int64_t Value, const ASTContext &Context) {
  if (!Type->isIntegralOrEnumerationType() || Type->isDependentType())
    return true;
  const unsigned Bits = Context.getIntWidth(Type); // 1 for a bool.
  if (Type->isSignedIntegerOrEnumerationType())
    return Bits >= 64 || llvm::isIntN(Bits, Value);
  return Value >= 0 && (Bits >= 63 || llvm::isUIntN(Bits, Value));
}

static bool readComparison(LoopHeader &H, const Expr *Condition,
                           const ASTContext &Context) {
  const auto *Compare = dyn_cast_or_null<BinaryOperator>(
      Condition ? Condition->IgnoreParens() : nullptr);
  if (!Compare || (!Compare->isRelationalOp() && Compare->getOpcode() != BO_NE))
    return false;
  H.Comparison = Compare->getOpcode();
  H.ComparedAs = Compare->getLHS()->getType();
  const Expr *Left = Compare->getLHS(), *Right = Compare->getRHS();
  if (!constantOf(Right, Context)) {
    std::swap(Left, Right);
    if (Compare->isRelationalOp())
      H.Comparison = BinaryOperator::reverseComparisonOp(H.Comparison);
  }
  const auto Bound = constantOf(Right, Context);
  H.Bound = Bound.value_or(0);
  H.Variable = variableOf(Left);
  return Bound && H.Variable && H.Variable->hasLocalStorage() &&
         H.Variable->getType()->isIntegerType() &&
         !H.Variable->getType().isVolatileQualified();
}

static bool readStart(LoopHeader &H, const Stmt *Init,
                      const ASTContext &Context) {
  const Expr *First = nullptr;
  const auto *Assign = dyn_cast_or_null<BinaryOperator>(Init);
  if (const auto *Statement = dyn_cast_or_null<DeclStmt>(Init);
      Statement && llvm::is_contained(Statement->decls(), H.Variable))
    First = H.Variable->getInit();
  else if (Assign && Assign->getOpcode() == BO_Assign &&
           variableOf(Assign->getLHS()) == H.Variable)
    First = Assign->getRHS();
  const auto Value = First ? constantOf(First, Context) : std::nullopt;
  H.First = Value.value_or(0);
  return Value.has_value();
}

static bool readStep(LoopHeader &H, const Expr *Increment,
                     const ASTContext &Context) {
  Increment = Increment ? Increment->IgnoreParens() : nullptr;
  if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Increment)) {
    H.Step = Unary->isIncrementOp() ? BO_Add : BO_Sub;
    return Unary->isIncrementDecrementOp() &&
           variableOf(Unary->getSubExpr()) == H.Variable;
  }
  const auto *Compound = dyn_cast_or_null<CompoundAssignOperator>(Increment);
  if (!Compound || variableOf(Compound->getLHS()) != H.Variable)
    return false;
  H.Step = BinaryOperator::getOpForCompoundAssignment(Compound->getOpcode());
  const auto By = constantOf(Compound->getRHS(), Context);
  H.By = By.value_or(0);
  return By.has_value();
}

// Whether the body of Loop only reads Variable, and nothing has its address.
static bool onlyReads(const ForStmt *Loop, const VarDecl *Variable,
                      const BodyIndex &Body) {
  return llvm::all_of(
      Body.references(Variable), [&](const DeclRefExpr *Reference) {
        const Stmt *Parent = Body.around<ParenExpr>(Reference);
        const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Parent);
        const auto *Unary = dyn_cast_or_null<UnaryOperator>(Parent);
        if (Cast)
          return Cast->getCastKind() == CK_LValueToRValue;
        if (Unary && Unary->getOpcode() == UO_AddrOf)
          return false;
        // A write: in this loop's own header, or altogether outside.
        const Stmt *S = Reference;
        while (S && S != Loop->getBody())
          S = Body.parentOf(S);
        return !S;
      });
}

// The values of the variable while the loop runs; none when it never does, or
// that is not seen at once.
static std::optional<IndexRange> runLoop(const LoopHeader &H,
                                         const ASTContext &Context) {
  IndexRange Values = {H.First, H.First};
  std::optional<int64_t> Value = H.First;
  for (unsigned Trips = 0; Trips <= MostTripsOfInterest; ++Trips) {
    if (!Value || !holds(H.Variable->getType(), *Value, Context) ||
        !holds(H.ComparedAs, *Value, Context))
      return std::nullopt;
    if (!apply(H.Comparison, *Value, H.Bound).value_or(0))
      return Trips ? std::optional(Values) : std::nullopt;
    Values.Least = std::min(Values.Least, *Value);
    Values.Most = std::max(Values.Most, *Value);
    Value = apply(H.Step, *Value, H.By);
  }
  return std::nullopt;
}

CountedLoops::CountedLoops(const BodyIndex &Body) : Body(Body) {
  const ASTContext &Context = Body.Context;
  for (const ForStmt *Each : Body.ForLoops) {
    LoopHeader H;
    if (Each->getConditionVariable() ||
        !readComparison(H, Each->getCond(), Context) ||
        !readStart(H, Each->getInit(), Context) ||
        !readStep(H, Each->getInc(), Context) ||
        !onlyReads(Each, H.Variable, Body))
      continue;
    if (const auto Values = runLoop(H, Context))
      Loops[Each] = {H.Variable, *Values, !Body.Gotos.empty()};
  }
  for (const Stmt *S : Body.Exits)
    for (; S; S = Body.parentOf(S))
      if (auto It = Loops.find(dyn_cast<ForStmt>(S)); It != Loops.end())
        It->second.IsLeft = true;
}

// The values of Variable at At, if it counts a loop that evaluates At in every
// turn, and that nothing leaves.
std::optional<IndexRange> CountedLoops::rangeAt(const Stmt *At,
                                                const VarDecl *Variable) const {
  const Stmt *Child = At;
  for (const Stmt *S = Body.parentOf(At); S; Child = S, S = Body.parentOf(S)) {
    if (const auto *For = dyn_cast<ForStmt>(S)) {
      auto Known = Loops.find(For);
      if (Known == Loops.end() || Known->second.IsLeft ||
          Child != For->getBody())
        return std::nullopt;
      if (Known->second.Variable == Variable)
        return Known->second.Values;
      continue;
    }
    if (const auto *Binary = dyn_cast<BinaryOperator>(S);
        Binary && Binary->isLogicalOp() && Child == Binary->getRHS())
      return std::nullopt;
    if (const auto *If = dyn_cast<IfStmt>(S); If && Child == If->getCond())
      continue;
    if (!isa<Expr, CompoundStmt, DeclStmt, AttributedStmt>(S) ||
        isa<AbstractConditionalOperator, LambdaExpr, StmtExpr,
            UnaryExprOrTypeTraitExpr>(S))
      return std::nullopt;
  }
  return std::nullopt;
}

// No variable may come twice, else its ends need not be reached at once.
std::optional<IndexRange>
CountedLoops::rangeOf(const Expr *E,
                      llvm::SmallPtrSetImpl<const VarDecl *> &Seen) const {
  E = E->IgnoreParens();
  if (const auto Value = constantOf(E, Body.Context))
    return IndexRange{*Value, *Value};
  std::optional<IndexRange> Range;
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_LValueToRValue ||
        Cast->getCastKind() == CK_IntegralCast)
      Range = rangeOf(Cast->getSubExpr(), Seen);
  } else if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    if (!Binary->isAdditiveOp() && Binary->getOpcode() != BO_Mul)
      return std::nullopt;
    const auto Left = rangeOf(Binary->getLHS(), Seen),
               Right = rangeOf(Binary->getRHS(), Seen);
    if (!Left || !Right)
      return std::nullopt;
    Range = IndexRange{INT64_MAX, INT64_MIN};
    for (int64_t A : {Left->Least, Left->Most})
      for (int64_t B : {Right->Least, Right->Most}) {
        const auto Value = apply(Binary->getOpcode(), A, B);
        if (!Value)
          return std::nullopt;
        Range->Least = std::min(Range->Least, *Value);
        Range->Most = std::max(Range->Most, *Value);
      }
  } else if (const VarDecl *Variable = variableOf(E);
             Variable && Seen.insert(Variable).second) {
    Range = rangeAt(E, Variable);
  }
  // None wraps around.
  return Range && holds(E->getType(), Range->Least, Body.Context) &&
                 holds(E->getType(), Range->Most, Body.Context)
             ? Range
             : std::nullopt;
}
