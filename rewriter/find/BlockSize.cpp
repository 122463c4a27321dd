//===-- BlockSize.cpp - the values that host code can compute -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three quarters of real launches give the block size as a literal, a macro or
// a constant, and most others pass such a constant through a host variable or
// a dim3 (docs/design.md, section 2). A set of possible values per expression
// covers them all: a constant is a set of one, a variable the union of what is
// assigned to it, an operator the combinations of its operands. It needs no
// data flow, and because all assignments count, no order of them matters.
//
//===----------------------------------------------------------------------===//

#include "find/BlockSize.h"
#include "clang/AST/ExprCXX.h"

using namespace bankstripe;
using namespace clang;

static HostValue unknown(std::string Why) {
  return {std::nullopt, std::move(Why), nullptr};
}

static HostValue merge(HostValue A, const HostValue &B) {
  if (!A.Values)
    return unknown(A.Source);
  if (!B.Values)
    return unknown(B.Source);
  A.Values->insert(B.Values->begin(), B.Values->end());
  A.IsBound |= B.IsBound;
  if (A.Values->size() > HostEvaluator::MaximumValues)
    return unknown("it can have too many values");
  return A;
}

static bool isDim3(QualType Type) {
  const auto *Record = Type.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && Record->getIdentifier() && Record->getName() == "dim3";
}

static std::optional<int64_t> apply(BinaryOperatorKind Op, int64_t A,
                                    int64_t B) {
  int64_t Result = 0;
  switch (Op) {
  case BO_Add:
    return __builtin_add_overflow(A, B, &Result) ? std::nullopt
                                                 : std::optional(Result);
  case BO_Sub:
    return __builtin_sub_overflow(A, B, &Result) ? std::nullopt
                                                 : std::optional(Result);
  case BO_Mul:
    return __builtin_mul_overflow(A, B, &Result) ? std::nullopt
                                                 : std::optional(Result);
  case BO_Div:
    return B > 0 ? std::optional(A / B) : std::nullopt;
  case BO_Rem:
    return B > 0 ? std::optional(A % B) : std::nullopt;
  case BO_Shl:
    return A >= 0 && B >= 0 && B < 32 ? std::optional(A << B) : std::nullopt;
  case BO_Shr:
    return A >= 0 && B >= 0 && B < 32 ? std::optional(A >> B) : std::nullopt;
  default:
    return std::nullopt;
  }
}

static HostValue combine(BinaryOperatorKind Op, const HostValue &A,
                         const HostValue &B) {
  // A bound of the operands is one of the result only where that grows with
  // them; here the operands are sizes, which are not negative.
  const bool Grows = Op == BO_Mul || Op == BO_Add || Op == BO_Shl;
  if ((A.IsBound || B.IsBound) && !Grows)
    return unknown("it is computed from a minimum");
  // One times a parameter is still that parameter.
  const std::set<int64_t> One{1};
  if (!A.Values)
    return Op == BO_Mul && B.Values == One ? A : unknown(A.Source);
  if (!B.Values)
    return Op == BO_Mul && A.Values == One ? B : unknown(B.Source);
  HostValue Result{std::set<int64_t>(),
                   A.Source == "literal" ? B.Source : A.Source, nullptr};
  for (int64_t X : *A.Values)
    for (int64_t Y : *B.Values) {
      auto Value = apply(Op, X, Y);
      if (!Value)
        return unknown("an operator in it is not understood");
      Result.Values->insert(*Value);
    }
  if (Result.Values->size() > HostEvaluator::MaximumValues)
    return unknown("it can have too many values");
  Result.IsBound = A.IsBound || B.IsBound;
  return Result;
}

// Whether a value that is only bounded, or not known here, may come out of the
// conversion as a larger one: -1 becomes 255, and 300 becomes 44. What is
// negative in 32 bits is too large for any block.
static bool mayWrap(QualType From, QualType To, const ASTContext &Context) {
  if (!From->isIntegerType() || !To->isIntegerType() ||
      From->isDependentType() || To->isDependentType())
    return false;
  const unsigned Old = Context.getIntWidth(From), New = Context.getIntWidth(To);
  if (From->isUnsignedIntegerOrEnumerationType())
    return false; // Nothing gets larger.
  return New < Old || (New < 32 && To->isUnsignedIntegerOrEnumerationType());
}

// The variable that E names, if no conversion loses bits of it.
static const ValueDecl *variableOf(const Expr *E, const ASTContext &Context) {
  E = E->IgnoreParens();
  while (const auto *Cast = dyn_cast<CastExpr>(E)) {
    const Expr *Inner = Cast->getSubExpr()->IgnoreParens();
    const QualType From = Inner->getType(), To = Cast->getType();
    if (From->isIntegerType() && To->isIntegerType() &&
        Context.getIntWidth(To) < Context.getIntWidth(From))
      return nullptr;
    E = Inner;
  }
  const auto *Reference = dyn_cast<DeclRefExpr>(E);
  return Reference ? Reference->getDecl() : nullptr;
}

// Whether two expressions name the same variable.
static bool sameVariable(const Expr *A, const Expr *B,
                         const ASTContext &Context) {
  const ValueDecl *Variable = variableOf(A, Context);
  return Variable && Variable == variableOf(B, Context);
}

static bool sameConstant(const Expr *A, const Expr *B,
                         const ASTContext &Context) {
  Expr::EvalResult X, Y;
  return !A->isValueDependent() && !B->isValueDependent() &&
         A->EvaluateAsInt(X, Context) && B->EvaluateAsInt(Y, Context) &&
         llvm::APSInt::isSameValue(X.Val.getInt(), Y.Val.getInt());
}

// `a < b ? a : b`, in any of its spellings.
static bool isMinimum(const ConditionalOperator *Conditional,
                      const ASTContext &Context) {
  const auto *Test =
      dyn_cast<BinaryOperator>(Conditional->getCond()->IgnoreParenImpCasts());
  if (!Test || !Test->isRelationalOp())
    return false;
  const bool Less = Test->getOpcode() == BO_LT || Test->getOpcode() == BO_LE;
  const Expr *Small = Less ? Test->getLHS() : Test->getRHS();
  const Expr *Other = Less ? Test->getRHS() : Test->getLHS();
  return sameVariable(Small, Conditional->getTrueExpr(), Context) &&
         (sameVariable(Other, Conditional->getFalseExpr(), Context) ||
          sameConstant(Other, Conditional->getFalseExpr(), Context));
}

static bool isMinimumFunction(const FunctionDecl *Callee,
                              const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  return Callee->getIdentifier() && Callee->getName() == "min" &&
         Callee->getNumParams() == 2 &&
         SM.isInSystemHeader(SM.getExpansionLoc(Callee->getLocation()));
}

// The smaller of two values is at most either.
HostValue HostEvaluator::minimum(const Expr *A, const Expr *B, unsigned Depth) {
  HostValue First = evaluate(A, Depth + 1), Second = evaluate(B, Depth + 1);
  if (First.Values && Second.Values)
    return merge(First, Second);
  HostValue &Known =
      Second.Values || (!First.Values && Second.Parameter) ? Second : First;
  Known.IsBound = true;
  return Known;
}

HostValue HostEvaluator::binary(const BinaryOperator *Operator,
                                unsigned Depth) {
  HostValue Left = evaluate(Operator->getLHS(), Depth + 1),
            Right = evaluate(Operator->getRHS(), Depth + 1);
  // Both may be negative, and their product large.
  if (Operator->getOpcode() == BO_Mul && Left.IsBound && Right.IsBound &&
      Operator->getType()->isSignedIntegerType())
    return unknown("it is computed from two minima");
  return combine(Operator->getOpcode(), Left, Right);
}

// Values are computed without bounds; one that its type could not hold would be
// another value on the machine.
static bool fits(const HostValue &Value, QualType Type, ASTContext &Context) {
  if (!Value.Values || !Type->isIntegerType() || Type->isDependentType())
    return true;
  unsigned Bits = Context.getIntWidth(Type);
  bool Signed = Type->isSignedIntegerOrEnumerationType();
  return llvm::all_of(*Value.Values, [&](int64_t V) {
    if (Type->isBooleanType())
      return V == 0 || V == 1;
    if (Signed)
      return Bits >= 64 || llvm::isIntN(Bits, V);
    return V >= 0 && (Bits >= 63 || llvm::isUIntN(Bits, V));
  });
}

HostValue HostEvaluator::evaluate(const Expr *E, unsigned Depth) {
  HostValue Result = evaluateUnbounded(E, Depth);
  // What stands around the expression converts its value step by step.
  for (const Expr *Step = E;;) {
    if (!fits(Result, Step->getType(), Context))
      return unknown("a conversion in it changes its value");
    if (const auto *Cast = dyn_cast<CastExpr>(Step);
        Cast && (Result.IsBound || Result.Parameter) &&
        mayWrap(Cast->getSubExpr()->getType(), Cast->getType(), Context))
      return unknown("a conversion in it may change its value");
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Step))
      Step = Cast->getSubExpr();
    else if (const auto *Paren = dyn_cast<ParenExpr>(Step))
      Step = Paren->getSubExpr();
    else
      return Result;
  }
}

HostValue HostEvaluator::evaluateUnbounded(const Expr *E, unsigned Depth) {
  if (Depth > 16)
    return unknown("it is too deep an expression");
  Expr::EvalResult Constant;
  if (!E->isValueDependent() && !E->containsErrors() &&
      E->EvaluateAsInt(Constant, Context)) {
    bool Literal = isa<IntegerLiteral>(E->IgnoreParenImpCasts());
    if (!Constant.Val.getInt().isRepresentableByInt64())
      return unknown("it is too large a number");
    return {std::set<int64_t>{Constant.Val.getInt().getExtValue()},
            Literal ? "literal" : "constant", nullptr};
  }
  E = E->IgnoreParenImpCasts();
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
    return Cast->getType()->isIntegerType()
               ? evaluate(Cast->getSubExpr(), Depth + 1)
               : unknown("a cast in it is not understood");
  if (const auto *Operator = dyn_cast<BinaryOperator>(E))
    return binary(Operator, Depth);
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(E))
    return isMinimum(Conditional, Context)
               ? minimum(Conditional->getTrueExpr(),
                         Conditional->getFalseExpr(), Depth)
               : merge(evaluate(Conditional->getTrueExpr(), Depth + 1),
                       evaluate(Conditional->getFalseExpr(), Depth + 1));
  if (const auto *Reference = dyn_cast<DeclRefExpr>(E))
    if (const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
      return variable(Variable, /*IsDim3=*/false, Depth);
  if (const auto *Member = dyn_cast<MemberExpr>(E))
    return field(Member, Depth);
  if (const auto *Call = dyn_cast<CallExpr>(E))
    if (const FunctionDecl *Callee = Call->getDirectCallee())
      return isMinimumFunction(Callee, Context) && Call->getNumArgs() == 2
                 ? minimum(Call->getArg(0), Call->getArg(1), Depth)
                 : unknown("it comes from function '" +
                           Callee->getNameAsString() + "'");
  return unknown("it is not a constant");
}

// `block.x` of a dim3 that keeps the value it is made with.
HostValue HostEvaluator::field(const MemberExpr *Member, unsigned Depth) {
  const auto *Reference =
      dyn_cast<DeclRefExpr>(Member->getBase()->IgnoreParenImpCasts());
  const auto *Variable =
      Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  if (!Variable || !isDim3(Variable->getType()) || !Variable->getInit())
    return unknown("it is a member of an object");
  HostValue Whole = variable(Variable, /*IsDim3=*/true, Depth);
  if (!Whole.Values)
    return Whole;
  auto It = Body.References.find(Variable);
  if (It != Body.References.end())
    for (const DeclRefExpr *Other : It->second)
      if (isa_and_nonnull<CXXOperatorCallExpr>(Body.parentOf(Other)))
        return unknown("it is a member of an object that is assigned");
  const auto *Construct =
      dyn_cast<CXXConstructExpr>(Variable->getInit()->IgnoreImplicit());
  StringRef Name = Member->getMemberDecl()->getName();
  unsigned Index = Name == "x" ? 0 : Name == "y" ? 1 : 2;
  if (!Construct || Construct->getNumArgs() != 3)
    return unknown("it is a member of an object");
  return evaluate(Construct->getArg(Index), Depth + 1);
}

HostValue HostEvaluator::product(const Expr *E, unsigned Depth) {
  if (Depth > 16)
    return unknown("it is too deep an expression");
  E = E->IgnoreParenImpCasts();
  if (const auto *Cleanups = dyn_cast<ExprWithCleanups>(E))
    return product(Cleanups->getSubExpr(), Depth + 1);
  if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
    return product(Temporary->getSubExpr(), Depth + 1);
  if (const auto *Bind = dyn_cast<CXXBindTemporaryExpr>(E))
    return product(Bind->getSubExpr(), Depth + 1);
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E);
      Cast && isDim3(Cast->getType()))
    return product(Cast->getSubExpr(), Depth + 1);
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    if (Construct->getNumArgs() == 1) // A copy, or a conversion.
      return product(Construct->getArg(0), Depth + 1);
    if (Construct->getNumArgs() != 3 || !isDim3(Construct->getType()))
      return unknown("it is not a dim3");
    HostValue Result{std::set<int64_t>{1}, "literal", nullptr};
    for (const Expr *Argument : Construct->arguments()) {
      HostValue Value = evaluate(Argument, Depth + 1);
      // What is not written is no source that a person would look for.
      if (isa<CXXDefaultArgExpr>(Argument))
        Value.Source = "literal";
      Result = combine(BO_Mul, Result, Value);
    }
    return Result;
  }
  if (const auto *List = dyn_cast<InitListExpr>(E);
      List && isDim3(E->getType())) {
    HostValue Result{std::set<int64_t>{1}, "constant", nullptr};
    for (const Expr *Init : List->inits())
      Result = combine(BO_Mul, Result, evaluate(Init, Depth + 1));
    return Result;
  }
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(E))
    return merge(product(Conditional->getTrueExpr(), Depth + 1),
                 product(Conditional->getFalseExpr(), Depth + 1));
  if (const auto *Reference = dyn_cast<DeclRefExpr>(E))
    if (const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
        Variable && isDim3(Variable->getType()))
      return variable(Variable, /*IsDim3=*/true, Depth);
  return evaluate(E, Depth + 1);
}

// The union of the initialiser and of every assignment; unknown as soon as
// one reference could write in another way.
HostValue HostEvaluator::variable(const VarDecl *Variable, bool IsDim3,
                                  unsigned Depth) {
  std::string Name = "variable '" + Variable->getNameAsString() + "'";
  if (Depth > 16 || !Active.insert(Variable).second)
    return unknown(Name + " depends on itself");
  HostValue Result = assigned(Variable, Name, IsDim3, Depth);
  Active.erase(Variable);
  return Result;
}

HostValue HostEvaluator::assigned(const VarDecl *Variable,
                                  const std::string &Name, bool IsDim3,
                                  unsigned Depth) {
  bool IsConst = Variable->getType().isConstQualified();
  if (Variable->getType()->isReferenceType() ||
      (!Variable->hasLocalStorage() && !IsConst))
    return unknown(Name + " can be changed elsewhere");
  auto ValueOf = [&](const Expr *E) {
    return IsDim3 ? product(E, Depth + 1) : evaluate(E, Depth + 1);
  };
  std::optional<HostValue> Result;
  if (const auto *Parameter = dyn_cast<ParmVarDecl>(Variable)) {
    Result = unknown("parameter '" + Variable->getNameAsString() +
                     "' of the launching function");
    if (Parameter->getType()->isIntegerType())
      Result->Parameter = Parameter;
  } else if (const Expr *Init = Variable->getAnyInitializer()) {
    Result = ValueOf(Init);
  }

  auto It = Body.References.find(Variable);
  if (!IsConst && It != Body.References.end())
    for (const DeclRefExpr *Reference : It->second) {
      const Stmt *Parent = Body.parentOf(Reference);
      const Stmt *Child = Reference;
      // `c ? n : m` is itself the variable that it chooses.
      while (isa_and_nonnull<ParenExpr>(Parent) ||
             isa_and_nonnull<ConditionalOperator>(Parent)) {
        Child = Parent;
        Parent = Body.parentOf(Parent);
      }
      if (const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Parent)) {
        if (Cast->getCastKind() == CK_LValueToRValue)
          continue; // Read.
        if (Cast->getCastKind() == CK_NoOp &&
            Cast->getType().isConstQualified())
          continue; // Copied, or seen through a const reference.
      }
      if (const auto *Construct = dyn_cast_or_null<CXXConstructExpr>(Parent);
          Construct && Construct->getConstructor()->isCopyOrMoveConstructor())
        continue;
      if (const auto *Member = dyn_cast_or_null<MemberExpr>(Parent)) {
        const auto *Load =
            dyn_cast_or_null<ImplicitCastExpr>(Body.parentOf(Member));
        if (Load && Load->getCastKind() == CK_LValueToRValue)
          continue;
        return unknown("a member of " + Name + " is assigned");
      }
      const Expr *Assigned = nullptr;
      if (const auto *Assign = dyn_cast_or_null<BinaryOperator>(Parent);
          Assign && Assign->getOpcode() == BO_Assign &&
          Assign->getLHS() == Child)
        Assigned = Assign->getRHS();
      if (const auto *Assign = dyn_cast_or_null<CXXOperatorCallExpr>(Parent);
          Assign && Assign->getOperator() == OO_Equal &&
          Assign->getArg(0) == Child)
        Assigned = Assign->getArg(1);
      if (!Assigned)
        return unknown(Name + " is changed in a way that is not followed");
      HostValue Value = ValueOf(Assigned);
      Result = Result ? merge(*Result, Value) : Value;
    }
  if (!Result)
    return unknown(Name + " has no value that can be seen");
  if (Result->Values)
    Result->Source = Name;
  return *Result;
}
