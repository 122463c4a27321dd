//===-- Parameters.cpp - objects that are passed by value -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's parameters lie in constant memory, and those of other functions in
// registers or in the frame of the caller. Where one is changed, or indexed
// while the program runs, nvcc copies it to local memory. The copy can be in a
// slot instead, under the name of the parameter, which gets another one:
//
//     __global__ void kernel(Setup s_value, ...) {
//       __shared__ ::bankstripe::slots<Setup, 64> s_slots;
//       Setup &s = *::new (::bankstripe::place(s_slots)) Setup(s_value);
//
// A parameter of a kernel that is only read needs no copy: as
// `const __grid_constant__` it is indexed where it lies.
//
// The array of a closure moves with the closure, where that is a parameter.
// What cannot be copied so is no finding.
//
//===----------------------------------------------------------------------===//

#include "find/Parameters.h"
#include "find/ArrayType.h"
#include "find/Constants.h"
#include "find/Declaration.h"
#include "find/Initializer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace bankstripe;
using namespace clang;

// --- Uses --------------------------------------------------------------------

namespace {

/// What is done with an object.
struct ObjectUse {
  bool Indexed = false; ///< At an index that the run decides, or unseen.
  bool Changed = false;
  bool HandedOn = false; ///< To what may look at it as it likes.

  ObjectUse &operator|=(const ObjectUse &Other) {
    Indexed |= Other.Indexed;
    Changed |= Other.Changed;
    HandedOn |= Other.HandedOn;
    return *this;
  }
};

} // namespace

static bool isCopy(const Stmt *S) {
  const auto *Construct = dyn_cast_or_null<CXXConstructExpr>(S);
  return Construct && Construct->getConstructor()->isCopyOrMoveConstructor();
}

// What is done where the object is named.
static ObjectUse useAt(const DeclRefExpr *Reference, const BodyIndex &Body) {
  ObjectUse Result;
  const Expr *Part = Reference;
  const Stmt *Parent = Body.parentOf(Part);
  for (;; Parent = Body.parentOf(Part)) {
    const auto *Member = dyn_cast_or_null<MemberExpr>(Parent);
    const ArraySubscriptExpr *Subscript =
        Part->getType()->isArrayType() ? Body.subscriptOf(Part) : nullptr;
    if (isa_and_nonnull<ParenExpr>(Parent) ||
        (Member && isa<FieldDecl>(Member->getMemberDecl()))) {
      Part = cast<Expr>(Parent);
    } else if (Subscript) {
      Result.Indexed |= !constantOf(Subscript->getIdx(), Body.Context);
      Part = Subscript;
    } else {
      break;
    }
  }
  const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Parent);
  if (Cast && Cast->getCastKind() == CK_LValueToRValue)
    return Result;
  const bool IsConst = Cast && Cast->getType().isConstQualified();
  if (isCopy(IsConst ? Body.parentOf(Cast) : Parent))
    return Result;
  // Assigned at a place that the text gives, or handed on.
  const bool IsAssigned =
      isa_and_nonnull<BinaryOperator>(Parent) ||
      (isa_and_nonnull<UnaryOperator>(Parent) &&
       cast<UnaryOperator>(Parent)->isIncrementDecrementOp());
  Result.Indexed |= !IsAssigned;
  Result.HandedOn = !IsAssigned;
  Result.Changed = !IsConst;
  return Result;
}

static ObjectUse useOf(const ParmVarDecl *Parameter, const BodyIndex &Body) {
  ObjectUse All;
  for (const DeclRefExpr *Reference : Body.references(Parameter))
    All |= useAt(Reference, Body);
  return All;
}

// Whether a kernel, or another function, may need it in memory. What is needed
// in the end, the optimiser or ptxas says.
static bool mayNeedMemory(const ParmVarDecl *Parameter, bool InKernel,
                          const BodyIndex &Body) {
  const ObjectUse All = useOf(Parameter, Body);
  return All.Indexed && (All.Changed || !All.HandedOn || !InKernel);
}

// Whether `__grid_constant__` may stand in the one declaration of the kernel.
// All of them, explicit instances as well, would have to have it.
static bool isDeclaredOnce(const FunctionDecl *Kernel) {
  const TemplateSpecializationKind Kind =
      Kernel->getTemplateSpecializationKind();
  const FunctionDecl *Pattern = patternOf(Kernel);
  return (Kind == TSK_Undeclared || Kind == TSK_ImplicitInstantiation) &&
         Pattern->isFirstDecl() && Pattern == Pattern->getMostRecentDecl();
}

bool bankstripe::isOnlyRead(const ParmVarDecl *Parameter,
                            const FunctionDecl *Function,
                            const BodyIndex &Body) {
  const ObjectUse All = useOf(Parameter, Body);
  return Function->hasAttr<CUDAGlobalAttr>() && !All.Changed && !All.HandedOn &&
         isDeclaredOnce(Function);
}

// --- Text --------------------------------------------------------------------

// The parameter in the definition that is written, of which Function may be an
// instance; null where that is another number of parameters.
static const ParmVarDecl *writtenParameter(const ParmVarDecl *Parameter,
                                           const FunctionDecl *Function) {
  const FunctionDecl *Pattern = patternOf(Function), *Definition = nullptr;
  if (!Pattern->hasBody(Definition) ||
      Definition->getNumParams() != Function->getNumParams() ||
      llvm::any_of(Definition->parameters(), [](const ParmVarDecl *Each) {
        return Each->isParameterPack();
      }))
    return nullptr;
  const ParmVarDecl *Written =
      Definition->getParamDecl(Parameter->getFunctionScopeIndex());
  return Written->getLocation() == Parameter->getLocation() ? Written : nullptr;
}

// The specifiers of the parameter; nothing where a copy by text is not sure to
// mean the same.
static std::optional<TextRange> specifiersOf(const ParmVarDecl *Written,
                                             const SourceText &Text) {
  const auto *Function = cast<FunctionDecl>(Written->getDeclContext());
  const auto *Block = dyn_cast_or_null<CompoundStmt>(Function->getBody());
  const SourceManager &SM = Text.sources();
  const SourceLocation Begin = SM.getExpansionLoc(Function->getBeginLoc());
  const SourceLocation Type = Written->getBeginLoc();
  const SourceLocation Name = Written->getLocation();
  if (!Block || Block->body_empty() || Type.isMacroID() || Name.isMacroID() ||
      Block->getLBracLoc().isMacroID() || Block->getRBracLoc().isMacroID() ||
      Text.isIncludedInside(Name))
    return std::nullopt;
  for (SourceLocation Loc : {Begin, Type, Block->getLBracLoc()})
    if (SM.getFileID(Loc) != SM.getFileID(Name))
      return std::nullopt;
  const StringRef Buffer = Text.buffer(Name);
  auto Offset = [&](SourceLocation Loc) { return SM.getFileOffset(Loc); };
  const size_t Length = Written->getName().size();
  const unsigned Open = Offset(Block->getLBracLoc());
  const StringRef Before = Buffer.slice(Offset(Begin), Offset(Name)),
                  Behind = Buffer.slice(Offset(Name) + Length, Open);
  const StringRef Specifiers = Buffer.slice(Offset(Type), Offset(Name)).rtrim();
  TextRange Result{Text.file(Name), Offset(Type), unsigned(Specifiers.size())};
  // A declarator of its own, comments, `auto`.
  if (Specifiers.find_first_of("()[]/#&*") != StringRef::npos ||
      Text.mentions(Specifiers, "auto") || Text.counts(Specifiers, Result) ||
      SourceText::holdsDirective(Buffer.slice(Offset(Begin), Open)))
    return std::nullopt;
  // Its other name is not known to `noexcept(...)` or other types.
  for (StringRef Code : {Before, Behind})
    if (Text.mentions(Code, Written->getName()))
      return std::nullopt;
  for (const ParmVarDecl *Other : Function->parameters())
    if (Other->getIdentifier() && Text.mentions(Specifiers, Other->getName()))
      return std::nullopt;
  // What stands in the lines of the declarations may come to stand in others.
  const unsigned First =
      Offset(SM.getExpansionLoc(Block->body_front()->getBeginLoc()));
  const size_t LineEnd = std::min(Buffer.find('\n', First), Buffer.size());
  const StringRef Lines = Buffer.slice(Open, LineEnd);
  if (Text.mentions(Lines, "__LINE__"))
    return std::nullopt;
  return Result;
}

bool bankstripe::isPrivateParameter(const ParmVarDecl *Parameter,
                                    const FunctionDecl *Function,
                                    BodyIndexCache &Bodies,
                                    const SourceText &Text) {
  const QualType Type = Parameter->getType();
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  const BodyIndex *Body = Record ? Bodies.get(Function) : nullptr;
  if (!Body || !Parameter->getIdentifier() || Parameter->hasAttrs() ||
      Parameter->getStorageClass() != SC_None ||
      Type.getCanonicalType().hasQualifiers() || Function->isConstexpr() ||
      Function->isVariadic() || // `va_start` names the parameter.
      Function->isDependentContext() || isa<CXXConstructorDecl>(Function) ||
      !Type.isTriviallyCopyableType(Text.context()) || !canBeCopied(Record) ||
      !(isOrHoldsArray(Type) || isIndexedObject(Parameter, *Body, Bodies)) ||
      !mayNeedMemory(Parameter, Function->hasAttr<CUDAGlobalAttr>(), *Body))
    return false;
  const ParmVarDecl *Written = writtenParameter(Parameter, Function);
  return Written && specifiersOf(Written, Text);
}

void bankstripe::readParameter(Finding &F, const ParmVarDecl *Parameter,
                               const SourceText &Text) {
  const auto *Function = cast<FunctionDecl>(Parameter->getDeclContext());
  const ParmVarDecl *Written = writtenParameter(Parameter, Function);
  const auto *Block = cast<CompoundStmt>(Function->getBody());
  F.Init = InitializerKind::Construct;
  F.BracesCopy = needsBracesToCopy(Parameter->getType()->getAsCXXRecordDecl(),
                                   Text.context());
  F.Text.Specifiers = *specifiersOf(Written, Text);
  F.Text.Name = Text.point(Written->getLocation());
  F.Text.Name.Length = Written->getName().size();
  F.Text.Declarator = F.Text.Name;
  F.Text.Extents =
      F.Text.Initializer = {F.Text.Name.File, F.Text.Name.end(), 0};
  F.Text.AllDeclarators = {F.Text.Name};
  F.Text.Statement = F.Text.Specifiers;
  F.Text.Statement.Length = F.Text.Name.end() - F.Text.Specifiers.Offset;
  F.Text.BodyBegin = Text.point(Block->getLBracLoc().getLocWithOffset(1));
  F.Scope = Text.tokens(Block->getLBracLoc(), Block->getRBracLoc())
                .value_or(TextRange());
}
