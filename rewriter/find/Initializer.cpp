//===-- Initializer.cpp - how a per-thread array begins -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In shared memory an array gets its values by a statement behind its
// declaration: clear() assigns `Element()` to each element, initialize()
// assigns copies of a list. That does the same as the initialiser only if the
// values do not look at the array, and if elements are nothing but their
// values. An object is constructed where it is to be, but by a reference that
// does not refer to it yet.
//
//===----------------------------------------------------------------------===//

#include "find/Initializer.h"
#include "find/BodyIndex.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

using namespace bankstripe;
using namespace clang;

// Whether Holds is true of a base or member of Record that is a class, or of
// Record.
static bool anyClass(const CXXRecordDecl *Record,
                     llvm::function_ref<bool(const CXXRecordDecl *)> Holds) {
  if (!Record || !Record->hasDefinition())
    return false;
  if (Holds(Record))
    return true;
  auto Below = [&](QualType Type) {
    return anyClass(Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl(),
                    Holds);
  };
  return llvm::any_of(Record->bases(),
                      [&](const CXXBaseSpecifier &Base) {
                        return Below(Base.getType());
                      }) ||
         llvm::any_of(Record->fields(), [&](const FieldDecl *Field) {
           return Below(Field->getType());
         });
}

bool bankstripe::anyField(const CXXRecordDecl *Record,
                          llvm::function_ref<bool(QualType)> Holds) {
  return anyClass(Record, [&](const CXXRecordDecl *Class) {
    return llvm::any_of(Class->fields(), [&](const FieldDecl *Field) {
      return Holds(Field->getType());
    });
  });
}

static bool hasFixedFields(const CXXRecordDecl *Record) {
  return anyField(Record, [](QualType Type) {
    return Type.isConstQualified() || Type->isReferenceType();
  });
}

static bool isHidden(const CXXMethodDecl *M) {
  return M->isDeleted() || M->getAccess() != AS_public;
}

// Whether elements of a class that is trivially copyable can be assigned.
static bool canBeAssigned(const CXXRecordDecl *Record) {
  auto IsMissing = [](const CXXMethodDecl *M) {
    return (M->isCopyAssignmentOperator() ||
            (M->isMoveAssignmentOperator() && !M->isImplicit())) &&
           isHidden(M);
  };
  return !hasFixedFields(Record) &&
         !anyClass(Record, [&](const CXXRecordDecl *Class) {
           return !Class->hasCopyAssignmentWithConstParam() ||
                  llvm::any_of(Class->methods(), IsMissing);
         });
}

bool bankstripe::canBeDefaultConstructed(const CXXRecordDecl *Record) {
  auto IsMissing = [](const CXXConstructorDecl *C) {
    return C->isDefaultConstructor() && isHidden(C);
  };
  return !hasFixedFields(Record) &&
         !anyClass(Record, [&](const CXXRecordDecl *Class) {
           return !Class->hasTrivialDefaultConstructor() ||
                  llvm::any_of(Class->ctors(), IsMissing);
         });
}

bool bankstripe::canBeCopied(const CXXRecordDecl *Record) {
  return llvm::none_of(Record->decls(), [](const Decl *D) {
    const auto *Constructor =
        dyn_cast_or_null<CXXConstructorDecl>(D->getAsFunction());
    return Constructor &&
           (isa<FunctionTemplateDecl>(D) ||
            (Constructor->isCopyConstructor() && isHidden(Constructor)));
  });
}

// Whether `Element()` is nothing but zeros.
static bool startsAsZero(QualType Element) {
  const auto *Record = Element->getAsCXXRecordDecl();
  return !Record || (canBeDefaultConstructed(Record) &&
                     !anyClass(Record, [](const CXXRecordDecl *C) {
                       return C->isUnion();
                     }));
}

// Whether code of the element's class sees where the element is made, which is
// not where it ends up.
static bool mayKeepItsPlace(const Expr *Init, const CXXRecordDecl *Record) {
  const bool HoldsPointer = anyField(Record, [](QualType Type) {
    return Type->getBaseElementTypeUnsafe()->isAnyPointerType();
  });
  return anyPart(Init, [&](const Stmt *S) {
    if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(S))
      return anyPart(Default->getExpr(),
                     [](const Stmt *Part) { return isa<CXXThisExpr>(Part); });
    const auto *Construct = dyn_cast<CXXConstructExpr>(S);
    if (!Construct || !Construct->getConstructor()->isUserProvided())
      return false;
    return HoldsPointer ||
           llvm::any_of(Construct->getConstructor()->parameters(),
                        [](const ParmVarDecl *P) {
                          QualType Type = P->getType();
                          return (Type->isPointerType() ||
                                  Type->isReferenceType()) &&
                                 !Type->getPointeeType().isConstQualified();
                        });
  });
}

// Clang folds what a constant that is none by the language was made of, such as
// a float or an object that is only const; nvcc does not. Variables of the
// function Within are its own matter.
static bool readsOnlyConstants(const Stmt *S, const ASTContext &Context,
                               const DeclContext *Within, bool IsRead = false) {
  if (!S || isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(S))
    return true;
  const auto *Unary = dyn_cast<UnaryOperator>(S);
  const auto *Decay = dyn_cast<ImplicitCastExpr>(S);
  const bool IsAddress =
      (Unary && Unary->getOpcode() == UO_AddrOf) ||
      (Decay && Decay->getCastKind() == CK_ArrayToPointerDecay);
  if (IsAddress && !IsRead &&
      isa<DeclRefExpr>(cast<Expr>(*S->child_begin())->IgnoreParens()))
    return true;
  IsRead |= isa<ArraySubscriptExpr, MemberExpr>(S) ||
            (Unary && Unary->getOpcode() == UO_Deref);
  const auto *Named = dyn_cast<DeclRefExpr>(S);
  const auto *Variable = Named ? dyn_cast<VarDecl>(Named->getDecl()) : nullptr;
  if (Variable && Variable->getDeclContext() != Within)
    return Variable->isUsableInConstantExpressions(Context);
  return llvm::all_of(partsOf(S), [&](const Stmt *Part) {
    return readsOnlyConstants(Part, Context, Within, IsRead);
  });
}

// Clang folds calls of the C library, most builtins and `warpSize`; nvcc does
// not, and has no static variable then.
static bool callsOnlyWhatNvccFolds(const Stmt *Code, const ASTContext &Context,
                                   const FunctionDecl *Within = nullptr,
                                   unsigned Depth = 0) {
  return readsOnlyConstants(Code, Context, Within) &&
         !anyPart(Code, [&](const Stmt *S) {
           const FunctionDecl *Callee = nullptr;
           if (isa<StmtExpr>(S))
             return true;
           if (const auto *Named = dyn_cast<DeclRefExpr>(S))
             return Named->getNameInfo().getAsString() == "warpSize";
           if (const auto *Call = dyn_cast<CallExpr>(S)) {
             Callee = Call->getDirectCallee();
             if (!Callee)
               return true;
             const StringRef Name =
                 Callee->getIdentifier() ? Callee->getName() : StringRef();
             if (Name.starts_with("__builtin_inf") ||
                 Name.starts_with("__builtin_huge_val") ||
                 Name.starts_with("__builtin_nan"))
               return false;
           } else if (const auto *Construct = dyn_cast<CXXConstructExpr>(S)) {
             Callee = Construct->getConstructor();
             if (!Callee->isUserProvided())
               return false;
           } else {
             return false;
           }
           return !Callee->isConstexpr() || Depth > 8 || !Callee->hasBody() ||
                  !callsOnlyWhatNvccFolds(Callee->getBody(), Context,
                                          Callee->getDefinition(), Depth + 1);
         });
}

// All-zero bits are not asked for, only values that value-initialisation of
// the element would give too.
static bool isZero(const Expr *Init, ASTContext &Context) {
  if (isa<ImplicitValueInitExpr>(Init))
    return true;
  if (const auto *String = dyn_cast<StringLiteral>(Init))
    return String->getBytes().find_first_not_of('\0') == StringRef::npos;
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

// Not all compilers take `"abc"` in a list, or for a longer array, where a
// function's parameter is one.
static bool holdsString(const Expr *Init, uint64_t Extent) {
  if (const auto *List = dyn_cast<InitListExpr>(Init->IgnoreParens()))
    return llvm::any_of(List->inits(),
                        [](const Expr *Each) { return holdsString(Each, 0); });
  // One that has decayed is a pointer's value.
  const auto *String = dyn_cast<StringLiteral>(Init->IgnoreParens());
  return String && String->getLength() + 1 != Extent;
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

// `Class a[4];`, where a constructor without arguments runs, or none.
static const CXXConstructExpr *defaultConstruction(const VarDecl *Variable) {
  const auto *Construct =
      dyn_cast<CXXConstructExpr>(Variable->getInit()->IgnoreImplicit());
  return Construct && Construct->getConstructor()->isDefaultConstructor() &&
                 Variable->getInitStyle() == VarDecl::CallInit &&
                 Construct->getParenOrBraceRange().isInvalid()
             ? Construct
             : nullptr;
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

// An explicit constructor is none for `Class c = value;`, but may be the better
// one for `Class(value)`.
static bool hasExplicitCopy(const CXXRecordDecl *Record) {
  return llvm::any_of(Record->decls(), [&](const Decl *D) {
    const auto *Constructor =
        dyn_cast_or_null<CXXConstructorDecl>(D->getAsFunction());
    return Constructor && Constructor->getExplicitSpecifier().isSpecified() &&
           Constructor->getNumParams() > 0 &&
           (isa<FunctionTemplateDecl>(D) ||
            Constructor->getParamDecl(0)
                    ->getType()
                    .getNonReferenceType()
                    ->getAsCXXRecordDecl() == Record);
  });
}

bool bankstripe::needsBracesToCopy(const CXXRecordDecl *Record,
                                   const ASTContext &Context) {
  return Context.getLangOpts().CPlusPlus20 && Record->isAggregate();
}

// Whether an object of Record is initialised with another one.
static bool isCopied(const VarDecl *Variable) {
  const Expr *Written = Variable->getInit()->IgnoreUnlessSpelledInSource();
  const auto *Construct = dyn_cast<CXXConstructExpr>(Written);
  return Variable->getInitStyle() != VarDecl::ListInit &&
         !isa<InitListExpr, CXXParenListInitExpr>(Written) &&
         (!Construct || Construct->getNumArgs() == 1);
}

bool bankstripe::readInitializer(Finding &F, const VarDecl *Variable,
                                 ASTContext &Context) {
  const CXXConstructExpr *Default =
      Variable->getInit() ? defaultConstruction(Variable) : nullptr;
  // Nothing is written and nothing runs: `int a[4];`, `Point p[4];`.
  if (!Variable->getInit() ||
      (Default && Default->getConstructor()->isTrivial() &&
       !Default->requiresZeroInitialization()))
    return false;
  bool IsConstant = false;
  auto Fail = [&](Reason Why, const std::string &Detail = "") {
    F.Obstacles.push_back({Why, F.Where, Detail});
    return IsConstant;
  };
  const bool NamesItself = anyPart(Variable->getInit(), [&](const Stmt *S) {
    const auto *Reference = dyn_cast<DeclRefExpr>(S);
    return Reference && Reference->getDecl() == Variable;
  });
  const std::string Itself = "it names " + F.Name + " itself";
  if (F.IsObject || Default) {
    F.Init = InitializerKind::Construct;
    if (!F.IsObject)
      return Fail(Reason::ElementType); // They need a place of their class.
    if (NamesItself)
      return Fail(Reason::Initializer, Itself);
    if (convertsOnCopy(Variable, Context))
      return Fail(Reason::Initializer, "it converts");
    const auto *Record = Variable->getType()->getAsCXXRecordDecl();
    if (Variable->getInitStyle() == VarDecl::CInit && isCopied(Variable) &&
        hasExplicitCopy(Record))
      return Fail(Reason::Initializer,
                  "an explicit constructor might take its value");
    F.BracesCopy = isCopied(Variable) && needsBracesToCopy(Record, Context);
    return false;
  }
  const Expr *Init = Variable->getInit()->IgnoreImplicit();
  const auto *List = dyn_cast<InitListExpr>(Init);
  F.Init = InitializerKind::List;
  QualType Element = Context.getBaseElementType(Variable->getType());
  const auto *Record = Element->getAsCXXRecordDecl();
  const std::string Class =
      Element.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
  const bool KeepsPlace = Record && mayKeepItsPlace(Init, Record);
  IsConstant =
      !Init->isValueDependent() && !NamesItself && !KeepsPlace &&
      Init->isConstantInitializer(Context, /*ForRef=*/false) &&
      (Variable->isConstexpr() || callsOnlyWhatNvccFolds(Init, Context));
  const bool IsZero = startsAsZero(Element) && isZero(Init, Context);
  if (!IsZero && holdsString(Init, F.Shape.Extents.front()))
    return Fail(Reason::Initializer,
                "it is a string in a list, or shorter than the array");
  if (!List && !isa<StringLiteral>(Init))
    return Fail(Reason::Initializer, "it is no list of values");
  if (NamesItself)
    return Fail(Reason::Initializer, Itself);
  if (!Element.isTriviallyCopyableType(Context) ||
      (Record && !canBeAssigned(Record)))
    return Fail(Reason::Initializer,
                Class + " cannot be assigned by its bytes");
  if (KeepsPlace)
    return Fail(Reason::Initializer, Class + " may hold its own address");
  if (IsZero)
    F.Init = InitializerKind::Zero;
  else if (List && leavesOutBraces(List, Variable->getType(), Context))
    return Fail(Reason::Initializer, "it leaves out braces");
  return IsConstant;
}
