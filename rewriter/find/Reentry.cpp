//===-- Reentry.cpp - functions that may run twice at once ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function can be entered again in two ways. Either the calls that the tree
// shows lead back to it. Or somewhere below it a call is made whose callee
// nobody can name (through a pointer, virtual), and it is itself reached from a
// function that such a call may mean. Calls of destructors do not stand in the
// tree at all, so what they reach counts as reached from anywhere. Calls that
// leave the translation unit are followed in plan/CrossCalls.cpp.
//
//===----------------------------------------------------------------------===//

#include "find/Reentry.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"

using namespace bankstripe;
using namespace clang;

// Whether a function's name stands for a call of it here.
static bool isCallee(const DeclRefExpr *Reference, const BodyIndex &Body) {
  const Stmt *Child = Reference;
  const Stmt *Parent = Body.parentOf(Child);
  while (Parent && (isa<ParenExpr>(Parent) || isa<ImplicitCastExpr>(Parent))) {
    Child = Parent;
    Parent = Body.parentOf(Parent);
  }
  const auto *Call = dyn_cast_or_null<CallExpr>(Parent);
  return Call && Call->getCallee() == Child;
}

void ReentryCheck::addHiddenEntries(const BodyIndex &Body,
                                    FunctionSet &Entries) const {
  for (const DeclRefExpr *Reference : Body.FunctionReferences)
    if (!isCallee(Reference, Body))
      Entries.insert(
          cast<FunctionDecl>(Reference->getDecl())->getCanonicalDecl());
}

ReentryCheck::FunctionSet
ReentryCheck::reachableFromAll(const FunctionSet &Entries) {
  FunctionSet Result;
  for (const FunctionDecl *Entry : Entries)
    if (!Entry->hasAttr<CUDAGlobalAttr>())
      Result.insert_range(Bodies.reachableFrom(Entry));
  return Result;
}

ReentryCheck::ReentryCheck(ASTContext &Context, BodyIndexCache &Bodies,
                           llvm::ArrayRef<const FunctionDecl *> Functions,
                           llvm::ArrayRef<const Expr *> Initializers)
    : Bodies(Bodies) {
  FunctionSet Destructors;
  for (const FunctionDecl *Function : Functions) {
    if (Function->isDependentContext())
      continue;
    addHiddenEntries(*Bodies.get(Function), HiddenEntries);
    const auto *Method = dyn_cast<CXXMethodDecl>(Function);
    if (isa<CXXDestructorDecl>(Function))
      Destructors.insert(Function->getCanonicalDecl());
    else if (Method && Method->isVirtual())
      HiddenEntries.insert(Function->getCanonicalDecl());
  }
  for (const Expr *Init : Initializers)
    if (!Init->isInstantiationDependent())
      addHiddenEntries(indexExpression(Init, Context), HiddenEntries);
  Hidden = reachableFromAll(HiddenEntries);
  Destroyed = reachableFromAll(Destructors);
}

// Whether a call in the body may mean any function of Hidden.
bool ReentryCheck::callsUnknown(const FunctionDecl *Function) const {
  const BodyIndex *Body = Bodies.get(Function);
  return Body && Body->HasUnknownCallee;
}

std::string ReentryCheck::whyReentered(const FunctionDecl *Function) {
  const FunctionDecl *Self = Function->getCanonicalDecl();
  if (Destroyed.contains(Self))
    return "a destructor reaches it";
  const BodyIndex *Body = Bodies.get(Function);
  FunctionSet Below;
  for (const FunctionDecl *Callee : Body->Callees)
    Below.insert_range(Bodies.reachableFrom(Callee));
  if (Below.contains(Self))
    return "it calls itself";
  Below.insert(Self);
  if (Hidden.contains(Self))
    for (const FunctionDecl *Called : Below)
      if (callsUnknown(Called))
        return "it may call itself through a pointer or a virtual function";
  return "";
}
