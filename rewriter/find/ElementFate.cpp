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
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSet.h"

using namespace bankstripe;
using namespace clang;

// What a virtual function does depends on the object, not on this body.
static bool isVirtual(const FunctionDecl *Callee) {
  const auto *Method = dyn_cast<CXXMethodDecl>(Callee);
  return Method && Method->isVirtual();
}

// Functions without a body that a caller can see, known to touch nothing but
// the object that they are given the address of (CUDA programming guide,
// "Atomic functions"; CUDA math API, functions with output pointers).
static bool touchesOneObject(const FunctionDecl *Callee,
                             const SourceManager &SM) {
  // A function of the user's that shares such a name may do anything.
  if (!SM.isInSystemHeader(SM.getExpansionLoc(Callee->getLocation())) &&
      !Callee->getBuiltinID())
    return false;
  static const llvm::StringSet<> Names = {
      "sincos", "sincosf", "sincospi", "sincospif", "__sincosf", "modf",
      "modff",  "frexp",   "frexpf",   "remquo",    "remquof",
  };
  StringRef Name = Callee->getIdentifier() ? Callee->getName() : StringRef();
  static const llvm::StringSet<> Atomics = {
      "atomicAdd", "atomicSub", "atomicExch", "atomicMin",
      "atomicMax", "atomicInc", "atomicDec",  "atomicCAS",
      "atomicAnd", "atomicOr",  "atomicXor",
  };
  StringRef Base = Name;
  if (!Base.consume_back("_block"))
    Base.consume_back("_system");
  return Names.contains(Name) || Atomics.contains(Base);
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

// Every use of a variable that refers or points to the element.
Fate ElementFollower::ofVariable(const VarDecl *Variable, const BodyIndex &Body,
                                 unsigned Depth) {
  // A structured binding is referred to by its parts.
  if (Depth > 8 || Variable->hasGlobalStorage() ||
      isa<DecompositionDecl>(Variable))
    return Fate::Escapes;
  bool IsReference = Variable->getType()->isReferenceType();
  bool Returned = false;
  for (const DeclRefExpr *Reference : Body.references(Variable)) {
    if (Reference->refersToEnclosingVariableOrCapture())
      return Fate::Escapes;
    Fate F;
    if (IsReference) {
      F = ofLvalue(Reference, {Body, Depth + 1});
    } else {
      // A pointer that is overwritten then points elsewhere; what it points
      // to is asked about where its value is read.
      const Stmt *Parent = Body.parentOf(Reference);
      const auto *Assign = dyn_cast_or_null<BinaryOperator>(Parent);
      if (Assign && Assign->getOpcode() == BO_Assign &&
          Assign->getLHS() == Reference)
        continue;
      const auto *Load = dyn_cast_or_null<ImplicitCastExpr>(Parent);
      if (!Load || Load->getCastKind() != CK_LValueToRValue)
        return Fate::Escapes;
      F = ofPointer(Load, {Body, Depth + 1});
    }
    if (F == Fate::Returned)
      Returned = true;
    else if (F == Fate::Escapes || F == Fate::Unknown)
      return Fate::Escapes;
  }
  return Returned ? Fate::Returned : Fate::Address;
}

// The element as an argument for a parameter that is a reference, or copied.
Fate ElementFollower::ofLvalueArgument(const Expr *CallExpression,
                                       const Expr *Argument, Scope C) {
  const FunctionDecl *Callee = nullptr;
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
  if (!Callee || C.Depth > 8 || isVirtual(Callee))
    return Fate::Escapes;
  for (unsigned I = FirstParameter; I < Arguments.size(); ++I) {
    if (Arguments[I] != Argument)
      continue;
    const BodyIndex *Body = Bodies.get(Callee);
    const FunctionDecl *Definition = nullptr;
    if (!Body || !Callee->hasBody(Definition) ||
        I - FirstParameter >= Definition->getNumParams())
      return Fate::Escapes;
    const ParmVarDecl *Parameter = Definition->getParamDecl(I - FirstParameter);
    if (!Parameter->getType()->isReferenceType())
      return Fate::Escapes;
    return ofVariable(Parameter, *Body, C.Depth);
  }
  return Fate::Escapes;
}

// `x[i]` around the array `x`; null when it is used in another way.
static const Expr *subscriptOf(const Expr *Array, const BodyIndex &Body) {
  const Stmt *Child = Body.outermost<ParenExpr, ImplicitCastExpr>(Array);
  const auto *Subscript =
      dyn_cast_or_null<ArraySubscriptExpr>(Body.parentOf(Child));
  return Subscript && Subscript->getBase() == Child ? Subscript : nullptr;
}

Fate ElementFollower::ofLvalue(const Expr *E, Scope C) {
  const Stmt *Parent = C.Body.parentOf(E);
  if (!Parent)
    return Fate::Unknown;
  // Passed through: the same object, or a part of it.
  if (isa<ParenExpr, ExprWithCleanups, MaterializeTemporaryExpr>(Parent))
    return ofLvalue(cast<Expr>(Parent), C);
  if (const auto *Member = dyn_cast<MemberExpr>(Parent)) {
    if (!isa<FieldDecl>(Member->getMemberDecl()))
      return Fate::Escapes;
    // An array inside the element stays whole, but its alignment does not.
    const Expr *Part = Member;
    while (Part && Part->getType()->isArrayType())
      Part = subscriptOf(Part, C.Body);
    return Part ? ofLvalue(Part, C) : Fate::Escapes;
  }
  if (const auto *Cast = dyn_cast<CastExpr>(Parent)) {
    if (Cast->getCastKind() == CK_LValueToRValue)
      return Fate::Read;
    if (Cast->getCastKind() == CK_ToVoid)
      return Fate::Read;
    if (Cast->getCastKind() == CK_NoOp && Cast->isGLValue())
      return ofLvalue(Cast, C);
    return Fate::Escapes;
  }
  if (const auto *Binary = dyn_cast<BinaryOperator>(Parent)) {
    if (Binary->isAssignmentOp() && Binary->getLHS() == E) {
      // In C++ the assignment is itself an lvalue of the element.
      Fate Rest = ofLvalue(Binary, C);
      if (Rest == Fate::Escapes || Rest == Fate::Returned)
        return Rest;
      if (Rest == Fate::Unknown || Rest == Fate::Read) // Statement, or read.
        return Binary->isCompoundAssignmentOp() || Rest == Fate::Read
                   ? Fate::ReadWrite
                   : Fate::Write;
      return Fate::ReadWrite;
    }
    if (!Binary->isCommaOp())
      return Fate::Escapes;
    // The left side of a comma is discarded.
    if (Binary->getRHS() == E)
      return ofLvalue(Binary, C);
    return isa<ArraySubscriptExpr>(E->IgnoreParens()) ? Fate::Read
                                                      : Fate::Unknown;
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(Parent)) {
    if (Unary->isPostfix())
      return Fate::ReadWrite;
    if (Unary->isPrefix() && Unary->isIncrementDecrementOp()) {
      Fate Rest = ofLvalue(Unary, C);
      return Rest == Fate::Escapes || Rest == Fate::Returned ? Rest
                                                             : Fate::ReadWrite;
    }
    if (Unary->getOpcode() == UO_AddrOf)
      return ofPointer(Unary, C);
    return Fate::Escapes;
  }
  if (const auto *Conditional = dyn_cast<AbstractConditionalOperator>(Parent))
    return Conditional->isGLValue() ? ofLvalue(Conditional, C) : Fate::Read;
  if (isa<UnaryExprOrTypeTraitExpr>(Parent))
    return Fate::Read;
  if (isa<CallExpr>(Parent) || isa<CXXConstructExpr>(Parent)) {
    Fate F = ofLvalueArgument(cast<Expr>(Parent), E, C);
    if (F != Fate::Returned)
      return F;
    // `max(a[i], b)` hands the reference back: go on with the call.
    Fate Rest = ofReturned(cast<Expr>(Parent), C);
    // The function itself may have written through a reference to non-const.
    return Rest == Fate::Read && !E->getType().isConstQualified()
               ? Fate::Address
               : Rest;
  }
  if (const auto *Statement = dyn_cast<DeclStmt>(Parent)) {
    const VarDecl *Variable = initialisedBy(Statement, E);
    return Variable && Variable->getType()->isReferenceType()
               ? ofVariable(Variable, C.Body, C.Depth)
               : Fate::Escapes;
  }
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

// A call that returns the reference that it was given.
Fate ElementFollower::ofReturned(const Expr *Call, Scope C) {
  Fate Rest = Call->isGLValue() ? ofLvalue(Call, C) : Fate::Escapes;
  return Rest == Fate::Unknown ? Fate::Address : Rest;
}

Fate ElementFollower::ofPointerArgument(const CallExpr *Call,
                                        const Expr *Argument, Scope C) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (!Callee || C.Depth > 8 || isVirtual(Callee) ||
      isa<CXXOperatorCallExpr>(Call))
    return Fate::Escapes;
  if (touchesOneObject(Callee, Text.sources()))
    return Fate::Address;
  const FunctionDecl *Definition = nullptr;
  const BodyIndex *Body = Bodies.get(Callee);
  if (!Body || !Callee->hasBody(Definition))
    return Fate::Escapes;
  for (unsigned I = 0; I < Call->getNumArgs(); ++I)
    if (Call->getArg(I) == Argument && I < Definition->getNumParams())
      return ofVariable(Definition->getParamDecl(I), *Body, C.Depth);
  return Fate::Escapes;
}

Fate ElementFollower::ofPointer(const Expr *E, Scope C) {
  const Stmt *Parent = C.Body.parentOf(E);
  if (!Parent)
    return Fate::Escapes;
  // A dereference leads back to the object; nothing may be left unexplained.
  auto Dereferenced = [&](const Expr *Lvalue) {
    Fate F = ofLvalue(Lvalue, C);
    return F == Fate::Escapes || F == Fate::Returned ? F : Fate::Address;
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
    if (Seen->isIncompleteType() || Was->isIncompleteType() ||
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
    Expr::EvalResult Index;
    bool Zero = Subscript->getBase() == E &&
                Subscript->getIdx()->EvaluateAsInt(Index, Context) &&
                Index.Val.getInt().isZero();
    return Zero ? Dereferenced(Subscript) : Fate::Escapes;
  }
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(Parent))
    return Conditional->getCond() == E ? Fate::Escapes
                                       : ofPointer(Conditional, C);
  if (const auto *Call = dyn_cast<CallExpr>(Parent)) {
    Fate F = ofPointerArgument(Call, E, C);
    if (F != Fate::Returned)
      return F;
    Fate Rest = ofReturned(Call, C);
    return Rest == Fate::Escapes || Rest == Fate::Returned ? Rest
                                                           : Fate::Address;
  }
  if (const auto *Statement = dyn_cast<DeclStmt>(Parent)) {
    const VarDecl *Variable = initialisedBy(Statement, E);
    return Variable && Variable->getType()->isPointerType()
               ? ofVariable(Variable, C.Body, C.Depth)
               : Fate::Escapes;
  }
  if (const auto *Assign = dyn_cast<BinaryOperator>(Parent))
    if (Assign->getOpcode() == BO_Assign && Assign->getRHS() == E)
      if (const auto *Target =
              dyn_cast<DeclRefExpr>(Assign->getLHS()->IgnoreParens()))
        if (const auto *Variable = dyn_cast<VarDecl>(Target->getDecl());
            Variable && Variable->getType()->isPointerType() &&
            C.Body.parentOf(Assign) && !isa<Expr>(C.Body.parentOf(Assign)))
          return ofVariable(Variable, C.Body, C.Depth);
  return Fate::Escapes;
}
