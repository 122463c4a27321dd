//===-- Initializers.cpp - how a private array begins --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Arrays.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace bankstripe;
using namespace clang;

// All-zero bits are not asked for, only values that value-initialisation of
// the element would give too.
static bool isZero(const Expr *Init, ASTContext &Context) {
  if (isa<ImplicitValueInitExpr>(Init))
    return true;
  if (const auto *List = dyn_cast<InitListExpr>(Init)) {
    if (const Expr *Filler = List->getArrayFiller();
        Filler && !isZero(Filler, Context))
      return false;
    return llvm::all_of(List->inits(),
                        [&](const Expr *E) { return isZero(E, Context); });
  }
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(Init))
    return Construct->requiresZeroInitialization();
  Expr::EvalResult Result;
  if (Init->isValueDependent() || !Init->EvaluateAsRValue(Result, Context) ||
      Result.HasSideEffects)
    return false;
  const APValue &Value = Result.Val;
  return (Value.isInt() && Value.getInt().isZero()) ||
         (Value.isFloat() && Value.getFloat().isPosZero()) ||
         (Value.isLValue() && Value.isNullPointer());
}

// `"abc"` may stand for a whole row, and then is no list of values.
static bool holdsString(const Expr *Init) {
  if (const auto *List = dyn_cast<InitListExpr>(Init->IgnoreParens()))
    return llvm::any_of(List->inits(), holdsString);
  // One that has decayed is a pointer's value.
  return isa<StringLiteral>(Init->IgnoreParens());
}

// `int t[2][2] = {1, 2, 3}`: a function's parameter takes no such list, where
// one pair of braces stands for several.
static bool leavesOutBraces(const InitListExpr *List, QualType Type,
                            ASTContext &Context) {
  if (const InitListExpr *Syntactic = List->getSyntacticForm())
    List = Syntactic;
  const auto *Array = Context.getAsArrayType(Type);
  if (!Array)
    return false;
  QualType Element = Array->getElementType();
  const auto *Record = Element->getAsCXXRecordDecl();
  if (!Element->isArrayType() && !(Record && Record->isAggregate()))
    return false;
  return llvm::any_of(List->inits(), [&](const Expr *Init) {
    if (const auto *Inner = dyn_cast<InitListExpr>(Init->IgnoreParens()))
      return leavesOutBraces(Inner, Element, Context);
    return !Context.hasSameUnqualifiedType(Init->getType(), Element);
  });
}

// Nothing is written and nothing runs: `int a[4];`, `Point p[4];`.
static bool leavesUninitialised(const VarDecl *Variable) {
  const Expr *Init = Variable->getInit();
  if (!Init)
    return true;
  const auto *Construct = dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit());
  return Construct && Construct->getConstructor()->isTrivial() &&
         Construct->getConstructor()->isDefaultConstructor() &&
         !Construct->requiresZeroInitialization() &&
         Variable->getInitStyle() == VarDecl::CallInit;
}

// `Class a[4];`, where a constructor without arguments runs.
static bool isDefaultConstructed(const VarDecl *Variable) {
  const auto *Construct =
      dyn_cast<CXXConstructExpr>(Variable->getInit()->IgnoreImplicit());
  return Construct && Construct->getConstructor()->isDefaultConstructor() &&
         Variable->getInitStyle() == VarDecl::CallInit &&
         Construct->getParenOrBraceRange().isInvalid();
}

// `Class c = value;` becomes `Class(value)`, which is only the same when
// nothing is converted.
static bool convertsOnCopy(const VarDecl *Variable, ASTContext &Context) {
  if (Variable->getInitStyle() != VarDecl::CInit)
    return false;
  const Expr *Written = Variable->getInit()->IgnoreUnlessSpelledInSource();
  return !isa<InitListExpr>(Written) &&
         !Context.hasSameUnqualifiedType(Written->getType(),
                                         Variable->getType());
}

std::optional<Reason> bankstripe::readInitializer(Finding &F,
                                                  const VarDecl *Variable,
                                                  ASTContext &Context) {
  if (leavesUninitialised(Variable))
    return std::nullopt;
  if (F.IsObject || isDefaultConstructed(Variable)) {
    F.Init = InitializerKind::Construct;
    if (F.HasConst)
      return Reason::ConstElements;
    if (!F.IsObject)
      return Reason::ElementType; // Its elements need a place of their class.
    return convertsOnCopy(Variable, Context)
               ? std::optional(Reason::Initializer)
               : std::nullopt;
  }
  const Expr *Init = Variable->getInit()->IgnoreImplicit();
  const auto *List = dyn_cast<InitListExpr>(Init);
  F.Init = InitializerKind::List;
  if (!List || holdsString(List))
    return Reason::Initializer;
  QualType Element = Context.getBaseElementType(Variable->getType());
  if (!Element.isTriviallyCopyableType(Context))
    return Reason::Initializer;
  if (isZero(List, Context))
    F.Init = InitializerKind::Zero;
  else if (leavesOutBraces(List, Variable->getType(), Context))
    return Reason::Initializer;
  F.ConstantInit = !Init->isValueDependent() &&
                   Init->isConstantInitializer(Context, /*ForRef=*/false);
  return std::nullopt;
}
