//===-- BodyIndex.cpp - one function body, indexed ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/BodyIndex.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Builtins.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SetVector.h"

using namespace bankstripe;
using namespace clang;

namespace {

/// Reads what casts claim, and which functions are called or named, be it by
/// code that stands elsewhere (a default argument, a member's initialiser) or
/// nowhere (the steps of a range-based loop).
class ClaimReader : public RecursiveASTVisitor<ClaimReader> {
public:
  explicit ClaimReader(const ASTContext &Context) : Context(Context) {}

  bool shouldVisitImplicitCode() const { return true; }

  bool VisitExplicitCastExpr(ExplicitCastExpr *Cast) {
    const unsigned Claimed = alignmentBehind(Cast, Cast->getType());
    const Expr *From = Cast->getSubExprAsWritten();
    if (Claimed > alignmentBehind(From, From->getType()))
      claim(Claimed);
    return true;
  }
  // What is called so is not seen.
  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    Expr::EvalResult Aligned;
    if (Callee && Callee->getBuiltinID() == Builtin::BI__builtin_assume_aligned)
      claim(Call->getNumArgs() > 1 && !Call->getArg(1)->isValueDependent() &&
                    Call->getArg(1)->EvaluateAsInt(Aligned, Context)
                ? Aligned.Val.getInt().getZExtValue()
                : UnseenClaim);
    else if (!Callee || (Method && Method->isVirtual()))
      claim(UnseenClaim);
    return true;
  }
  // Copies in bulk, and the operands of wgmma, are swizzled.
  bool VisitGCCAsmStmt(GCCAsmStmt *Assembly) {
    const std::string Code = Assembly->getAsmString();
    const StringRef Text = Code;
    const bool IsSwizzled = Text.contains("cp.async.bulk") ||
                            Text.contains("wgmma") || Text.contains("tcgen05");
    if (Assembly->getNumInputs())
      claim(IsSwizzled ? SwizzleClaim : UnseenClaim);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *Named) { return note(Named->getDecl()); }
  bool VisitMemberExpr(MemberExpr *Named) {
    return note(Named->getMemberDecl());
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *Construct) {
    return note(Construct->getConstructor());
  }
  bool VisitCXXInheritedCtorInitExpr(CXXInheritedCtorInitExpr *Inherited) {
    return note(Inherited->getConstructor());
  }
  bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr *Argument) {
    return TraverseStmt(Argument->getExpr());
  }
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *Init) {
    return TraverseStmt(Init->getExpr());
  }

  void claim(unsigned Alignment) { Widest = std::max(Widest, Alignment); }

  /// What code that is not seen may rely on, since local memory has it, and
  /// what the hardware wants of operands in shared memory (PTX ISA, "wgmma":
  /// swizzling modes), in bytes.
  static constexpr unsigned UnseenClaim = 16, SwizzleClaim = 1024;

  llvm::SmallSetVector<const FunctionDecl *, 16> Named;
  unsigned Widest = 0;

private:
  bool note(const ValueDecl *Declared) {
    const auto *Function = dyn_cast<FunctionDecl>(Declared);
    if (Function && !Function->hasAttr<CUDAGlobalAttr>())
      Named.insert(Function->getCanonicalDecl());
    return true;
  }
  // Of what E points to or denotes, in bytes; 1 when nobody can tell.
  unsigned alignmentBehind(const Expr *E, QualType Type) const {
    const QualType Object =
        Type->isPointerType() ? Type->getPointeeType() : Type;
    if ((!Type->isPointerType() && !E->isGLValue()) ||
        Object->isDependentType() || Object->isIncompleteType() ||
        Object->isFunctionType())
      return 1;
    return Context.getTypeAlignInChars(Object).getQuantity();
  }

  const ASTContext &Context;
};

class BodyWalker : public RecursiveASTVisitor<BodyWalker> {
public:
  /// \p Pattern is what the body is an instance of; null if of nothing.
  explicit BodyWalker(BodyIndex &Index, const FunctionDecl *Pattern = nullptr)
      : Index(Index), Pattern(Pattern) {}

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

  // A default belongs to its declaration, not to this body.
  bool TraverseCXXDefaultArgExpr(CXXDefaultArgExpr *) { return true; }
  bool TraverseCXXDefaultInitExpr(CXXDefaultInitExpr *) { return true; }

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
    if (isa<FunctionDecl, UsingDecl, UsingDirectiveDecl>(Declaration))
      Index.Visible.push_back(Declaration);
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
      Index.NameLocations.insert(Reference->getLocation());
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

  bool VisitDesignatedInitExpr(DesignatedInitExpr *Init) {
    for (const DesignatedInitExpr::Designator &D : Init->designators())
      if (D.isFieldDesignator())
        Index.NameLocations.insert(D.getFieldLoc());
    return true;
  }

  bool VisitStmt(Stmt *S) {
    if (const auto *Member = dyn_cast<MemberExpr>(S))
      Index.NameLocations.insert(Member->getMemberLoc());
    else if (const auto *Loop = dyn_cast<ForStmt>(S))
      Index.ForLoops.push_back(Loop);
    else if (const auto *Case = dyn_cast<SwitchCase>(S))
      Index.SwitchCases.push_back(Case);
    else if (const auto *Call = dyn_cast<CallExpr>(S))
      Index.Calls.push_back(Call);
    else if (const auto *This = dyn_cast<CXXThisExpr>(S))
      Index.This.push_back(This);
    else if (isa<BreakStmt, ContinueStmt, ReturnStmt>(S))
      Index.Exits.push_back(S);
    const auto *Assembly = dyn_cast<GCCAsmStmt>(S);
    if (isa<GotoStmt, IndirectGotoStmt>(S) ||
        (Assembly && Assembly->isAsmGoto()))
      Index.Gotos.push_back(dyn_cast<GotoStmt>(S));
    return true;
  }

private:
  BodyIndex &Index;
  const FunctionDecl *Pattern;
  std::vector<const Stmt *> Stack;
};

} // namespace

llvm::SmallVector<const Stmt *> bankstripe::partsOf(const Stmt *S) {
  if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(S))
    return {Default->getExpr()};
  if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(S))
    return {Default->getExpr()};
  llvm::SmallVector<const Stmt *> Parts(S->child_begin(), S->child_end());
  if (const auto *List = dyn_cast<InitListExpr>(S))
    Parts.push_back(List->getArrayFiller());
  return Parts;
}

bool bankstripe::anyPart(const Stmt *S,
                         llvm::function_ref<bool(const Stmt *)> Holds) {
  return S && (Holds(S) || llvm::any_of(partsOf(S), [&](const Stmt *Part) {
                 return anyPart(Part, Holds);
               }));
}

bool BodyIndex::isDiscarded(const Expr *E) const {
  const Stmt *Child = outermost<ParenExpr, ExprWithCleanups>(E);
  const Stmt *Parent = parentOf(Child);
  if (const auto *Comma = dyn_cast_or_null<BinaryOperator>(Parent))
    return Comma->isCommaOp() &&
           (Comma->getLHS() == Child || isDiscarded(Comma));
  return Parent && !isa<Expr, DeclStmt, ReturnStmt, AsmStmt>(Parent);
}

const ArraySubscriptExpr *BodyIndex::subscriptOf(const Expr *Array) const {
  const Stmt *Child = outermost<ParenExpr, ImplicitCastExpr>(Array);
  const auto *Subscript = dyn_cast_or_null<ArraySubscriptExpr>(parentOf(Child));
  return Subscript && Subscript->getBase() == Child ? Subscript : nullptr;
}

llvm::SmallVector<const ArraySubscriptExpr *>
BodyIndex::subscriptsOf(const Expr *Reference) const {
  llvm::SmallVector<const ArraySubscriptExpr *> Result;
  const Expr *E = Reference;
  while (E && E->getType()->isArrayType()) {
    const ArraySubscriptExpr *Next = subscriptOf(E);
    if (Next)
      Result.push_back(Next);
    E = Next;
  }
  return Result;
}

const CallExpr *BodyIndex::callOf(const DeclRefExpr *Reference) const {
  const Stmt *Child = outermost<ParenExpr, ImplicitCastExpr>(Reference);
  const auto *Call = dyn_cast_or_null<CallExpr>(parentOf(Child));
  return Call && Call->getCallee() == Child ? Call : nullptr;
}

const VarDecl *bankstripe::variableOf(const Expr *E) {
  const auto *Reference = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
}

const FunctionDecl *bankstripe::patternOf(const FunctionDecl *Function) {
  const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern();
  return Pattern ? Pattern : Function;
}

bool bankstripe::isOfSystem(const Decl *D) {
  const SourceManager &SM = D->getASTContext().getSourceManager();
  return SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation()));
}

BodyIndex bankstripe::indexStatement(const Stmt *S, const ASTContext &Context) {
  BodyIndex Index(Context);
  BodyWalker(Index).TraverseStmt(const_cast<Stmt *>(S));
  return Index;
}

const BodyIndex *BodyIndexCache::get(const FunctionDecl *Function) {
  const FunctionDecl *Definition = nullptr;
  if (!Function || !Function->hasBody(Definition))
    return nullptr;
  std::unique_ptr<BodyIndex> &Slot = Indexes[Definition];
  if (!Slot) {
    Slot = std::make_unique<BodyIndex>(Definition->getASTContext());
    BodyWalker Walker(*Slot, Definition->getTemplateInstantiationPattern());
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

// A method gets its object by one.
static bool takesPointer(const FunctionDecl &Function) {
  const auto *Method = dyn_cast<CXXMethodDecl>(&Function);
  return (Method && Method->isInstance()) ||
         llvm::any_of(Function.parameters(), [](const ParmVarDecl *P) {
           return P->getType()->isPointerOrReferenceType();
         });
}

unsigned BodyIndexCache::claimedAlignment(const FunctionDecl *Function) {
  auto [Known, New] = Claims.try_emplace(Function, 0);
  if (!New)
    return Known->second;
  ClaimReader Reader(Function->getASTContext());
  Reader.Named.insert(Function->getCanonicalDecl());
  for (unsigned I = 0; I < Reader.Named.size(); ++I) {
    const FunctionDecl *Named = Reader.Named[I], *Definition = nullptr;
    if (!Named->hasBody(Definition)) {
      // Else nothing links it.
      if (Function->getLangOpts().GPURelocatableDeviceCode &&
          !Named->getBuiltinID() && takesPointer(*Named))
        Reader.claim(ClaimReader::UnseenClaim);
      continue;
    }
    Reader.TraverseStmt(Definition->getBody());
    if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition))
      for (const CXXCtorInitializer *Init : Constructor->inits())
        Reader.TraverseStmt(Init->getInit());
  }
  return Known->second = Reader.Widest;
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
  for (SourceLocation Loc : Body.NameLocations) {
    Known.insert(SM.getFileLoc(Loc));
    Known.insert(SM.getSpellingLoc(Loc)); // In a macro of the body.
  }
  const Stmt *Block = Definition->getBody();
  auto [File, End] = SM.getDecomposedLoc(SM.getFileLoc(Block->getEndLoc()));
  auto [BeginFile, Begin] =
      SM.getDecomposedLoc(SM.getFileLoc(Block->getBeginLoc()));
  StringRef Buffer = SM.getBufferData(File);
  Lexer Raw(SM.getLocForStartOfFile(File), Context.getLangOpts(),
            Buffer.begin(), Buffer.begin() + (BeginFile == File ? Begin : 0),
            Buffer.end());
  Token Tok;
  while (!Raw.LexFromRawLexer(Tok) &&
         SM.getFileOffset(Tok.getLocation()) < End) {
    if (Tok.isNot(tok::raw_identifier) || Known.contains(Tok.getLocation()))
      continue;
    const unsigned At = SM.getFileOffset(Tok.getLocation());
    StringRef Before = Buffer.take_front(At).rtrim();
    const StringRef Behind = Buffer.substr(At + Tok.getLength()).ltrim();
    auto It = Result.find(Tok.getRawIdentifier());
    if (It == Result.end() || Before.ends_with(".") || Before.ends_with("->") ||
        Before.ends_with("::"))
      continue;
    // The type of `decltype(a)` is kept, but its operand is not everywhere.
    const bool IsOperand = Before.consume_back("(") &&
                           Before.rtrim().ends_with("decltype") &&
                           Behind.starts_with(")");
    It->second.emplace_back(IsOperand ||
                                    Body.OfPattern.contains(Tok.getLocation())
                                ? Reason::Decltype
                                : Reason::SkippedCode,
                            Tok.getLocation());
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
