//===-- Operators.cpp - the user's operators ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Operators.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"

using namespace bankstripe;
using namespace clang;

// Whether a parameter of a type that depends on a template's may become one of
// the helper's classes: all but those that say of what else they are.
static bool deducesClass(const Type *Param) {
  if (isa<PointerType, MemberPointerType, clang::ArrayType, FunctionType,
          clang::VectorType, DependentVectorType, DependentSizedExtVectorType,
          ComplexType, InjectedClassNameType>(Param))
    return false;
  if (const auto *Special = dyn_cast<TemplateSpecializationType>(Param))
    return isa_and_nonnull<TemplateTemplateParmDecl>(
        Special->getTemplateName().getAsTemplateDecl());
  return true;
}

// Whether an object of the class can be made of such an argument, without being
// asked for.
static bool isMadeFrom(const CXXRecordDecl *Record, Operand Argument) {
  // An instance that nobody has needed yet would be made.
  if (const auto *Instance =
          dyn_cast_or_null<ClassTemplateSpecializationDecl>(Record);
      Instance && !Instance->hasDefinition())
    Record = Instance->getSpecializedTemplate()->getTemplatedDecl();
  if (!Record || !Record->hasDefinition())
    return false;
  auto Converts = [&](const Decl *Member) {
    const auto *Constructor =
        dyn_cast_or_null<CXXConstructorDecl>(Member->getAsFunction());
    if (!Constructor || Constructor->isExplicit() ||
        Constructor->isCopyOrMoveConstructor() ||
        Constructor->getMinRequiredArguments() > 1)
      return false;
    if (Constructor->getNumParams() == 0)
      return Constructor->isVariadic();
    QualType First = Constructor->getParamDecl(0)->getType().getCanonicalType();
    First = First.getNonReferenceType();
    // A class would be a second conversion, and so is the bool of a bit.
    if (isa<FunctionTemplateDecl>(Member) && First->isDependentType())
      return UserOperators::mayTake(Constructor, 0, Operand::Pointer);
    return Argument == Operand::Number &&
           (First->isScalarType() || First->isDependentType());
  };
  return llvm::any_of(Record->getDefinition()->decls(), Converts) ||
         llvm::any_of(Record->bases(), [&](const CXXBaseSpecifier &Base) {
           return isMadeFrom(Base.getType()->getAsCXXRecordDecl(), Argument);
         });
}

static bool takes(QualType Param, Operand Argument) {
  if (Argument == Operand::Any)
    return true;
  Param = Param.getCanonicalType().getNonReferenceType();
  if (const auto *Pack = dyn_cast<PackExpansionType>(Param))
    return takes(Pack->getPattern(), Argument);
  if (Param->isDependentType())
    return deducesClass(Param.getTypePtr());
  if (const auto *Record = Param->getAsCXXRecordDecl())
    return isMadeFrom(Record, Argument);
  return Argument != Operand::Pointer && Param->isArithmeticType();
}

bool UserOperators::mayTake(const FunctionDecl *Function, unsigned Index,
                            Operand Argument) {
  const unsigned Params = Function->getNumParams();
  // A pack stands for what is behind it, too.
  if (Index >= Params)
    return Function->isVariadic() ||
           (Params &&
            isa<PackExpansionType>(
                Function->getParamDecl(Params - 1)->getType()) &&
            takes(Function->getParamDecl(Params - 1)->getType(), Argument));
  return takes(Function->getParamDecl(Index)->getType(), Argument);
}

void UserOperators::note(const NamedDecl *Declared) {
  if (const auto *Directive = dyn_cast<UsingDirectiveDecl>(Declared))
    noteAll(Directive->getNominatedNamespace());
  if (const auto *Using = dyn_cast<UsingDecl>(Declared))
    for (const UsingShadowDecl *Shadow : Using->shadows())
      note(Shadow->getTargetDecl());
  const FunctionDecl *Function = Declared->getAsFunction();
  // Those of classes that are templates themselves are not there before these
  // are instantiated.
  if (Function && Function->isOverloadedOperator() &&
      !isa<CXXMethodDecl>(Function) &&
      !Function->getLexicalDeclContext()->isDependentContext())
    ByKind[Function->getOverloadedOperator()].insert(
        Function->getCanonicalDecl());
}

void UserOperators::noteAll(const DeclContext *Space) {
  if (!Spaces.insert(Space->getPrimaryContext()).second)
    return;
  for (const UsingDirectiveDecl *Directive : Space->using_directives())
    note(Directive);
  DeclarationNameTable &Names = Space->getParentASTContext().DeclarationNames;
  for (unsigned Kind = OO_None + 1; Kind < NUM_OVERLOADED_OPERATORS; ++Kind)
    for (const NamedDecl *D : Space->getRedeclContext()->lookup(
             Names.getCXXOperatorName(OverloadedOperatorKind(Kind))))
      note(D->getUnderlyingDecl());
}

bool UserOperators::mayTake(OverloadedOperatorKind Kind,
                            llvm::ArrayRef<Operand> Operands) const {
  auto Found = ByKind.find(Kind);
  return Found != ByKind.end() &&
         llvm::any_of(Found->second, [&](const FunctionDecl *Function) {
           bool All = Function->getNumParams() <= Operands.size();
           for (unsigned I = 0; I < Operands.size(); ++I)
             All = All && mayTake(Function, I, Operands[I]);
           return All;
         });
}

bool UserOperators::mayTake(const UnaryOperator *E, Operand Only) const {
  const OverloadedOperatorKind Kind =
      UnaryOperator::getOverloadedOperator(E->getOpcode());
  return E->isPostfix() ? mayTake(Kind, {Only, Operand::Number})
                        : mayTake(Kind, {Only});
}

bool UserOperators::mayTake(const BinaryOperator *E, Operand Left,
                            Operand Right) const {
  if (mayTake(BinaryOperator::getOverloadedOperator(E->getOpcode()),
              {Left, Right}))
    return true;
  // Since C++20 a comparison may be written as another one, the other way
  // round.
  if (!E->isComparisonOp())
    return false;
  const OverloadedOperatorKind Other =
      E->isEqualityOp() ? OO_EqualEqual : OO_Spaceship;
  return mayTake(Other, {Left, Right}) || mayTake(Other, {Right, Left});
}
