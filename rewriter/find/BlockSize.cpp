//===-- BlockSize.cpp - the values that host code can compute -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three quarters of real launches give the block size as a literal, a macro or
// a constant, and most others pass such a constant through a host variable or
// a dim3 (measurements/2026-11-20-micro-study.md). A set of possible values per
// expression covers them all: a constant is a set of one, a variable the union
// of what is assigned to it, an operator the combinations of its operands. It
// needs no data flow, and because all assignments count, no order of them
// matters.
//
//===----------------------------------------------------------------------===//

#include "find/BlockSize.h"
#include "find/BuildMacros.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace bankstripe;
using namespace clang;

HostValue bankstripe::unknown(std::string Why) {
  return {std::nullopt, std::move(Why), nullptr};
}

HostValue bankstripe::merge(HostValue A, const HostValue &B) {
  if (!A.Values)
    return unknown(A.Source);
  if (!B.Values)
    return unknown(B.Source);
  A.Values->insert(B.Values->begin(), B.Values->end());
  A.IsBound |= B.IsBound;
  if (A.Shape != B.Shape)
    A.Shape.clear();
  if (A.Values->size() > HostEvaluator::MaximumValues)
    return unknown("it can have too many values");
  return A;
}

static bool isDim3(QualType Type) {
  const auto *Record = Type.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && Record->getIdentifier() && Record->getName() == "dim3" &&
         isOfSystem(Record);
}

std::optional<int64_t> bankstripe::constantOf(const Expr *E,
                                              const ASTContext &Context) {
  Expr::EvalResult Result;
  if (E->isValueDependent() || E->containsErrors() ||
      !E->EvaluateAsInt(Result, Context) ||
      !Result.Val.getInt().isRepresentableByInt64())
    return std::nullopt;
  return Result.Val.getInt().getExtValue();
}

std::optional<int64_t> bankstripe::apply(BinaryOperatorKind Op, int64_t A,
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
  case BO_Rem:
    return B > 0 ? std::optional(A % B) : std::nullopt;
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

bool bankstripe::holds(QualType Type, int64_t Value,
                       const ASTContext &Context) {
  if (!Type->isIntegralOrEnumerationType() || Type->isDependentType())
    return true;
  const unsigned Bits = Context.getIntWidth(Type); // 1 for a bool.
  if (Type->isSignedIntegerOrEnumerationType())
    return Bits >= 64 || llvm::isIntN(Bits, Value);
  return Value >= 0 && (Bits >= 63 || llvm::isUIntN(Bits, Value));
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

// `a < b ? a : b`, in any of its spellings.
static bool isMinimum(const ConditionalOperator *Conditional,
                      const ASTContext &Context) {
  const auto *Test =
      dyn_cast<BinaryOperator>(Conditional->getCond()->IgnoreParenImpCasts());
  if (!Test || !Test->isRelationalOp() || Test->HasSideEffects(Context))
    return false;
  auto LosesBits = [&](QualType From, QualType To) {
    return From->isIntegerType() && To->isIntegerType() &&
           Context.getIntWidth(To) < Context.getIntWidth(From);
  };
  auto IdOf = [&](const Expr *E) {
    E = E->IgnoreParens();
    for (const CastExpr *Cast;
         (Cast = dyn_cast<CastExpr>(E)) &&
         !LosesBits(Cast->getSubExpr()->getType(), Cast->getType());)
      E = Cast->getSubExpr()->IgnoreParens();
    llvm::FoldingSetNodeID Id;
    E->Profile(Id, Context, /*Canonical=*/true);
    return Id;
  };
  auto IsSame = [&](const Expr *A, const Expr *B) {
    const auto Value = constantOf(A, Context);
    return IdOf(A) == IdOf(B) || (Value && Value == constantOf(B, Context));
  };
  const bool Less = Test->getOpcode() == BO_LT || Test->getOpcode() == BO_LE;
  const Expr *Small = Less ? Test->getLHS() : Test->getRHS();
  const Expr *Other = Less ? Test->getRHS() : Test->getLHS();
  return IsSame(Small, Conditional->getTrueExpr()) &&
         IsSame(Other, Conditional->getFalseExpr());
}

static bool isMinimumFunction(const FunctionDecl *Callee) {
  return Callee->getIdentifier() && Callee->getName() == "min" &&
         Callee->getNumParams() == 2 && isOfSystem(Callee);
}

// The smaller of two values is at most either.
HostValue HostEvaluator::minimum(const Expr *A, const Expr *B) {
  HostValue First = integer(A), Second = integer(B);
  if (First.Values && Second.Values)
    return merge(First, Second);
  HostValue &Known =
      Second.Values || (!First.Values && Second.Parameter) ? Second : First;
  Known.IsBound = true;
  return Known;
}

HostValue HostEvaluator::binary(const BinaryOperator *Operator) {
  HostValue Left = integer(Operator->getLHS()),
            Right = integer(Operator->getRHS());
  // Both may be negative, and their product large.
  if (Operator->getOpcode() == BO_Mul && Left.IsBound && Right.IsBound &&
      Operator->getType()->isSignedIntegerType())
    return unknown("it is computed from two minima");
  return combine(Operator->getOpcode(), Left, Right);
}

HostValue HostEvaluator::integer(const Expr *E) {
  if (Depth == MaximumDepth)
    return unknown("it is too deep an expression");
  const llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  const ASTContext &Context = Body.Context;
  HostValue Result = unconverted(E);
  // What stands around the expression converts its value step by step. Values
  // are computed without bounds; one that a type could not hold would be
  // another value on the machine.
  for (const Expr *Step = E;;) {
    if (Result.Values && llvm::any_of(*Result.Values, [&](int64_t V) {
          return !holds(Step->getType(), V, Context);
        }))
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

// Whether another file may define a function that E calls.
static bool callsReplaceable(const Stmt *E) {
  return anyPart(E, [](const Stmt *Part) {
    const auto *Call = dyn_cast<CallExpr>(Part);
    const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    return Callee && Callee->isWeak();
  });
}

HostValue HostEvaluator::unconverted(const Expr *E) {
  const auto Constant =
      callsReplaceable(E) ? std::nullopt : constantOf(E, Body.Context);
  if (const std::string Macro = Constant ? buildMacroIn(E, Body.Context) : "";
      !Macro.empty())
    return unknown("another build may define '" + Macro + "' otherwise");
  E = E->IgnoreParenImpCasts();
  if (Constant)
    return {std::set<int64_t>{*Constant},
            isa<IntegerLiteral>(E) ? "literal" : "constant", nullptr};
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
    return Cast->getType()->isIntegerType()
               ? integer(Cast->getSubExpr())
               : unknown("a cast in it is not understood");
  if (const auto *Operator = dyn_cast<BinaryOperator>(E))
    return binary(Operator);
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(E)) {
    const Expr *A = Conditional->getTrueExpr();
    const Expr *B = Conditional->getFalseExpr();
    return isMinimum(Conditional, Body.Context) ? minimum(A, B)
                                                : merge(integer(A), integer(B));
  }
  if (const VarDecl *Variable = variableOf(E))
    return variable(Variable);
  if (const auto *Member = dyn_cast<MemberExpr>(E))
    return field(Member);
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  if (!Callee)
    return unknown("it is not a constant");
  return isMinimumFunction(Callee) && Call->getNumArgs() == 2
             ? minimum(Call->getArg(0), Call->getArg(1))
             : unknown("it comes from function '" + Callee->getNameAsString() +
                       "'");
}

// `block.x` of a dim3 that keeps the value it is made with.
HostValue HostEvaluator::field(const MemberExpr *Member) {
  const VarDecl *Variable = variableOf(Member->getBase());
  const auto *Construct =
      Variable && isDim3(Variable->getType()) && Variable->getInit()
          ? dyn_cast<CXXConstructExpr>(Variable->getInit()->IgnoreImplicit())
          : nullptr;
  if (!Construct || Construct->getNumArgs() != 3)
    return unknown("it is a member of an object");
  HostValue Whole = variable(Variable);
  if (!Whole.Values)
    return Whole;
  if (llvm::any_of(Body.references(Variable), [&](const DeclRefExpr *Other) {
        return useOf(Other, Body).Assigned;
      }))
    return unknown("it is a member of an object that is assigned");
  const StringRef Name = Member->getMemberDecl()->getName();
  return integer(Construct->getArg(Name == "x" ? 0 : Name == "y" ? 1 : 2));
}

HostValue HostEvaluator::dim3Product(const Expr *E) {
  for (const Expr *Before = nullptr; Before != E;
       E = E->IgnoreParens()->IgnoreImplicit())
    Before = E;
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E);
      Cast && isDim3(Cast->getType()))
    return dim3Product(Cast->getSubExpr());
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    if (!isDim3(Construct->getType()))
      return unknown("it is not a dim3");
    if (Construct->getNumArgs() == 1) // A copy, or a conversion.
      return dim3Product(Construct->getArg(0));
    if (Construct->getNumArgs() != 3)
      return unknown("it is not a dim3");
    HostValue Result{std::set<int64_t>{1}, "literal", nullptr};
    std::vector<unsigned> Shape;
    for (const Expr *Argument : Construct->arguments()) {
      HostValue Value = integer(Argument);
      // What is not written is no source that a person would look for.
      if (isa<CXXDefaultArgExpr>(Argument))
        Value.Source = "literal";
      Result = combine(BO_Mul, Result, Value);
      if (Value.Values && Value.Values->size() == 1 && !Value.IsBound)
        Shape.push_back(*Value.Values->begin());
    }
    if (Shape.size() == 3)
      Result.Shape = std::move(Shape);
    return Result;
  }
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(E))
    return merge(dim3Product(Conditional->getTrueExpr()),
                 dim3Product(Conditional->getFalseExpr()));
  if (const VarDecl *Variable = variableOf(E);
      Variable && isDim3(Variable->getType()))
    return variable(Variable);
  HostValue Result = integer(E);
  if (Result.Values && Result.Values->size() == 1 && !Result.IsBound)
    Result.Shape = {unsigned(*Result.Values->begin()), 1, 1};
  return Result;
}

// The union of the initialiser and of every assignment; unknown as soon as
// one reference could write in another way.
HostValue HostEvaluator::variable(const VarDecl *Variable) {
  const std::string Name = "variable '" + Variable->getNameAsString() + "'";
  auto [Known, New] =
      Variables.try_emplace(Variable, unknown(Name + " depends on itself"));
  if (!New)
    return Known->second;
  HostValue Result = assigned(Variable, Name);
  if (Result.Values)
    Result.Source = Name;
  return Variables[Variable] = Result;
}

HostValue HostEvaluator::assigned(const VarDecl *Variable,
                                  const std::string &Name) {
  const bool IsConst = Variable->getType().isConstQualified();
  if (Variable->getType()->isReferenceType() || isChangedElsewhere(Variable) ||
      (!Variable->hasLocalStorage() && !IsConst))
    return unknown(Name + " can be changed elsewhere");
  auto ValueOf = [&](const Expr *E) {
    return isDim3(Variable->getType()) ? dim3Product(E) : integer(E);
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
  if (!IsConst)
    for (const DeclRefExpr *Reference : Body.references(Variable)) {
      // `c ? n : m` is itself the variable that it chooses.
      const HostUse Use = useOf(
          Body.outermost<ParenExpr, ConditionalOperator>(Reference), Body);
      if (Use.IsRead)
        continue;
      if (Use.Field)
        return unknown("a member of " + Name + " is assigned");
      if (!Use.Assigned)
        return unknown(Name + " is changed in a way that is not followed");
      HostValue Value = ValueOf(Use.Assigned);
      Result = Result ? merge(*Result, Value) : Value;
    }
  return Result.value_or(unknown(Name + " has no value that can be seen"));
}
