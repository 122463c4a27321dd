//===-- ArgumentLookup.cpp - kernels that arguments find ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     namespace ns {
//     struct S;
//     __global__ void k(S *);
//     }
//     template <class T> __global__ void k(T *);
//     ...
//     k<<<1, 64>>>(pointerToS);
//
// To nvcc, `k` is ns::k: it looks into the namespaces of the arguments as for a
// call. Clang knows no arguments when it reads the name of a launch.
//
//===----------------------------------------------------------------------===//

#include "find/ArgumentLookup.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"

using namespace clang;

bool bankstripe::mayFindOtherKernel(const CUDAKernelCallExpr *Launch,
                                    Sema &Asked) {
  const auto *Name =
      dyn_cast<DeclRefExpr>(Launch->getCallee()->IgnoreImpCasts());
  const auto *Kernel = Name ? dyn_cast<FunctionDecl>(Name->getDecl()) : nullptr;
  if (!Kernel || Name->hasQualifier() || Kernel->isCXXClassMember())
    return false;
  SmallVector<Expr *> Arguments;
  for (const Expr *Argument : Launch->arguments())
    Arguments.push_back(const_cast<Expr *>(Argument));
  ADLResult Found;
  Asked.ArgumentDependentLookup(Kernel->getDeclName(), Name->getLocation(),
                                Arguments, Found);
  // Of those that stand beside the kernel, Clang has seen the ones before the
  // launch.
  const DeclContext *Scope = Kernel->getDeclContext()->getRedeclContext();
  return llvm::any_of(Found, [&](const NamedDecl *Other) {
    return !Scope->Equals(Other->getDeclContext()->getRedeclContext()) ||
           Asked.SourceMgr.isBeforeInTranslationUnit(Name->getLocation(),
                                                     Other->getLocation());
  });
}
