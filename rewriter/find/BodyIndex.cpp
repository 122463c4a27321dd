//===-- BodyIndex.cpp - one function body, indexed ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/BodyIndex.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SetVector.h"

using namespace bankstripe;
using namespace clang;

namespace {

/// Notes the calls in whatever code it walks over.
template <class Derived>
class CallVisitor : public RecursiveASTVisitor<Derived> {
public:
  explicit CallVisitor(BodyIndex &Index) : Index(Index) {}

  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (Callee)
      Index.Callees.insert(Callee->getCanonicalDecl());
    Index.NamesLocalMemory |= Callee && asksForLocalMemory(Callee);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *Construct) {
    Index.Callees.insert(Construct->getConstructor()->getCanonicalDecl());
    return true;
  }
  bool VisitCXXInheritedCtorInitExpr(CXXInheritedCtorInitExpr *Inherited) {
    Index.Callees.insert(Inherited->getConstructor()->getCanonicalDecl());
    return true;
  }

protected:
  // CUDA programming guide, "Address space predicate and conversion functions".
  static bool asksForLocalMemory(const FunctionDecl *Callee) {
    const IdentifierInfo *Name = Callee->getIdentifier();
    return Name && (Name->isStr("__isLocal") || Name->isStr("__isShared") ||
                    Name->isStr("__cvta_generic_to_local") ||
                    Name->getName().contains("isspacep"));
  }

  BodyIndex &Index;
};

/// Walks over code that is called from here but stands elsewhere (a default
/// argument, a member's initialiser) or nowhere (the steps of a range-based
/// loop).
class HiddenCalls : public CallVisitor<HiddenCalls> {
public:
  using CallVisitor::CallVisitor;
  bool shouldVisitImplicitCode() const { return true; }
};

class BodyWalker : public CallVisitor<BodyWalker> {
public:
  BodyWalker(const ASTContext &Context, BodyIndex &Index)
      : CallVisitor(Index), Context(Context) {}

  bool shouldVisitTemplateInstantiations() const { return false; }

  bool TraverseStmt(Stmt *S) {
    if (!S)
      return true;
    Index.Parents[S] = Stack.empty() ? nullptr : Stack.back();
    Stack.push_back(S);
    bool Continue = RecursiveASTVisitor::TraverseStmt(S);
    Stack.pop_back();
    return Continue;
  }

  // The semantic form has the conversions; the syntactic one may lack them.
  bool TraverseInitListExpr(InitListExpr *List) {
    InitListExpr *Semantic =
        List->isSemanticForm() ? List : List->getSemanticForm();
    for (Expr *Init : (Semantic ? Semantic : List)->inits())
      if (!TraverseStmt(Init))
        return false;
    return true;
  }

  // A copy of a whole array hides what it copies, as its common expression.
  bool TraverseArrayInitLoopExpr(ArrayInitLoopExpr *Copy) {
    return TraverseStmt(Copy->getCommonExpr()->getSourceExpr());
  }

  // A default argument belongs to its declaration, not to this body; but what
  // it calls is called from here.
  bool TraverseCXXDefaultArgExpr(CXXDefaultArgExpr *Argument) {
    HiddenCalls(Index).TraverseStmt(Argument->getExpr());
    return true;
  }
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *Init) {
    HiddenCalls(Index).TraverseStmt(Init->getExpr());
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *Loop) {
    for (Stmt *Part : {static_cast<Stmt *>(Loop->getBeginStmt()),
                       static_cast<Stmt *>(Loop->getEndStmt()),
                       static_cast<Stmt *>(Loop->getCond()),
                       static_cast<Stmt *>(Loop->getInc())})
      if (Part)
        HiddenCalls(Index).TraverseStmt(Part);
    return true;
  }

  bool VisitVarDecl(VarDecl *Variable) {
    const auto *Statement =
        Stack.empty() ? nullptr : dyn_cast<DeclStmt>(Stack.back());
    Index.Variables.emplace_back(Variable, Statement);
    return true;
  }

  bool VisitNamedDecl(NamedDecl *Declaration) {
    Index.NameLocations.insert(Declaration->getLocation());
    if (const IdentifierInfo *Name = Declaration->getIdentifier())
      Index.LocalNames.insert(Name);
    // A using-directive may make a name ambiguous.
    if (const auto *Using = dyn_cast<UsingDirectiveDecl>(Declaration))
      for (const Decl *Member : Using->getNominatedNamespace()->decls())
        if (const auto *Named = dyn_cast<NamedDecl>(Member))
          Index.LocalNames.insert(Named->getIdentifier());
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Reference) {
    noteName(Reference->getLocation(), Reference->getDecl());
    if (const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
      Index.References[Variable].push_back(Reference);
    if (isa<FunctionDecl>(Reference->getDecl()))
      Index.FunctionReferences.push_back(Reference);
    return true;
  }

  bool VisitDecltypeTypeLoc(DecltypeTypeLoc Type) {
    Index.TypeOperands.insert(Type.getUnderlyingExpr());
    return true;
  }
  bool VisitTypeOfExprTypeLoc(TypeOfExprTypeLoc Type) {
    Index.TypeOperands.insert(Type.getUnderlyingExpr());
    return true;
  }

  bool VisitMemberExpr(MemberExpr *Member) {
    noteName(Member->getMemberLoc(), Member->getMemberDecl());
    return true;
  }

  bool VisitDesignatedInitExpr(DesignatedInitExpr *Init) {
    for (const DesignatedInitExpr::Designator &D : Init->designators())
      if (D.isFieldDesignator())
        Index.NameLocations.insert(D.getFieldLoc());
    return true;
  }

  bool VisitExplicitCastExpr(ExplicitCastExpr *Cast) {
    const unsigned Claimed = alignmentBehind(Cast, Cast->getType());
    const Expr *From = Cast->getSubExprAsWritten();
    if (Claimed > alignmentBehind(From, From->getType()))
      Index.WidestView = std::max(Index.WidestView, Claimed);
    return true;
  }
  bool VisitForStmt(ForStmt *Loop) {
    Index.ForLoops.push_back(Loop);
    return true;
  }
  bool VisitGotoStmt(GotoStmt *) { return Index.HasGoto = true; }
  bool VisitIndirectGotoStmt(IndirectGotoStmt *) {
    return Index.HasGoto = true;
  }
  bool VisitSwitchCase(SwitchCase *Case) {
    Index.SwitchCases.push_back(Case);
    return true;
  }
  bool VisitStmt(Stmt *S) {
    if (isa<BreakStmt, ContinueStmt, ReturnStmt>(S))
      Index.Exits.push_back(S);
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *Assembly) {
    const std::string Code = Assembly->getAsmString();
    Index.NamesLocalMemory |= StringRef(Code).contains("local") ||
                              StringRef(Code).contains("isspacep");
    Index.HasGoto |= Assembly->isAsmGoto();
    return true;
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Call) {
    Index.KernelCalls.push_back(Call);
    return true;
  }

private:
  // What a macro repeats may mean something else each time.
  void noteName(SourceLocation Where, const ValueDecl *Meaning) {
    Index.NameLocations.insert(Where);
    if (!Where.isMacroID())
      return;
    const SourceLocation Spelled =
        Context.getSourceManager().getSpellingLoc(Where);
    auto [It, New] = Meanings.try_emplace(Spelled, Meaning);
    if (!New && It->second != Meaning)
      Index.Ambiguous.insert(Spelled);
  }

  // Of what E points to or denotes, in bytes; 1 when nobody can tell.
  unsigned alignmentBehind(const Expr *E, QualType Type) const {
    QualType Object = Type->isPointerType() ? Type->getPointeeType() : Type;
    if (!Type->isPointerType() && !E->isGLValue())
      return 1;
    if (Object->isDependentType() || Object->isIncompleteType() ||
        Object->isFunctionType())
      return 1;
    return Context.getTypeAlignInChars(Object).getQuantity();
  }

  const ASTContext &Context;
  std::vector<const Stmt *> Stack;
  llvm::DenseMap<SourceLocation, const ValueDecl *> Meanings;
};

} // namespace

unsigned BodyIndex::loopDepth(const Stmt *S) const {
  unsigned Depth = 0;
  const Stmt *Child = S;
  for (const Stmt *P = parentOf(S); P; Child = P, P = parentOf(P)) {
    // What a for loop runs once does not count as inside it.
    if (const auto *For = dyn_cast<ForStmt>(P))
      Depth += Child != For->getInit();
    else if (isa<WhileStmt, DoStmt, CXXForRangeStmt>(P))
      ++Depth;
  }
  return Depth;
}

bool BodyIndex::isCallee(const DeclRefExpr *Reference) const {
  const Stmt *Child = Reference;
  const Stmt *Parent = parentOf(Child);
  while (Parent && (isa<ParenExpr>(Parent) || isa<ImplicitCastExpr>(Parent))) {
    Child = Parent;
    Parent = parentOf(Parent);
  }
  const auto *Call = dyn_cast_or_null<CallExpr>(Parent);
  return Call && Call->getCallee() == Child;
}

BodyIndex bankstripe::indexExpression(const Expr *E,
                                      const ASTContext &Context) {
  BodyIndex Index;
  BodyWalker(Context, Index).TraverseStmt(const_cast<Expr *>(E));
  return Index;
}

const BodyIndex *BodyIndexCache::get(const FunctionDecl *Function) {
  const FunctionDecl *Definition = nullptr;
  if (!Function || !Function->hasBody(Definition))
    return nullptr;
  std::unique_ptr<BodyIndex> &Slot = Indexes[Definition];
  if (!Slot) {
    Slot = std::make_unique<BodyIndex>();
    BodyWalker Walker(Definition->getASTContext(), *Slot);
    for (const ParmVarDecl *Parameter : Definition->parameters())
      if (Parameter->getIdentifier())
        Slot->LocalNames.insert(Parameter->getIdentifier());
    Walker.TraverseStmt(Definition->getBody());
    if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition))
      for (const CXXCtorInitializer *Init : Constructor->inits())
        Walker.TraverseStmt(Init->getInit());
  }
  return Slot.get();
}

llvm::SmallVector<const BodyIndex *>
BodyIndexCache::reachableBodies(const FunctionDecl *Function) {
  llvm::SmallVector<const BodyIndex *> Result;
  llvm::SmallSetVector<const FunctionDecl *, 16> Seen;
  Seen.insert(Function->getCanonicalDecl());
  for (unsigned I = 0; I < Seen.size(); ++I) {
    const BodyIndex *Body = get(Seen[I]);
    if (!Body)
      continue;
    Result.push_back(Body);
    Seen.insert_range(Body->Callees);
    for (const DeclRefExpr *Reference : Body->FunctionReferences)
      if (!Reference->getDecl()->hasAttr<CUDAGlobalAttr>())
        Seen.insert(
            cast<FunctionDecl>(Reference->getDecl())->getCanonicalDecl());
  }
  return Result;
}
