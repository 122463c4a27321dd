//===-- ElementFate.cpp - follow one element of an array ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once an array is striped, the address of element i is still the address of a
// genuine object, so it may be dereferenced, passed on and kept, as long as
// nobody counts from it to a neighbour. The fate of an element is found by
// climbing from the expression that denotes it: an lvalue (`a[i]`, `*p`, `r`)
// is read, written, or has its address taken or bound; a pointer is
// dereferenced at offset zero, given to a function, or kept in a variable. For
// functions with a body, and for variables, the climb goes on at each of their
// uses. Whatever is not listed here escapes.
//
//===----------------------------------------------------------------------===//

#include "find/ElementFate.h"
#include "find/Constants.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSet.h"

using namespace bankstripe;
using namespace clang;

// Functions without a body that a caller can see, known to touch nothing but
// the object that they are given the address of (CUDA programming guide,
// "Atomic functions"; CUDA math API, functions with output pointers).
static bool touchesOneObject(const FunctionDecl *Callee) {
  // A function of the user's that shares such a name may do anything.
  if (!isOfSystem(Callee) && !Callee->getBuiltinID())
    return false;
  static const llvm::StringSet<> Names = {
      "sincos",    "sincosf",   "sincospi",  "sincospif",  "__sincosf",
      "modf",      "modff",     "frexp",     "frexpf",     "remquo",
      "remquof",   "atomicAdd", "atomicSub", "atomicExch", "atomicMin",
      "atomicMax", "atomicInc", "atomicDec", "atomicCAS",  "atomicAnd",
      "atomicOr",  "atomicXor",
  };
  StringRef Name = Callee->getIdentifier() ? Callee->getName() : StringRef();
  if (!Name.consume_back("_block"))
    Name.consume_back("_system");
  return Names.contains(Name);
}

const VarDecl *bankstripe::initialisedBy(const DeclStmt *Statement,
                                         const Expr *Init) {
  for (const Decl *D : Statement->decls())
    if (const auto *Variable = dyn_cast<VarDecl>(D))
      if (Variable->getInit() &&
          (Variable->getInit() == Init ||
           Variable->getInit()->IgnoreImplicit() == Init->IgnoreImplicit()))
        return Variable;
  return nullptr;
}

namespace {

/// Where a climb is.
struct Scope {
  const BodyIndex &Body;
  BodyIndexCache &Bodies;
  unsigned Depth; ///< Of variables followed; bounded.
};

} // namespace

static Fate ofLvalue(const Expr *E, Scope C);
static Fate ofPointer(const Expr *E, Scope C);

static bool leaves(Fate F) { return F == Fate::Escapes || F == Fate::Returned; }

// Every use of a variable that refers or points to the element.
static Fate ofVariable(const VarDecl *Variable, Scope C) {
  // A structured binding is referred to by its parts.
  if (C.Depth > 8 || Variable->hasGlobalStorage() ||
      isa<DecompositionDecl>(Variable))
    return Fate::Escapes;
  bool IsReference = Variable->getType()->isReferenceType();
  bool Returned = false;
  for (const DeclRefExpr *Reference : C.Body.references(Variable)) {
    if (Reference->refersToEnclosingVariableOrCapture())
      return Fate::Escapes;
    // A pointer that is overwritten then points elsewhere; what it points to is
    // asked about where its value is read.
    const Stmt *Parent = C.Body.parentOf(Reference);
    const auto *Assign = dyn_cast_or_null<BinaryOperator>(Parent);
    if (!IsReference && Assign && Assign->getOpcode() == BO_Assign &&
        Assign->getLHS() == Reference)
      continue;
    const auto *Load = dyn_cast_or_null<ImplicitCastExpr>(Parent);
    if (!IsReference && (!Load || Load->getCastKind() != CK_LValueToRValue))
      return Fate::Escapes;
    const Fate F = IsReference
                       ? ofLvalue(Reference, {C.Body, C.Bodies, C.Depth + 1})
                       : ofPointer(Load, {C.Body, C.Bodies, C.Depth + 1});
    if (F == Fate::Escapes || F == Fate::Unknown)
      return Fate::Escapes;
    Returned |= F == Fate::Returned;
  }
  return Returned ? Fate::Returned : Fate::Address;
}

// The element as an argument: by reference, copied, or by its address.
static Fate ofArgument(const Expr *CallExpression, const Expr *Argument,
                       Scope C) {
  const FunctionDecl *Callee = nullptr, *Definition = nullptr;
  llvm::ArrayRef<const Expr *> Arguments;
  unsigned FirstParameter = 0;
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(CallExpression)) {
    Callee = Construct->getConstructor();
    Arguments = {Construct->getArgs(), Construct->getNumArgs()};
    // Copying a vector element reads it.
    if (Construct->getConstructor()->isCopyOrMoveConstructor() &&
        Callee->isImplicit())
      return Fate::Read;
  } else if (const auto *Call = dyn_cast<CallExpr>(CallExpression)) {
    Callee = Call->getDirectCallee();
    Arguments = {Call->getArgs(), Call->getNumArgs()};
    if (const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
        Method && isa<CXXOperatorCallExpr>(Call)) {
      if (Method->isImplicit() && (Method->isCopyAssignmentOperator() ||
                                   Method->isMoveAssignmentOperator()))
        return Arguments[0] == Argument ? Fate::Write : Fate::Read;
      FirstParameter = 1; // Argument 0 is the object itself.
    }
  }
  // What a virtual function does depends on the object, not on this body.
  const auto *Called = dyn_cast_or_null<CXXMethodDecl>(Callee);
  if (!Callee || (Called && Called->isVirtual()))
    return Fate::Escapes;
  if (!Argument->isGLValue() && touchesOneObject(Callee))
    return Fate::Address;
  const BodyIndex *Body = C.Bodies.get(Callee);
  if (!Body || !Callee->hasBody(Definition))
    return Fate::Escapes;
  for (unsigned I = FirstParameter; I < Arguments.size(); ++I)
    if (Arguments[I] == Argument &&
        I - FirstParameter < Definition->getNumParams()) {
      const ParmVarDecl *P = Definition->getParamDecl(I - FirstParameter);
      return Argument->isGLValue() == P->getType()->isReferenceType()
                 ? ofVariable(P, {*Body, C.Bodies, C.Depth})
                 : Fate::Escapes;
    }
  return Fate::Escapes;
}

// The element, or its address, as an argument. `max(a[i], b)` hands the
// reference back: then it goes on with the call.
static Fate ofCall(const Expr *Call, const Expr *Argument, Scope C) {
  const Fate F = ofArgument(Call, Argument, C);
  if (F != Fate::Returned)
    return F;
  const Fate Rest = Call->isGLValue() ? ofLvalue(Call, C) : Fate::Escapes;
  // The function itself may have written through a reference to non-const.
  const bool IsKnown =
      Argument->isGLValue() && Rest != Fate::Unknown &&
      (Rest != Fate::Read || Argument->getType().isConstQualified());
  return leaves(Rest) || IsKnown ? Rest : Fate::Address;
}

// The variable that the element, or its address, initialises.
static Fate ofInitialised(const DeclStmt *Statement, const Expr *E, Scope C) {
  const VarDecl *Variable = initialisedBy(Statement, E);
  return Variable && (E->isGLValue() ? Variable->getType()->isReferenceType()
                                     : Variable->getType()->isPointerType())
             ? ofVariable(Variable, C)
             : Fate::Escapes;
}

// The element as an operand.
static Fate ofOperand(const Expr *E, const Stmt *Operator, Scope C) {
  if (const auto *Binary = dyn_cast<BinaryOperator>(Operator)) {
    if (Binary->isAssignmentOp() && Binary->getLHS() == E) {
      // In C++ the assignment is itself an lvalue of the element.
      Fate Rest = ofLvalue(Binary, C);
      if (leaves(Rest))
        return Rest;
      return Rest == Fate::Unknown && !Binary->isCompoundAssignmentOp()
                 ? Fate::Write // Used as a statement.
                 : Fate::ReadWrite;
    }
    if (!Binary->isCommaOp())
      return Fate::Escapes;
    // The left side of a comma is discarded.
    if (Binary->getRHS() == E)
      return ofLvalue(Binary, C);
    return isa<ArraySubscriptExpr>(E->IgnoreParens()) ? Fate::Read
                                                      : Fate::Unknown;
  }
  const auto *Unary = cast<UnaryOperator>(Operator);
  if (Unary->isPostfix())
    return Fate::ReadWrite;
  if (Unary->isIncrementDecrementOp()) {
    Fate Rest = ofLvalue(Unary, C);
    return leaves(Rest) ? Rest : Fate::ReadWrite;
  }
  return Unary->getOpcode() == UO_AddrOf ? ofPointer(Unary, C) : Fate::Escapes;
}

static Fate ofLvalue(const Expr *E, Scope C) {
  const Stmt *Parent = C.Body.parentOf(E);
  if (!Parent)
    return Fate::Unknown;
  // Passed through: the same object, or a part of it.
  if (isa<ParenExpr, ExprWithCleanups, MaterializeTemporaryExpr>(Parent) ||
      (isa<AbstractConditionalOperator>(Parent) &&
       cast<Expr>(Parent)->isGLValue()))
    return ofLvalue(cast<Expr>(Parent), C);
  if (const auto *Member = dyn_cast<MemberExpr>(Parent)) {
    if (!isa<FieldDecl>(Member->getMemberDecl()))
      return Fate::Escapes;
    // An array inside the element stays whole, but its alignment does not.
    const Expr *Part = Member;
    while (Part && Part->getType()->isArrayType())
      Part = C.Body.subscriptOf(Part);
    return Part ? ofLvalue(Part, C) : Fate::Escapes;
  }
  if (const auto *Cast = dyn_cast<CastExpr>(Parent)) {
    if (Cast->getCastKind() == CK_LValueToRValue ||
        Cast->getCastKind() == CK_ToVoid)
      return Fate::Read;
    if (Cast->getCastKind() == CK_NoOp && Cast->isGLValue())
      return ofLvalue(Cast, C);
    return Fate::Escapes;
  }
  if (isa<BinaryOperator, UnaryOperator>(Parent))
    return ofOperand(E, Parent, C);
  if (isa<AbstractConditionalOperator, UnaryExprOrTypeTraitExpr>(Parent))
    return Fate::Read;
  if (isa<CallExpr, CXXConstructExpr>(Parent))
    return ofCall(cast<Expr>(Parent), E, C);
  if (const auto *Statement = dyn_cast<DeclStmt>(Parent))
    return ofInitialised(Statement, E, C);
  if (isa<ReturnStmt>(Parent))
    return Fate::Returned;
  if (isa<GCCAsmStmt>(Parent))
    return Fate::ReadWrite;
  // Used as a statement: nothing happens to it.
  if (isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt,
          LabelStmt, SwitchCase, AttributedStmt, CXXForRangeStmt>(Parent))
    return Fate::Unknown;
  return Fate::Escapes;
}

static Fate ofPointer(const Expr *E, Scope C) {
  const ASTContext &Context = C.Body.Context;
  const Stmt *Parent = C.Body.parentOf(E);
  if (!Parent)
    return Fate::Escapes;
  // A dereference leads back to the object; nothing may be left unexplained.
  auto Dereferenced = [&](const Expr *Lvalue) {
    Fate F = ofLvalue(Lvalue, C);
    return leaves(F) ? F : Fate::Address;
  };
  if (isa<ParenExpr>(Parent))
    return ofPointer(cast<Expr>(Parent), C);
  if (const auto *Cast = dyn_cast<CastExpr>(Parent)) {
    QualType To = Cast->getType();
    if (!To->isPointerType() || !E->getType()->isPointerType())
      return Fate::Escapes;
    // Another view of the same bytes, no wider or more aligned than the
    // element.
    QualType Seen = To->getPointeeType(), Was = E->getType()->getPointeeType();
    if (Seen->isDependentType() || Was->isDependentType() ||
        Seen->isIncompleteType() || Was->isIncompleteType() ||
        Context.getTypeSizeInChars(Seen) > Context.getTypeSizeInChars(Was) ||
        Context.getTypeAlign(Seen) > Context.getTypeAlign(Was))
      return Fate::Escapes;
    return ofPointer(Cast, C);
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(Parent))
    return Unary->getOpcode() == UO_Deref ? Dereferenced(Unary) : Fate::Escapes;
  if (const auto *Member = dyn_cast<MemberExpr>(Parent))
    return Member->isArrow() && isa<FieldDecl>(Member->getMemberDecl())
               ? Dereferenced(Member)
               : Fate::Escapes;
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Parent)) {
    const bool Zero = Subscript->getBase() == E &&
                      constantOf(Subscript->getIdx(), Context) == 0;
    return Zero ? Dereferenced(Subscript) : Fate::Escapes;
  }
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(Parent))
    return Conditional->getCond() == E ? Fate::Escapes
                                       : ofPointer(Conditional, C);
  if (isa<CallExpr>(Parent))
    return ofCall(cast<Expr>(Parent), E, C);
  if (const auto *Statement = dyn_cast<DeclStmt>(Parent))
    return ofInitialised(Statement, E, C);
  if (const auto *Assign = dyn_cast<BinaryOperator>(Parent);
      Assign && Assign->getOpcode() == BO_Assign && Assign->getRHS() == E)
    if (const VarDecl *Variable = variableOf(Assign->getLHS());
        Variable && Variable->getType()->isPointerType() &&
        C.Body.parentOf(Assign) && !isa<Expr>(C.Body.parentOf(Assign)))
      return ofVariable(Variable, C);
  return Fate::Escapes;
}

Fate bankstripe::fateOf(const Expr *Lvalue, const BodyIndex &Body,
                        BodyIndexCache &Bodies) {
  return ofLvalue(Lvalue, {Body, Bodies, 0});
}
