//===-- HostCalls.cpp - what callers give host functions ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/HostCalls.h"
#include "find/BlockSize.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/CharInfo.h"

using namespace bankstripe;
using namespace clang;

namespace {

/// Collects what names functions. A template does nothing but by its instances.
class NameReader : public RecursiveASTVisitor<NameReader> {
public:
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *D) {
    const bool IsPattern =
        isa_and_nonnull<FunctionDecl, CXXRecordDecl, VarDecl>(D) &&
        D->isTemplated();
    return IsPattern || RecursiveASTVisitor::TraverseDecl(D);
  }

  bool VisitDeclRefExpr(DeclRefExpr *Name) {
    return note(Name->getDecl(), Name);
  }
  bool VisitMemberExpr(MemberExpr *Name) {
    return note(Name->getMemberDecl(), Name);
  }
  bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr *Argument) {
    return TraverseStmt(Argument->getExpr());
  }

  bool VisitDecl(Decl *D) {
    for (const Attr *A : D->attrs())
      if (const auto *Alias = dyn_cast<AliasAttr>(A))
        Symbols.push_back(Alias->getAliasee().str());
      else if (const auto *Indirect = dyn_cast<IFuncAttr>(A))
        Symbols.push_back(Indirect->getResolver().str());
      else if (const auto *Weak = dyn_cast<WeakRefAttr>(A))
        Symbols.push_back(Weak->getAliasee().str());
      else if (const auto *Label = dyn_cast<AsmLabelAttr>(A))
        Symbols.push_back(Label->getLabel().str());
    return true;
  }
  bool VisitFileScopeAsmDecl(FileScopeAsmDecl *Assembly) {
    Symbols.push_back(Assembly->getAsmString());
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *Assembly) {
    Symbols.push_back(Assembly->getAsmString());
    return true;
  }

  std::vector<std::pair<const FunctionDecl *, const Expr *>> Names;
  std::vector<std::string> Symbols;

private:
  bool note(const ValueDecl *Declared, const Expr *Name) {
    if (const auto *Function = dyn_cast<FunctionDecl>(Declared);
        Function && !Function->getBuiltinID() && !isOfSystem(Function))
      Names.emplace_back(Function, Name);
    return true;
  }
};

} // namespace

void FunctionNames::read(Decl *D) {
  NameReader Reader;
  Reader.TraverseDecl(D);
  llvm::append_range(Names, Reader.Names);
  llvm::append_range(Symbols, Reader.Symbols);
}

llvm::MapVector<const FunctionDecl *, const Expr *>
FunctionNames::uncounted() const {
  llvm::MapVector<const FunctionDecl *, const Expr *> Result;
  for (auto [Function, Name] : Names)
    if (!Counted.contains(Name))
      Result.insert({Function, Name});
  return Result;
}

// Whether the text holds what looks like a call of Name, a method or function.
static bool looksCalled(StringRef Name, bool IsMethod, StringRef Code) {
  for (size_t At = Code.find(Name); At != StringRef::npos;
       At = Code.find(Name, At + 1)) {
    const StringRef Before = Code.take_front(At);
    if (Before.empty() || isAsciiIdentifierContinue(Before.back()))
      continue;
    const StringRef Behind = Code.drop_front(At + Name.size()).ltrim();
    if ((Behind.starts_with("(") || Behind.starts_with("<")) &&
        (!IsMethod || StringRef(".>:").contains(Before.rtrim().back())))
      return true;
  }
  return false;
}

static bool isCalledInSystemHeaders(StringRef Name, bool IsMethod,
                                    const SourceManager &SM) {
  for (unsigned I = 0; I < SM.local_sloc_entry_size(); ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (!Entry.isFile() || !Entry.getFile().getContentCache().OrigEntry ||
        !SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()))
      continue;
    const auto Start = SourceLocation::getFromRawEncoding(Entry.getOffset());
    if (looksCalled(Name, IsMethod, SM.getBufferData(SM.getFileID(Start))))
      return true;
  }
  return false;
}

// Whether a template that gets one of the function's arguments can find it by
// that.
static bool isFoundByArguments(const FunctionDecl *Function) {
  return llvm::any_of(Function->parameters(), [](const ParmVarDecl *P) {
    QualType Type = P->getType().getNonReferenceType();
    while (!Type->getPointeeType().isNull())
      Type = Type->getPointeeType();
    const TagDecl *Tag = Type->getAsTagDecl();
    return Tag &&
           (!isOfSystem(Tag) || isa<ClassTemplateSpecializationDecl>(Tag));
  });
}

bool FunctionNames::hasOtherNames(const FunctionDecl *Function) const {
  if (llvm::any_of(Function->redecls(), [](const FunctionDecl *D) {
        return isOfSystem(D) || D->hasAttr<AsmLabelAttr>() ||
               D->hasAttr<AliasAttr>() || D->hasAttr<IFuncAttr>() ||
               D->hasAttr<WeakRefAttr>() || D->hasAttr<UsedAttr>() ||
               D->hasAttr<ConstructorAttr>() || D->hasAttr<DestructorAttr>();
      }))
    return true;
  const std::string Symbol = ASTNameGenerator(Text.context()).getName(Function);
  if (llvm::any_of(Symbols,
                   [&](StringRef Said) { return Said.contains(Symbol); }))
    return true;
  const bool IsMethod = isa<CXXMethodDecl>(Function);
  return Function->getIdentifier() && !Function->hasAttr<CUDAGlobalAttr>() &&
         (IsMethod || isFoundByArguments(Function)) &&
         isCalledInSystemHeaders(Function->getName(), IsMethod, Text.sources());
}

// Others than units of CUDA, which are not read, may call whatever they can
// name, so only functions of internal linkage count, and of those none that may
// be called without being named.
std::optional<HostParameter>
bankstripe::parameterOf(const ParmVarDecl *Parameter,
                        const FunctionNames &Names) {
  const auto *Function =
      Parameter ? dyn_cast<FunctionDecl>(Parameter->getDeclContext()) : nullptr;
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Function);
  if (!Function || Function->isExternallyVisible() ||
      Function->isOverloadedOperator() || isa<CXXConstructorDecl>(Function) ||
      (Method && Method->isVirtual()) || Names.hasOtherNames(Function))
    return std::nullopt;
  return HostParameter{
      ASTNameGenerator(Function->getASTContext()).getName(Function),
      Parameter->getFunctionScopeIndex()};
}

static bool isAskedAbout(const FunctionDecl *Function) {
  return !Function->hasAttr<CUDAGlobalAttr>() && !Function->getBuiltinID() &&
         !Function->isDependentContext() && !isOfSystem(Function);
}

// What a call that is not seen gives each integer that Callee takes: nothing
// that is known.
static std::vector<HostArgument> argumentsOf(const FunctionDecl *Callee) {
  std::vector<HostArgument> Result;
  for (const ParmVarDecl *P : Callee->parameters())
    if (P->getType()->isIntegerType())
      Result.emplace_back().For = {
          ASTNameGenerator(Callee->getASTContext()).getName(Callee),
          P->getFunctionScopeIndex()};
  return Result;
}

std::vector<HostArgument> bankstripe::findHostArguments(const BodyIndex &Body,
                                                        FunctionNames &Names) {
  std::vector<HostArgument> Result;
  HostEvaluator Evaluator(Body);
  for (const CallExpr *Call : Body.Calls) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || !isAskedAbout(Callee))
      continue;
    Names.count(Call->getCallee()->IgnoreParenImpCasts());
    for (HostArgument &A : argumentsOf(Callee)) {
      if (A.For.Index >= Call->getNumArgs())
        continue;
      if (const Expr *Value = Call->getArg(A.For.Index);
          !Value->isInstantiationDependent()) {
        HostValue Known = Evaluator.integer(Value);
        A.Values = std::move(Known.Values);
        A.Same = parameterOf(Known.Parameter, Names);
      }
      Result.push_back(std::move(A));
    }
  }
  return Result;
}

std::vector<HostArgument>
bankstripe::findUnseenArguments(const FunctionNames &Names) {
  std::vector<HostArgument> Result;
  for (auto [Function, Name] : Names.uncounted())
    if (isAskedAbout(Function))
      llvm::append_range(Result, argumentsOf(Function));
  return Result;
}
