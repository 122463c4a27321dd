//===-- PointerWalker.cpp - follow pointers into an array -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A striped array's elements are 32 units apart, so a raw pointer cannot walk
// over them; bankstripe::pointer can, with the same operators. Whether that is
// enough is found by climbing from each expression that is such a pointer:
//
//     *p, p[i], p->x            an element, which must stay with itself
//     p + i, p++, p += i        again such a pointer
//     p < end, p - a            fine, if the other side is one too
//     q = p, T *q = p           then q is one, and all its uses are asked about
//     f(p)                      fine, if f's parameter only walks
//
// Everything else (a cast, a pointer stored, returned, captured, compared with
// null) ends the climb: the array then needs contiguous memory.
//
//===----------------------------------------------------------------------===//

#include "find/PointerWalker.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace bankstripe;
using namespace clang;

// The value of the expression is not used: it stands as a statement.
bool PointerWalker::isDiscarded(const Expr *Value) const {
  const Stmt *Child = Value, *Parent = Body.parentOf(Value);
  while (Parent && (isa<ParenExpr>(Parent) || isa<ExprWithCleanups>(Parent))) {
    Child = Parent;
    Parent = Body.parentOf(Parent);
  }
  if (const auto *Comma = dyn_cast_or_null<BinaryOperator>(Parent))
    return Comma->isCommaOp() &&
           (Comma->getLHS() == Child || isDiscarded(Comma));
  if (const auto *For = dyn_cast_or_null<ForStmt>(Parent))
    return For->getInc() == Child || For->getInit() == Child;
  return isa_and_nonnull<CompoundStmt>(Parent);
}

// Whether Value comes from the array and from nothing else.
bool PointerWalker::isTracked(const Expr *Value) const {
  Value = Value->IgnoreParens();
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Value))
    return isTracked(Cast->getSubExpr());
  if (const auto *Reference = dyn_cast<DeclRefExpr>(Value)) {
    const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
    return Variable && (Variable == Source || Tracked.contains(Variable));
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(Value))
    return Unary->isIncrementDecrementOp() && isTracked(Unary->getSubExpr());
  if (const auto *Binary = dyn_cast<BinaryOperator>(Value)) {
    if (!Binary->isAdditiveOp())
      return false;
    return isTracked(Binary->getLHS()->getType()->isPointerType()
                         ? Binary->getLHS()
                         : Binary->getRHS());
  }
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(Value))
    return isTracked(Conditional->getTrueExpr()) &&
           isTracked(Conditional->getFalseExpr());
  return false;
}

bool PointerWalker::followBinary(const BinaryOperator *Operator,
                                 const Expr *Value) {
  const Expr *Other =
      Operator->getLHS() == Value ? Operator->getRHS() : Operator->getLHS();
  if (Operator->isAdditiveOp() && !Other->getType()->isPointerType())
    return Other->IgnoreParenImpCasts()
               ->getType()
               ->isIntegralOrUnscopedEnumerationType() &&
           follow(Operator);
  if (Operator->isComparisonOp() || Operator->getOpcode() == BO_Sub) {
    Meets.push_back(Other);
    return Other->getType()->isPointerType();
  }
  if (Operator->getOpcode() != BO_Assign || Operator->getRHS() != Value ||
      !isDiscarded(Operator))
    return false;
  const auto *Target =
      dyn_cast<DeclRefExpr>(Operator->getLHS()->IgnoreParens());
  const auto *Pointer = Target ? dyn_cast<VarDecl>(Target->getDecl()) : nullptr;
  return Pointer && track(Pointer);
}

bool PointerWalker::followArgument(const CallExpr *Call, const Expr *Value) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (!Callee || isa<CXXOperatorCallExpr>(Call) || isa<CXXMemberCallExpr>(Call))
    return false;
  for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
    if (Call->getArg(I) != Value)
      continue;
    auto Place = Classifier.walkingParameter(Callee, I, Call);
    auto Begin = Classifier.Text.spelled(Call->getBeginLoc());
    auto End = Classifier.Text.spelled(Call->getEndLoc());
    if (!Place)
      return false;
    // A template would take the const for a part of its parameter.
    QualType Given = Value->IgnoreParenImpCasts()->getType();
    if (Given->isPointerType() && Given->getPointeeType().isConstQualified() &&
        Classifier.isDependent(*Place, I))
      return false;
    // A call in a macro is told apart by the macro's use.
    TextRange Range = {
        Classifier.Text.file(Call->getBeginLoc()),
        Classifier.Text.sources().getFileOffset(
            Classifier.Text.sources().getExpansionLoc(Call->getBeginLoc())),
        0};
    if (Begin && End)
      if (auto Written = Classifier.Text.tokens(*Begin, *End))
        Range = *Written;
    Trail.Arguments.push_back({std::move(Range), *Place, I});
    return true;
  }
  return false;
}

bool PointerWalker::followDeclaration(const DeclStmt *Statement,
                                      const Expr *Value) {
  const VarDecl *Pointer = Classifier.initialisedBy(Statement, Value);
  return Pointer && track(Pointer);
}

// One more variable that points into the array.
bool PointerWalker::track(const VarDecl *Pointer) {
  if (Tracked.contains(Pointer))
    return true;
  if (!Pointer->hasLocalStorage() || isa<ParmVarDecl>(Pointer) ||
      !Pointer->getType()->isPointerType())
    return false;
  Tracked.insert(Pointer);
  const DeclStmt *Statement = nullptr;
  for (auto [Variable, Declared] : Body.Variables)
    if (Variable == Pointer)
      Statement = Declared;
  if (!Statement)
    return false;
  if (!llvm::is_contained(Statements, Statement)) {
    auto Declaration = readPointerDeclaration(Statement, Classifier.Text);
    if (!Declaration)
      return false;
    Statements.push_back(Statement);
    // `auto` needs no edit.
    if (!Declaration->Stars.empty())
      Trail.Locals.push_back(std::move(*Declaration));
  }
  if (const Expr *Init = Pointer->getInit())
    Meets.push_back(Init);
  return followVariable(Pointer);
}

bool PointerWalker::followReference(const DeclRefExpr *Reference) {
  if (Reference->refersToEnclosingVariableOrCapture())
    return false;
  const Stmt *Child = Reference, *Parent = Body.parentOf(Reference);
  while (isa_and_nonnull<ParenExpr>(Parent)) {
    Child = Parent;
    Parent = Body.parentOf(Parent);
  }
  if (const auto *Load = dyn_cast_or_null<ImplicitCastExpr>(Parent))
    return Load->getCastKind() == CK_LValueToRValue && follow(Load);
  if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Parent)) {
    if (!Unary->isIncrementDecrementOp())
      return false;
    if (isDiscarded(Unary))
      return true;
    if (Unary->isPostfix())
      return follow(Unary);
    const auto *Load = dyn_cast_or_null<ImplicitCastExpr>(Body.parentOf(Unary));
    return Load && Load->getCastKind() == CK_LValueToRValue && follow(Load);
  }
  const auto *Assign = dyn_cast_or_null<BinaryOperator>(Parent);
  if (!Assign || Assign->getLHS() != Child || !isDiscarded(Assign))
    return false;
  if (Assign->getOpcode() == BO_Assign)
    Meets.push_back(Assign->getRHS());
  return Assign->getOpcode() == BO_Assign ||
         Assign->getOpcode() == BO_AddAssign ||
         Assign->getOpcode() == BO_SubAssign;
}

bool PointerWalker::followVariable(const VarDecl *Pointer) {
  auto It = Body.References.find(Pointer);
  return It == Body.References.end() ||
         llvm::all_of(It->second, [&](const DeclRefExpr *Reference) {
           return followReference(Reference);
         });
}

bool PointerWalker::follow(const Expr *Value) {
  const ASTContext &Context = Classifier.Context;
  if (!Value->getType()->isPointerType() ||
      !Context.hasSameUnqualifiedType(Value->getType()->getPointeeType(),
                                      Element) ||
      Value->getType()->getPointeeType().isVolatileQualified())
    return false;
  const Stmt *Parent = Body.parentOf(Value);
  if (!Parent)
    return false;
  if (isa<ParenExpr>(Parent))
    return follow(cast<Expr>(Parent));
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Parent))
    return Cast->getCastKind() == CK_NoOp && follow(Cast);
  if (const auto *Unary = dyn_cast<UnaryOperator>(Parent))
    return Unary->getOpcode() == UO_Deref &&
           Classifier.staysWithElement(Unary, Body);
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Parent))
    return Subscript->getLHS() == Value &&
           Subscript->getIdx()
               ->IgnoreParenImpCasts()
               ->getType()
               ->isIntegralOrUnscopedEnumerationType() &&
           Classifier.staysWithElement(Subscript, Body);
  if (const auto *Member = dyn_cast<MemberExpr>(Parent))
    return Member->isArrow() && isa<FieldDecl>(Member->getMemberDecl()) &&
           !Member->getType()->isArrayType() &&
           Classifier.staysWithElement(Member, Body);
  if (const auto *Operator = dyn_cast<BinaryOperator>(Parent))
    return followBinary(Operator, Value);
  if (const auto *Call = dyn_cast<CallExpr>(Parent))
    return followArgument(Call, Value);
  if (const auto *Statement = dyn_cast<DeclStmt>(Parent))
    return followDeclaration(Statement, Value);
  return false;
}

bool PointerWalker::staysAmongItself() {
  for (const DeclStmt *Statement : Statements)
    for (const Decl *D : Statement->decls())
      if (!Tracked.contains(dyn_cast<VarDecl>(D)))
        return false;
  return llvm::all_of(Meets, [&](const Expr *E) { return isTracked(E); });
}
