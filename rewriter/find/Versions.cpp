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

bool bankstripe::hasVersion(const FunctionDecl *Function,
                            const SourceText &Text) {
  if (!Function->getIdentifier())
    return false;
  const IdentifierTable &Names = Function->getASTContext().Idents;
  auto Name = Names.find(versionName(Function->getName()));
  return Name != Names.end() &&
         llvm::any_of(Function->getDeclContext()->getRedeclContext()->lookup(
                          Name->second),
                      [&](NamedDecl *Found) {
                        const FunctionDecl *Beside = Found->getAsFunction();
                        return Beside && isVersionOf(Function, Beside, Text);
                      });
}

bool bankstripe::isWeak(const FunctionDecl *Function) {
  const ASTContext &Context = Function->getASTContext();
  // A static kernel is seen from outside because the host must find it.
  if (!Context.getLangOpts().GPURelocatableDeviceCode ||
      !Function->isExternallyVisible())
    return false;
  const GVALinkage Linkage = Context.GetGVALinkageForFunction(Function);
  return Linkage == GVA_DiscardableODR || Linkage == GVA_StrongODR;
}
