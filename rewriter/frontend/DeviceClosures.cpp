//===-- DeviceClosures.cpp - closures in device code ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/DeviceClosures.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace {

/// Looks for the closures around a place.
class ClosureFinder final : public DynamicRecursiveASTVisitor {
public:
  ClosureFinder(const ASTContext &Context, SourceLocation Where)
      : Sources(Context.getSourceManager()),
        Where(Sources.getExpansionLoc(Where)) {
    for (Decl *D : Context.getTranslationUnitDecl()->decls())
      if (isIn(D->getSourceRange()))
        TraverseDecl(D);
  }
  bool VisitLambdaExpr(LambdaExpr *Lambda) override {
    const DeclContext *Around = Lambda->getLambdaClass()->getDeclContext();
    while (Around->isRecord())
      Around = Around->getParent();
    const auto *Function = dyn_cast<FunctionDecl>(Around);
    Found |= Function && isIn(Lambda->getSourceRange()) &&
             (Function->hasAttr<CUDAGlobalAttr>() ||
              (Function->hasAttr<CUDADeviceAttr>() &&
               !Function->hasAttr<CUDAHostAttr>()));
    return true;
  }

  bool Found = false;

private:
  bool isIn(SourceRange Range) const {
    return Sources.isPointWithin(Where,
                                 Sources.getExpansionLoc(Range.getBegin()),
                                 Sources.getExpansionLoc(Range.getEnd()));
  }

  const SourceManager &Sources;
  const SourceLocation Where;
};

} // namespace

bool bankstripe::isInDeviceClosure(const ASTContext &Context,
                                   SourceLocation Where) {
  return ClosureFinder(Context, Where).Found;
}
