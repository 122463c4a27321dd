//===-- Versions.cpp - functions that have a version already --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Versions.h"
#include "model/UnitFacts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"

using namespace bankstripe;
using namespace clang;

bool bankstripe::isShared(const VarDecl &Variable) {
  if (Variable.hasAttr<CUDASharedAttr>())
    return true;
  // A bridge to what nvcc takes makes `T &x` of `__shared__ T x`.
  const Expr *Init = Variable.getInit();
  const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(
      Init ? Init->IgnoreImplicit() : nullptr);
  return Call && Variable.getType()->isReferenceType() &&
         Call->getRecordDecl()->getName() == "bankstripe_shared";
}

bool bankstripe::isChangedByAllCalls(const VarDecl &Variable) {
  return Variable.isStaticLocal() && !isShared(Variable) &&
         !Variable.isConstexpr() && !Variable.getType().isConstQualified();
}

// Whether Found, which has the name of a version of Function, is one.
static bool isVersionOf(const FunctionDecl *Function, const FunctionDecl *Found,
                        const SourceText &Text) {
  const bool IsKernel = Function->hasAttr<CUDAGlobalAttr>();
  if (Found->hasAttr<CUDAGlobalAttr>() != IsKernel ||
      Found->getNumParams() != Function->getNumParams() ||
      (IsKernel && Found->getStorageClass() != SC_Static &&
       !Found->isExternC()))
    return false;
  // Another overload may have no version. Types of templates are not compared.
  if (!Found->isDependentContext() &&
      !Function->getASTContext().hasSameType(Found->getType(),
                                             Function->getType()))
    return false;
  const auto Written = Text.written({Found->getBeginLoc(), Found->getEndLoc()});
  return Written && StringRef(*Written).contains("bankstripe::");
}

const FunctionDecl *bankstripe::versionOf(const FunctionDecl *Function,
                                          const SourceText &Text) {
  if (!Function->getIdentifier())
    return nullptr;
  const IdentifierTable &Names = Function->getASTContext().Idents;
  auto Name = Names.find(versionName(Function->getName()));
  if (Name == Names.end())
    return nullptr;
  const DeclContext *Scope = Function->getDeclContext()->getRedeclContext();
  for (const NamedDecl *Found : Scope->lookup(Name->second)) {
    const FunctionDecl *Beside = Found->getAsFunction();
    if (Beside && isVersionOf(Function, Beside, Text))
      return Beside;
  }
  return nullptr;
}

// The text that was copied: without the line that makes a version for each
// instance of a template.
static std::string copiedText(StringRef Code) {
  const size_t End = Code.find(ForEachInstance),
               Begin = Code.take_front(End).rfind("(void)");
  if (End == StringRef::npos || Begin == StringRef::npos)
    return Code.str();
  return (Code.take_front(Begin) +
          Code.drop_front(End + ForEachInstance.size()))
      .str();
}

bool bankstripe::isOutdated(const FunctionDecl *Version,
                            const FunctionDecl *Function,
                            const SourceText &Text) {
  const FunctionDecl *Copy = Version->getDefinition();
  const FunctionDecl *Original = Function->getDefinition();
  if (!Copy || !Original)
    return false;
  const SourceManager &SM = Text.sources();
  const SourceLocation At = SM.getFileLoc(Copy->getLocation());
  const StringRef Before = Text.buffer(At).take_front(SM.getFileOffset(At));
  const auto [Earlier, Comment] = Before.rsplit(SameAsText);
  const auto Now =
      Text.written({Original->getLocation(), Original->getEndLoc()});
  // One behind which another function ends is about that.
  return Now && !Comment.empty() && !Comment.contains('}') &&
         !Comment.starts_with(textDigest(copiedText(*Now)));
}

// Nothing where the linker does not see it.
static std::optional<GVALinkage> deviceLinkageOf(const FunctionDecl *Function) {
  const ASTContext &Context = Function->getASTContext();
  // A static kernel is seen from outside because the host must find it.
  if (!Context.getLangOpts().GPURelocatableDeviceCode ||
      !Function->isExternallyVisible())
    return std::nullopt;
  return Context.GetGVALinkageForFunction(Function);
}

bool bankstripe::isWeak(const FunctionDecl *Function) {
  const auto Linkage = deviceLinkageOf(Function);
  return Linkage == GVA_DiscardableODR || Linkage == GVA_StrongODR;
}

bool bankstripe::isStrong(const FunctionDecl *Function) {
  return deviceLinkageOf(Function) == GVA_StrongExternal;
}
