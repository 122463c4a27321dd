//===-- HostUse.cpp - what the host does with a variable ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variable that is not const itself may be written through a const reference
// to it, by whoever casts that away. So such a reference is no more than a look
// at the variable only where all is seen that becomes of it: a function of a
// system header that hands it on to nobody, one of the user's with its body, or
// a variable of the same function.
//
//===----------------------------------------------------------------------===//

#include "find/HostUse.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;
using namespace clang;

/// Of functions that hand a reference on to the next.
static constexpr unsigned MostCalls = 4;

static HostUse readUse(const Stmt *Name, const BodyIndex &Body, unsigned Calls);

// Whether all that the body does with the reference or parameter is to read it.
static bool isOnlyRead(const VarDecl *Reference, const BodyIndex &Body,
                       unsigned Calls) {
  return !isa<DecompositionDecl>(Reference) && Reference->hasLocalStorage() &&
         llvm::all_of(Body.references(Reference), [&](const DeclRefExpr *Name) {
           return readUse(Name, Body, Calls).IsRead;
         });
}

// Whether the function can be another one than the definition that is seen.
static bool isReplaceable(const FunctionDecl *Function) {
  const auto *Method = dyn_cast<CXXMethodDecl>(Function);
  return (Method && Method->isVirtual()) || Function->isWeak();
}

// Whether what an assignment or a call gives back, which may be the variable,
// is not written then.
static bool isLastWord(const Expr *Value, const BodyIndex &Body,
                       unsigned Calls) {
  return Body.isDiscarded(Value) || readUse(Value, Body, Calls).IsRead;
}

// Whether a value of Type, or what it refers to, is made of numbers alone, and
// so leads to nothing else, be it to code of the user's.
static bool isPlain(QualType Type) {
  Type = Type.getNonReferenceType();
  const auto *Record = Type->getAsCXXRecordDecl();
  return Type->isVoidType() || Type->isArithmeticType() ||
         Type->isEnumeralType() ||
         (Record && Record->hasDefinition() && isOfSystem(Record) &&
          Record->getNumBases() == 0 &&
          llvm::all_of(Record->fields(), [](const FieldDecl *Field) {
            return !Field->getType()->isReferenceType() &&
                   isPlain(Field->getType());
          }));
}

// Whether a function of a system header keeps no reference that it is given: it
// knows numbers alone, and so nobody who could get the reference, and neither
// does what becomes of its answer.
static bool keepsNothing(const CallExpr *Call, const FunctionDecl *Callee,
                         const BodyIndex &Body, unsigned Calls) {
  const auto *Method = dyn_cast<CXXMethodDecl>(Callee);
  return isOfSystem(Callee) && isPlain(Call->getType()) &&
         (Call->isPRValue() || isLastWord(Call, Body, Calls)) &&
         (!Method ||
          isPlain(Body.Context.getCanonicalTagType(Method->getParent()))) &&
         llvm::all_of(Callee->parameters(), [](const ParmVarDecl *P) {
           return isPlain(P->getType());
         });
}

// Whether Seen, an argument, is only read by what it is passed to.
static bool isOnlyReadBy(const CallExpr *Call, const Expr *Seen,
                         const BodyIndex &Body, unsigned Calls) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  const auto Argument = llvm::find(Call->arguments(), Seen);
  if (!Callee || Argument == Call->arg_end())
    return false;
  // The first one of an operator is the object.
  if (const auto *Method = dyn_cast<CXXMethodDecl>(Callee);
      Method && isa<CXXOperatorCallExpr>(Call))
    return Method->isTrivial() && Method->isCopyAssignmentOperator() &&
           Call->getArg(1) == Seen;
  if (isOfSystem(Callee))
    return keepsNothing(Call, Callee, Body, Calls);
  const unsigned Index = std::distance(Call->arg_begin(), Argument);
  const FunctionDecl *Definition = nullptr;
  if (Calls == MostCalls || Index >= Callee->getNumParams() ||
      isReplaceable(Callee) || !Callee->hasBody(Definition) ||
      Definition->isDependentContext())
    return false;
  return isOnlyRead(Definition->getParamDecl(Index),
                    indexStatement(Definition->getBody(), Body.Context),
                    Calls + 1);
}

// Whether nobody writes the variable through Seen, which is a const view of it.
static bool isOnlySeen(const Expr *Seen, const BodyIndex &Body,
                       unsigned Calls) {
  const Stmt *Child = Body.outermost<ParenExpr>(Seen);
  const Stmt *Parent = Body.parentOf(Child);
  if (const auto *Construct = dyn_cast_or_null<CXXConstructExpr>(Parent))
    return Construct->getConstructor()->isCopyOrMoveConstructor() &&
           Construct->getType().isTriviallyCopyableType(Body.Context);
  if (const auto *Member = dyn_cast_or_null<MemberExpr>(Parent)) {
    const auto *Method = dyn_cast<CXXMethodDecl>(Member->getMemberDecl());
    const auto *Call = dyn_cast_or_null<CallExpr>(Body.parentOf(Member));
    return Method && Call && Call->getCallee() == Member &&
           keepsNothing(Call, Method, Body, Calls);
  }
  if (const auto *Call = dyn_cast_or_null<CallExpr>(Parent))
    return isOnlyReadBy(Call, cast<Expr>(Child), Body, Calls);
  if (const auto *Declared = dyn_cast_or_null<DeclStmt>(Parent))
    return llvm::all_of(Declared->decls(), [&](const Decl *D) {
      const auto *Variable = dyn_cast<VarDecl>(D);
      return Variable && (Variable->getInit() != Child ||
                          isOnlyRead(Variable, Body, Calls));
    });
  return false;
}

static HostUse readUse(const Stmt *Name, const BodyIndex &Body,
                       unsigned Calls) {
  HostUse Use;
  const Stmt *Child = Body.outermost<ParenExpr>(Name);
  while (const auto *Member =
             dyn_cast_or_null<MemberExpr>(Body.parentOf(Child))) {
    Use.IsDeep = Use.Field;
    if (!Use.Field)
      Use.Field = Member;
    Child = Body.outermost<ParenExpr>(Member);
  }
  const Stmt *Parent = Body.parentOf(Child);
  const Expr *Value = nullptr;
  if (const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Parent))
    Use.IsRead =
        Cast->getCastKind() == CK_LValueToRValue ||
        (Cast->getCastKind() == CK_NoOp && Cast->getType().isConstQualified() &&
         isOnlySeen(Cast, Body, Calls));
  else if (const auto *Cast = dyn_cast_or_null<CastExpr>(Parent))
    Use.IsRead = Cast->getCastKind() == CK_ToVoid;
  else if (isa_and_nonnull<CXXConstructExpr, CallExpr, DeclStmt>(Parent) &&
           cast<Expr>(Child)->getType().isConstQualified())
    Use.IsRead = isOnlySeen(cast<Expr>(Child), Body, Calls);
  if (const auto *Assign = dyn_cast_or_null<BinaryOperator>(Parent);
      Assign && Assign->getOpcode() == BO_Assign && Assign->getLHS() == Child)
    Value = Assign->getRHS();
  else if (const auto *Assign = dyn_cast_or_null<CXXOperatorCallExpr>(Parent);
           Assign && Assign->getOperator() == OO_Equal &&
           Assign->getArg(0) == Child)
    Value = Assign->getArg(1);
  if (Value && isLastWord(cast<Expr>(Parent), Body, Calls))
    Use.Assigned = Value;
  return Use;
}

HostUse bankstripe::useOf(const Stmt *Name, const BodyIndex &Body) {
  return readUse(Name, Body, /*Calls=*/0);
}

bool bankstripe::isChangedElsewhere(const VarDecl *Variable) {
  return Variable->getType().isVolatileQualified() || Variable->isWeak() ||
         Variable->isExceptionVariable() ||
         llvm::any_of(Variable->redecls(), [](const VarDecl *Declared) {
           return Declared->hasAttr<AsmLabelAttr>() ||
                  Declared->hasAttr<AliasAttr>();
         });
}
