//===-- CollectedFunctions.cpp - what a unit has functions of -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies are left out here: they are indexed one by one (find/BodyIndex).
//
//===----------------------------------------------------------------------===//

#include "find/CollectedFunctions.h"
#include "find/BodyIndex.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace bankstripe;
using namespace clang;

namespace {

class FunctionCollector : public RecursiveASTVisitor<FunctionCollector> {
public:
  bool shouldVisitTemplateInstantiations() const { return true; }

  // Bodies are indexed one by one, lambdas as part of the body around them.
  bool TraverseStmt(Stmt *) { return true; }

  bool VisitFunctionDecl(FunctionDecl *Function) {
    if (Function->doesThisDeclarationHaveABody() && Function->getBody())
      (Function->isDependentContext() ? Templates : Result.Functions)
          .push_back(Function);
    return !Function->isOverloadedOperator() || note(Function);
  }
  bool VisitUsingDecl(UsingDecl *Using) { return note(Using); }
  bool VisitUsingDirectiveDecl(UsingDirectiveDecl *Using) {
    return note(Using);
  }

  // Outside functions a kernel's address can be taken too: in a table of
  // function pointers, a default argument, a member's initialiser.
  bool VisitVarDecl(VarDecl *Variable) {
    if (const Expr *Init = Variable->getAnyInitializer())
      Result.Initializers.push_back(Init);
    return true;
  }
  bool VisitFieldDecl(FieldDecl *Field) {
    if (const Expr *Init = Field->getInClassInitializer())
      Result.Initializers.push_back(Init);
    return true;
  }

  CollectedFunctions Result;
  std::vector<const FunctionDecl *> Templates;

private:
  bool note(const NamedDecl *Declared) {
    Result.Visible.push_back(Declared);
    return true;
  }
};

} // namespace

CollectedFunctions bankstripe::collectFunctions(ASTContext &Context) {
  FunctionCollector Collector;
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    if (D->getLocation().isValid() && !isOfSystem(D))
      Collector.TraverseDecl(D);
  llvm::append_range(Collector.Result.Functions, Collector.Templates);
  return std::move(Collector.Result);
}
