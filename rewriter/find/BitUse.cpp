//===-- BitUse.cpp - what an element can be used for as a bit -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bit has no address, so `a[i]` becomes an object that stands for it, as of
// std::vector<bool>: it converts to bool, and can be assigned. In most places
// that is the same. It is not where a type is deduced from it (`auto`, a
// template, overloads), where no conversion takes place (`...`), or where it
// would need a second one (a class's constructor). So only places that are
// known to be the same are allowed, and all of them are listed here.
//
//===----------------------------------------------------------------------===//

#include "find/BitUse.h"
#include "find/Constants.h"
#include "find/ElementFate.h"

using namespace bankstripe;
using namespace clang;

static constexpr uint64_t MostBits = 64;
static constexpr unsigned MostExtents = 5;

bool bankstripe::areBits(QualType Type, const ASTContext &Context) {
  uint64_t Elements = 1;
  unsigned Extents = 0;
  while (const auto *Array = Context.getAsConstantArrayType(Type)) {
    Elements *= Array->getLimitedSize();
    if (++Extents > MostExtents || Elements > MostBits)
      return false;
    Type = Array->getElementType();
  }
  return Extents > 0 && Elements > 0 && !Type.hasQualifiers() &&
         Type->isBooleanType();
}

// A number of a type that no operator or constructor can be written for.
static bool isNumber(QualType Type) {
  const auto *Builtin = Type->getAs<BuiltinType>();
  return Builtin && Builtin->isArithmeticType();
}

static bool isNumberAsWritten(const Expr *E) {
  return !isa<InitListExpr>(E) &&
         isNumber(E->IgnoreUnlessSpelledInSource()->getType());
}

static bool isDeduced(const TypeSourceInfo *Written) {
  return !Written || Written->getType()->getContainedDeducedType();
}

// `a[i] = x` and the like: its value is a bool of its own.
static bool isBitAssignment(const BinaryOperator *Assign, const BodyIndex &Body,
                            const UserOperators &Operators) {
  if (!llvm::is_contained({BO_Assign, BO_OrAssign, BO_AndAssign, BO_XorAssign},
                          Assign->getOpcode()))
    return false;
  const auto *Load =
      dyn_cast_or_null<ImplicitCastExpr>(Body.around<ParenExpr>(Assign));
  return isNumberAsWritten(Assign->getRHS()) &&
         !Operators.mayTake(Assign, Operand::Bit, Operand::Number) &&
         (Body.isDiscarded(Assign) ||
          (Load && Load->getCastKind() == CK_LValueToRValue));
}

// The only function of its name takes a number there.
static bool takesNumber(const CallExpr *Call, const Stmt *Argument) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  const Expr *Named = Call->getCallee()->IgnoreParenImpCasts();
  const auto *Name = dyn_cast<DeclRefExpr>(Named);
  const auto *Member = dyn_cast<MemberExpr>(Named);
  if (!Callee || Callee->getPrimaryTemplate() ||
      !(Name     ? !Name->hadMultipleCandidates()
        : Member ? !Member->hadMultipleCandidates()
                 : false))
    return false;
  // Instantiations forget what else there was.
  for (const NamedDecl *D :
       Callee->getDeclContext()->getRedeclContext()->lookup(
           Callee->getDeclName()))
    if (D->getCanonicalDecl() != Callee->getCanonicalDecl())
      return false;
  for (unsigned I = 0; I < Callee->getNumParams(); ++I)
    if (I < Call->getNumArgs() && Call->getArg(I) == Argument)
      return isNumber(Callee->getParamDecl(I)->getType());
  return false;
}

// Whether an operator of numbers takes the element's value.
static bool isOperand(const Stmt *Value, const BinaryOperator *Binary,
                      const UserOperators &Operators) {
  if (Binary->isCommaOp() || Binary->getOpcode() == BO_Cmp ||
      Binary->isPtrMemOp())
    return false;
  const bool IsLeft = Binary->getLHS() == Value;
  return isNumberAsWritten(IsLeft ? Binary->getRHS() : Binary->getLHS()) &&
         !Operators.mayTake(Binary, IsLeft ? Operand::Bit : Operand::Number,
                            IsLeft ? Operand::Number : Operand::Bit);
}

// Whether the value that is read has its type from what it is read for.
static bool isBitRead(const Expr *Load, const FunctionDecl *Function,
                      const BodyIndex &Body, const UserOperators &Operators) {
  const auto *Value =
      cast<Expr>(Body.outermost<ParenExpr, ImplicitCastExpr>(Load));
  const Stmt *Parent = Body.parentOf(Value);
  if (!Parent || !isNumber(Value->getType()))
    return false;
  if (isa<IfStmt, WhileStmt, DoStmt, ForStmt>(Parent))
    return true;
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(Parent))
    return Conditional->getCond() == Value;
  if (const auto *Binary = dyn_cast<BinaryOperator>(Parent))
    return isOperand(Value, Binary, Operators);
  if (const auto *Unary = dyn_cast<UnaryOperator>(Parent))
    return Unary->isArithmeticOp() && !Operators.mayTake(Unary, Operand::Bit);
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(Parent))
    return isNumber(Cast->getType());
  if (isa<CallExpr>(Parent) && !isa<CXXOperatorCallExpr>(Parent))
    return takesNumber(cast<CallExpr>(Parent), Value);
  if (isa<ReturnStmt>(Parent))
    return isNumber(Function->getReturnType()) &&
           !isDeduced(Function->getTypeSourceInfo());
  const auto *Statement = dyn_cast<DeclStmt>(Parent);
  const VarDecl *Variable =
      Statement ? initialisedBy(Statement, Value) : nullptr;
  return Variable && isNumber(Variable->getType()) &&
         !isDeduced(Variable->getTypeSourceInfo());
}

bool bankstripe::isBitUse(const Expr *Element, const FunctionDecl *Function,
                          const BodyIndex &Body,
                          const UserOperators &Operators) {
  const Stmt *Child = Body.outermost<ParenExpr>(Element);
  const Stmt *Parent = Body.parentOf(Child);
  if (const auto *Assign = dyn_cast_or_null<BinaryOperator>(Parent))
    return Assign->getLHS() == Child &&
           isBitAssignment(Assign, Body, Operators);
  const auto *Load = dyn_cast_or_null<ImplicitCastExpr>(Parent);
  return Load && Load->getCastKind() == CK_LValueToRValue &&
         isBitRead(Load, Function, Body, Operators);
}

bool bankstripe::isClearing(const DeclRefExpr *Reference,
                            const BodyIndex &Body) {
  const Stmt *Child = Body.outermost<ParenExpr, ImplicitCastExpr>(Reference);
  const Stmt *Parent = Body.parentOf(Child);
  if (isa_and_nonnull<UnaryExprOrTypeTraitExpr>(Parent)) {
    Child = Body.outermost<ParenExpr, ImplicitCastExpr>(Parent);
    Parent = Body.parentOf(Child);
  }
  const auto *Call = dyn_cast_or_null<CallExpr>(Parent);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  const auto *Named =
      Call ? dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreParenImpCasts())
           : nullptr;
  // The helper's is found beside it by the type of its argument.
  if (!Callee || !Callee->getIdentifier() || Callee->getName() != "memset" ||
      !(isOfSystem(Callee) || Callee->getBuiltinID()) || !Named ||
      Named->hasQualifier() || Call->getNumArgs() != 3 ||
      !Body.isDiscarded(Call) ||
      variableOf(Call->getArg(0)) != Reference->getDecl())
    return false;
  const QualType Type = Reference->getDecl()->getType();
  return !Type->isDependentType() &&
         constantOf(Call->getArg(1), Body.Context) == 0 &&
         constantOf(Call->getArg(2), Body.Context) ==
             Body.Context.getTypeSizeInChars(Type).getQuantity();
}
