//===-- Callees.cpp - functions that a pointer can walk into --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function gets an overload for striped pointers by a copy of its text with
// another parameter type. That copy must mean the same as the original: so no
// variables that exist once per function, no arrays of its own, no text that
// the preprocessor looks into, and a place from which every call that wants the
// copy can see it.
//
//===----------------------------------------------------------------------===//

#include "find/Arrays.h"
#include "find/LaunchSites.h"
#include "find/PointerWalker.h"
#include "clang/AST/Attr.h"

using namespace bankstripe;
using namespace clang;

// The definition whose text can be copied; null when there is none.
static const FunctionDecl *copiedDefinition(const FunctionDecl *Function) {
  const FunctionDecl *Definition = Function;
  if (Function->isTemplateInstantiation()) {
    if (Function->getTemplateSpecializationKind() != TSK_ImplicitInstantiation)
      return nullptr;
    Definition = Function->getTemplateInstantiationPattern();
  }
  if (!Definition || !Definition->hasBody(Definition))
    return nullptr;
  if (isa<CXXMethodDecl>(Definition) || Definition->isConstexpr() ||
      Definition->isVariadic() || Definition->isExternC() ||
      Definition->isOverloadedOperator() || Definition->getQualifierLoc() ||
      !Definition->hasAttr<CUDADeviceAttr>() ||
      Definition->isFunctionTemplateSpecialization() ||
      !Definition->getLexicalDeclContext()->isFileContext())
    return nullptr;
  return Definition;
}

static bool holdsOwnStorage(const BodyIndex &Body) {
  return llvm::any_of(Body.Variables, [](const auto &Declared) {
    const VarDecl *Variable = Declared.first;
    return Variable->hasGlobalStorage() ||
           Variable->hasAttr<CUDASharedAttr>() || isPrivateArray(Variable);
  });
}

static std::vector<TextRange> hostSpecifiers(const TextRange &Definition,
                                             StringRef Buffer) {
  std::vector<TextRange> Result;
  StringRef Header = Buffer.substr(Definition.Offset, Definition.Length);
  Header = Header.take_until([](char C) { return C == '{'; });
  constexpr StringRef Word = "__host__";
  for (size_t At = Header.find(Word); At != StringRef::npos;
       At = Header.find(Word, At + 1)) {
    size_t End = At + Word.size();
    while (End < Header.size() && Header[End] == ' ')
      ++End;
    Result.push_back({Definition.File, unsigned(Definition.Offset + At),
                      unsigned(End - At)});
  }
  return Result;
}

static bool usesInheritedDefault(const CallExpr *Call,
                                 const FunctionDecl *Definition) {
  for (unsigned I = 0; I < Call->getNumArgs(); ++I)
    if (isa<CXXDefaultArgExpr>(Call->getArg(I)) &&
        I < Definition->getNumParams() &&
        Definition->getParamDecl(I)->hasInheritedDefaultArg())
      return true;
  return false;
}

bool UseClassifier::staysWithElement(const Expr *Lvalue,
                                     const BodyIndex &Body) {
  Fate F = ofLvalue(Lvalue, {Body, 0});
  return F != Fate::Escapes && F != Fate::Returned;
}

// The pointer that the array's name decays to here; null when it is used in
// another way.
static const Expr *decayOf(const DeclRefExpr *Reference,
                           const BodyIndex &Body) {
  const Stmt *Parent = Body.parentOf(Reference);
  while (isa_and_nonnull<ParenExpr>(Parent))
    Parent = Body.parentOf(Parent);
  const auto *Decay = dyn_cast_or_null<ImplicitCastExpr>(Parent);
  return Decay && Decay->getCastKind() == CK_ArrayToPointerDecay ? Decay
                                                                 : nullptr;
}

// All pointers into an array are followed together: they may meet.
std::optional<PointerTrail> UseClassifier::trailOf(const VarDecl *Variable,
                                                   const BodyIndex &Body) {
  const auto *Array = Context.getAsConstantArrayType(Variable->getType());
  if (!Array || Array->getElementType()->isArrayType())
    return std::nullopt;
  auto [It, New] = Trails.try_emplace(Variable);
  if (!New)
    return It->second;
  PointerWalker Walker(*this, Body, Variable,
                       Array->getElementType().getUnqualifiedType());
  for (const DeclRefExpr *Reference : Body.References.lookup(Variable)) {
    const Expr *Decay = decayOf(Reference, Body);
    if (!Decay)
      return std::nullopt;
    const auto *Subscript =
        dyn_cast_or_null<ArraySubscriptExpr>(Body.parentOf(Decay));
    if (!(Subscript && Subscript->getLHS() == Decay) && !Walker.follow(Decay))
      return std::nullopt;
  }
  if (!Walker.staysAmongItself())
    return std::nullopt;
  return Trails[Variable] = Walker.take();
}

// Storage units are the elements themselves only for these.
static bool isItsOwnUnit(QualType Element, ASTContext &Context) {
  if (!Element->isScalarType() && !Element->isEnumeralType())
    return false;
  const uint64_t Bytes = Context.getTypeSizeInChars(Element).getQuantity();
  return Bytes == 4 || Bytes == 8;
}

std::optional<Place>
UseClassifier::walkingParameter(const FunctionDecl *Function, unsigned Index,
                                const CallExpr *Call) {
  const FunctionDecl *Definition = copiedDefinition(Function);
  const BodyIndex *Body = Bodies.get(Function);
  const FunctionDecl *Instance = nullptr;
  if (!Definition || !Body || !Function->hasBody(Instance) ||
      Index >= Instance->getNumParams())
    return std::nullopt;
  const Place Where = Text.place(Definition->getLocation());
  auto Whole = definitionText(Definition, Text);
  const SourceManager &SM = Text.sources();
  const SourceLocation End = Definition->getBody()->getEndLoc();
  if (!Whole || !MayEdit(Where.File) ||
      SM.isInSystemHeader(Definition->getLocation()))
    return std::nullopt;
  // A default that another declaration gives is no default of the copy.
  if (usesInheritedDefault(Call, Definition))
    return std::nullopt;
  // The copy stands behind the original.
  const SourceLocation CallLoc = SM.getExpansionLoc(Call->getBeginLoc());
  const bool Inside = SM.getFileID(CallLoc) == SM.getFileID(End) &&
                      SM.getFileOffset(CallLoc) > Whole->Offset &&
                      SM.getFileOffset(CallLoc) < Whole->end();
  if (!Inside && !SM.isBeforeInTranslationUnit(End, CallLoc))
    return std::nullopt;

  auto [It, New] = Parameters.try_emplace({Instance, Index});
  if (!New) {
    // A function that calls itself asks while it is looked at.
    if (It->second.InProgress)
      return Inside ? std::optional(Where) : std::nullopt;
    return It->second.Walks ? std::optional(Where) : std::nullopt;
  }
  const bool Walks =
      readWalkingParameter(Instance, Definition, Index, *Body, Where, *Whole);
  ParameterFact &Fact = Parameters[{Instance, Index}];
  Fact.InProgress = false;
  Fact.Walks = Walks;
  return Walks ? std::optional(Where) : std::nullopt;
}

bool UseClassifier::readWalkingParameter(const FunctionDecl *Instance,
                                         const FunctionDecl *Definition,
                                         unsigned Index, const BodyIndex &Body,
                                         const Place &Where,
                                         const TextRange &Whole) {
  const ParmVarDecl *Parameter = Instance->getParamDecl(Index);
  if (!Parameter->getType()->isPointerType() || holdsOwnStorage(Body))
    return false;
  auto Facts = readPointerParameter(Definition->getParamDecl(Index), Text);
  QualType Element =
      Parameter->getType()->getPointeeType().getUnqualifiedType();
  if (!Facts || (Facts->To.Dependent && !isItsOwnUnit(Element, Context)))
    return false;
  PointerWalker Walker(*this, Body, Parameter, Element);
  if (!Walker.followVariable(Parameter) || !Walker.staysAmongItself())
    return false;
  Facts->Trail = Walker.take();

  Callee &C = Callees[Where];
  if (C.Name.empty()) {
    C.Where = Where;
    C.Name = Definition->getQualifiedNameAsString();
    C.Definition = Whole;
    const FileID File = Text.sources().getFileID(Definition->getLocation());
    C.HostSpecifiers = hostSpecifiers(Whole, Text.buffer(File));
    CalleeFiles.insert(File);
  }
  C.Parameters.insert({Index, std::move(*Facts)});
  return true;
}

std::vector<Callee> UseClassifier::callees() const {
  std::vector<Callee> Result;
  for (const auto &[Where, C] : Callees)
    Result.push_back(C);
  return Result;
}
