//===-- BodyIndex.cpp - one function body, indexed ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/BodyIndex.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
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
    if (const FunctionDecl *Callee = Call->getDirectCallee())
      Index.Callees.insert(Callee->getCanonicalDecl());
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
  BodyIndex &Index;
};

/// Walks over code that is called from here but stands elsewhere (a default
/// argument, a member's initialiser) or nowhere (the steps of a range-based
/// loop, `v != w` that means `!(v == w)`, the `get` of a structured binding).
class HiddenCalls : public CallVisitor<HiddenCalls> {
public:
  using CallVisitor::CallVisitor;
  bool shouldVisitImplicitCode() const { return true; }
};

class BodyWalker : public CallVisitor<BodyWalker> {
public:
  /// \p Pattern is what the body is an instance of; null if of nothing.
  BodyWalker(const ASTContext &Context, BodyIndex &Index,
             const FunctionDecl *Pattern = nullptr)
      : CallVisitor(Index), Context(Context), Pattern(Pattern) {}

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
  bool VisitCXXRewrittenBinaryOperator(CXXRewrittenBinaryOperator *Operator) {
    HiddenCalls(Index).TraverseStmt(Operator->getSemanticForm());
    return true;
  }
  bool VisitBindingDecl(BindingDecl *Binding) {
    if (const VarDecl *Holder = Binding->getHoldingVar())
      HiddenCalls(Index).TraverseStmt(const_cast<Expr *>(Holder->getInit()));
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

  // An anonymous union is a variable that nobody wrote.
  bool VisitDeclStmt(DeclStmt *Statement) {
    for (Decl *D : Statement->decls())
      if (auto *Variable = dyn_cast<VarDecl>(D);
          Variable && Variable->isImplicit())
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
    const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
    if (Variable && Pattern && Variable->getDeclContext() == Pattern)
      Index.OfPattern.insert(Reference->getLocation());
    else
      noteName(Reference->getLocation(), Reference->getDecl());
    if (Variable)
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
  const FunctionDecl *Pattern;
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
  const Stmt *Child = outermost<ParenExpr, ImplicitCastExpr>(Reference);
  const auto *Call = dyn_cast_or_null<CallExpr>(parentOf(Child));
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
    BodyWalker Walker(Definition->getASTContext(), *Slot,
                      Definition->getTemplateInstantiationPattern());
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

// Reads the tokens of a body for the names of its variables.
static llvm::StringMap<std::vector<UnseenMention>>
findUnseen(const FunctionDecl *Definition, const BodyIndex &Body) {
  const ASTContext &Context = Definition->getASTContext();
  const SourceManager &SM = Context.getSourceManager();
  llvm::StringMap<std::vector<UnseenMention>> Result;
  for (const ParmVarDecl *Parameter : Definition->parameters())
    Result.try_emplace(Parameter->getName());
  for (auto [Variable, Statement] : Body.Variables)
    if (Variable->getIdentifier())
      Result.try_emplace(Variable->getName());
  llvm::DenseSet<SourceLocation> Known;
  for (SourceLocation Loc : Body.NameLocations)
    Known.insert(SM.getFileLoc(Loc));
  const Stmt *Block = Definition->getBody();
  auto [File, End] = SM.getDecomposedLoc(SM.getFileLoc(Block->getEndLoc()));
  auto [BeginFile, Begin] =
      SM.getDecomposedLoc(SM.getFileLoc(Block->getBeginLoc()));
  StringRef Buffer = SM.getBufferData(File);
  Lexer Raw(SM.getLocForStartOfFile(File), Context.getLangOpts(),
            Buffer.begin(), Buffer.begin() + (BeginFile == File ? Begin : 0),
            Buffer.end());
  llvm::SmallVector<Token, 4> Last; // The tokens before, the newest first.
  Token Tok;
  auto Note = [&](const Token &Name, Reason Why) {
    if (auto It = Result.find(Name.getRawIdentifier()); It != Result.end())
      It->second.push_back({Why, Name.getLocation()});
  };
  while (!Raw.LexFromRawLexer(Tok) &&
         SM.getFileOffset(Tok.getLocation()) < End) {
    const bool IsMember =
        !Last.empty() &&
        Last[0].isOneOf(tok::period, tok::arrow, tok::coloncolon);
    if (Tok.is(tok::raw_identifier) && !IsMember &&
        !Known.contains(Tok.getLocation()))
      Note(Tok, Body.OfPattern.contains(Tok.getLocation())
                    ? Reason::Decltype
                    : Reason::SkippedCode);
    // An instantiation keeps the type of `decltype(a)`, but not its operand.
    if (Last.size() == 3 && Tok.is(tok::r_paren) &&
        Last[0].is(tok::raw_identifier) && Last[1].is(tok::l_paren) &&
        Last[2].is(tok::raw_identifier) &&
        Last[2].getRawIdentifier() == "decltype")
      Note(Last[0], Reason::Decltype);
    Last.insert(Last.begin(), Tok);
    if (Last.size() > 3)
      Last.pop_back();
  }
  return Result;
}

llvm::SmallVector<UnseenMention>
BodyIndexCache::unseenMentions(const FunctionDecl *Function,
                               const VarDecl *Variable) {
  const FunctionDecl *Definition = nullptr;
  const BodyIndex *Body = get(Function);
  if (!Body || !Function->hasBody(Definition) || !Variable->getIdentifier())
    return {};
  auto [Found, New] = Unseen.try_emplace(Definition);
  if (New)
    Found->second = findUnseen(Definition, *Body);
  const SourceManager &SM = Definition->getASTContext().getSourceManager();
  auto [File, Offset] =
      SM.getDecomposedLoc(SM.getFileLoc(Variable->getLocation()));
  llvm::SmallVector<UnseenMention> Result;
  for (const UnseenMention &M : Found->second.lookup(Variable->getName()))
    if (SM.getFileID(M.second) == File && SM.getFileOffset(M.second) > Offset)
      Result.push_back(M);
  return Result;
}
