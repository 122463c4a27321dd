//===-- Uses.cpp - what a piece of code does with an array ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A subscript can be rewritten when its text can be edited and when whatever
// happens to the element afterwards stays with that one element: its elements
// are no longer neighbours in memory. This file finds the subscript and its
// text; ElementFate.cpp follows the element.
//
//===----------------------------------------------------------------------===//

#include "find/Uses.h"
#include "find/Loops.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringExtras.h"

using namespace bankstripe;
using namespace clang;

Obstacle UseClassifier::obstacle(Reason Why, const Stmt *At,
                                 std::string Detail) const {
  return {Why, Text.place(At->getBeginLoc()), std::move(Detail)};
}

// The name that a call is known by, for messages.
static std::string calleeName(const Stmt *Call) {
  if (const auto *C = dyn_cast<CallExpr>(Call))
    if (const FunctionDecl *Callee = C->getDirectCallee())
      return Callee->getQualifiedNameAsString();
  if (const auto *C = dyn_cast<CXXConstructExpr>(Call))
    return C->getConstructor()->getParent()->getQualifiedNameAsString();
  return "";
}

// An array that is not subscripted: name what is done with it instead.
Obstacle UseClassifier::wholeArray(const DeclRefExpr *Reference,
                                   const BodyIndex &Body) const {
  if (Body.TypeOperands.contains(Reference) ||
      (!cast<VarDecl>(Reference->getDecl())->isConstexpr() &&
       isPartOfConstant(Reference, Body, Context)))
    return obstacle(Reason::Decltype, Reference);
  const Stmt *S = Reference;
  const Stmt *Parent = Body.parentOf(S);
  bool Decayed = false;
  while (Parent && (isa<ParenExpr>(Parent) || isa<ImplicitCastExpr>(Parent))) {
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Parent))
      Decayed |= Cast->getCastKind() == CK_ArrayToPointerDecay;
    S = Parent;
    Parent = Body.parentOf(S);
  }
  if (!Parent)
    return obstacle(Reason::UnknownUse, Reference);
  if (isa<CXXForRangeStmt>(Parent))
    return obstacle(Reason::RangeFor, Reference);
  if (isa<UnaryExprOrTypeTraitExpr>(Parent))
    return obstacle(Reason::SizeOfArray, Reference);
  if (isa<CallExpr>(Parent) || isa<CXXConstructExpr>(Parent))
    return obstacle(Reason::PassedToFunction, Reference, calleeName(Parent));
  if (const auto *Statement = dyn_cast<DeclStmt>(Parent)) {
    const VarDecl *Variable = initialisedBy(Statement, cast<Expr>(S));
    if (!Variable) // Not a value but a part of the type.
      return obstacle(Reason::Decltype, Reference);
    // `for (int x : a)` holds its range in a reference of its own.
    if (Variable->isImplicit())
      return obstacle(Reason::RangeFor, Reference);
    return obstacle(Decayed ? Reason::PointerTaken : Reason::ReferenceBound,
                    Reference, Variable->getNameAsString());
  }
  // `[&a]`, and `[a]`, which copies.
  if (isa<LambdaExpr>(Parent) ||
      (isa<ArrayInitLoopExpr>(Parent) &&
       isa_and_nonnull<LambdaExpr>(Body.parentOf(Parent))))
    return obstacle(Reason::CapturedByLambda, Reference);
  if (isa<GCCAsmStmt>(Parent))
    return obstacle(Reason::InlineAssembly, Reference);
  if (Decayed || isa<UnaryOperator>(Parent) || isa<ExplicitCastExpr>(Parent))
    return obstacle(Reason::PointerTaken, Reference);
  return obstacle(Reason::UnknownUse, Reference,
                  std::string("in a ") + Parent->getStmtClassName());
}

std::variant<Use, PointerTrail, Obstacle>
UseClassifier::classify(const DeclRefExpr *Reference, const BodyIndex &Body) {
  if (Reference->refersToEnclosingVariableOrCapture())
    return obstacle(Reason::CapturedByLambda, Reference);

  // Climb `a` => decay => `a[i]` => decay => `a[i][j]`.
  const Expr *E = Reference;
  unsigned Subscripts = 0;
  while (E->getType()->isArrayType()) {
    const Stmt *S = E;
    const Stmt *Parent = Body.parentOf(S);
    bool Decayed = false;
    while (Parent && (isa<ParenExpr>(Parent) ||
                      (isa<ImplicitCastExpr>(Parent) && !Decayed))) {
      Decayed |= isa<ImplicitCastExpr>(Parent);
      S = Parent;
      Parent = Body.parentOf(S);
    }
    const auto *Subscript = dyn_cast_or_null<ArraySubscriptExpr>(Parent);
    if (!Subscript || Subscript->getBase() != S) {
      if (Subscripts)
        return obstacle(Reason::PartialSubscript, Reference);
      if (auto Trail =
              Pointers.trailOf(cast<VarDecl>(Reference->getDecl()), Body))
        return std::move(*Trail);
      return wholeArray(Reference, Body);
    }
    if (Subscript->getLHS() != S)
      return obstacle(Reason::UnknownUse, Reference,
                      "the index stands before the array");
    E = Subscript;
    ++Subscripts;
  }

  Use U;
  U.Where = Text.place(Reference->getLocation());
  U.LoopDepth = Body.loopDepth(E);
  bool InMacro = false;
  auto NotEditable = describe(U, E, Reference, Body, InMacro);
  // `&a[N]` is where a loop over the array ends.
  const auto *AddressOf = dyn_cast_or_null<UnaryOperator>(Body.parentOf(E));
  const bool MayEnd = AddressOf && AddressOf->getOpcode() == UO_AddrOf;
  if (auto Problem = checkIndices(U, E, Body, MayEnd))
    return *Problem;

  switch (Elements.fateOf(E, Body)) {
  case Fate::Read:
    U.Access = AccessKind::Read;
    break;
  case Fate::Write:
    U.Access = AccessKind::Write;
    break;
  case Fate::ReadWrite:
    U.Access = AccessKind::ReadWrite;
    break;
  case Fate::Address:
    U.Access = AccessKind::Address;
    break;
  case Fate::Returned:
  case Fate::Escapes:
    return obstacle(Reason::ElementAddressEscapes, E);
  case Fate::Unknown:
    return obstacle(Reason::UnknownUse, E);
  }
  // An address that is compared has escaped; this one is used as an element's.
  if (MayEnd)
    if (auto Problem = checkIndices(U, E, Body, /*MayEnd=*/false))
      return *Problem;
  if (NotEditable)
    return *NotEditable;
  // The accessor leaves the text of a macro as it is.
  if (InMacro)
    return PointerTrail();
  return U;
}

// Widens a bracket's range by the blanks beside it, on the same line.
static TextRange withBlanks(TextRange Bracket, StringRef Buffer) {
  auto IsBlank = [&](unsigned At) {
    return At < Buffer.size() && (Buffer[At] == ' ' || Buffer[At] == '\t');
  };
  while (Bracket.Offset > 0 && IsBlank(Bracket.Offset - 1)) {
    --Bracket.Offset;
    ++Bracket.Length;
  }
  while (IsBlank(Bracket.end()))
    ++Bracket.Length;
  return Bracket;
}

static bool isComma(const Expr *Index) {
  const auto *Builtin = dyn_cast<BinaryOperator>(Index);
  const auto *Overloaded = dyn_cast<CXXOperatorCallExpr>(Index);
  return (Builtin && Builtin->isCommaOp()) ||
         (Overloaded && Overloaded->getOperator() == OO_Comma);
}

// Fills in the text of the use; an obstacle when it has another shape. Sets
// InMacro when there is no text to edit.
std::optional<Obstacle> UseClassifier::describe(Use &U, const Expr *Element,
                                                const DeclRefExpr *Reference,
                                                const BodyIndex &Body,
                                                bool &InMacro) const {
  auto Name = Text.spelled(Reference->getLocation());
  auto Begin = Text.spelled(Element->getBeginLoc());
  auto End = Text.spelled(Element->getEndLoc());
  InMacro = true; // Until all of it was found.
  if (!Name || !Begin || !End || Body.Ambiguous.contains(*Name))
    return std::nullopt;
  auto Whole = Text.tokens(*Begin, *End);
  auto NameText = Text.token(*Name);
  if (!Whole || !NameText)
    return std::nullopt;
  U.Whole = *Whole;
  U.Name = *NameText;

  FileID File = Text.sources().getFileID(*Begin);
  StringRef Buffer = Text.buffer(File);
  // Collected from the last subscript to the first.
  const Expr *E = Element;
  while (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
    auto Close = Text.spelled(Subscript->getRBracketLoc());
    auto BaseEnd = Text.spelled(Subscript->getBase()->getEndLoc());
    if (!Close || !BaseEnd || Text.sources().getFileID(*Close) != File)
      return std::nullopt;
    auto Open = Text.next(*BaseEnd);
    if (!Open || Open->isNot(tok::l_square))
      return std::nullopt;
    auto OpenText = Text.token(Open->getLocation());
    auto CloseText = Text.token(*Close);
    // `(t[i])[j]`: the parenthesis would end up inside the call.
    if (!U.Brackets.empty() &&
        !Buffer.slice(CloseText->end(), U.Brackets.front().Offset)
             .trim()
             .empty())
      return obstacle(Reason::UnknownUse, Reference,
                      "something stands between its subscripts");
    U.Brackets.insert(U.Brackets.begin(), {withBlanks(*OpenText, Buffer),
                                           withBlanks(*CloseText, Buffer)});
    U.IndexHasComma.insert(U.IndexHasComma.begin(),
                           isComma(Subscript->getIdx()->IgnoreImplicit()));
    E = Subscript->getBase()->IgnoreParenImpCasts();
    if (E == Reference)
      break;
  }
  InMacro = false;
  return std::nullopt;
}

// Calls of functions that get nothing but numbers, and are of the toolkit, take
// no notice of each other: min(), __popc(), what threadIdx.x stands for.
static bool isCalculation(const CallExpr *Call, const SourceManager &SM) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  return Callee && !Callee->isCXXInstanceMember() &&
         (Callee->isConstexpr() || Callee->getBuiltinID() ||
          SM.isInSystemHeader(SM.getExpansionLoc(Callee->getLocation()))) &&
         llvm::all_of(Call->arguments(), [](const Expr *Argument) {
           return Argument->isPRValue() &&
                  Argument->getType()->isArithmeticType();
         });
}

// Whether evaluating E may change what another index sees.
static bool mayChange(const Stmt *E, const ASTContext &Context) {
  if (const auto *Call = dyn_cast<CallExpr>(E);
      Call && !isCalculation(Call, Context.getSourceManager()))
    return true;
  const auto *Binary = dyn_cast<BinaryOperator>(E);
  const auto *Unary = dyn_cast<UnaryOperator>(E);
  if (isa<StmtExpr>(E) || (Binary && Binary->isAssignmentOp()) ||
      (Unary && Unary->isIncrementDecrementOp()))
    return true;
  return llvm::any_of(E->children(), [&](const Stmt *Part) {
    return Part && mayChange(Part, Context);
  });
}

// Indices must be integers as written, and must lie in the array as far as that
// is known.
std::optional<Obstacle> UseClassifier::checkIndices(Use &U, const Expr *Element,
                                                    const BodyIndex &Body,
                                                    bool MayEnd) const {
  U.ConstantIndex = true;
  unsigned Variable = 0;
  bool Changes = false;
  const Expr *E = Element;
  while (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
    const Expr *Index = Subscript->getIdx();
    for (const Expr *I = Index;
         const auto *Cast = dyn_cast<ImplicitCastExpr>(I);
         I = Cast->getSubExpr())
      if (Cast->getCastKind() == CK_UserDefinedConversion)
        return obstacle(Reason::IndexType, Index);
    if (!Index->IgnoreParenImpCasts()
             ->getType()
             ->isIntegralOrUnscopedEnumerationType())
      return obstacle(Reason::IndexType, Index);

    const Expr *Base = Subscript->getBase()->IgnoreParenImpCasts();
    const auto *Array = Context.getAsConstantArrayType(Base->getType());
    const int64_t End = Array ? Array->getLimitedSize() : INT64_MAX;
    const bool MayBeEnd = MayEnd && Subscript == Element;
    const auto Range = rangeOfIndex(Index, Body, Context);
    if (Range && (Range->Least < 0 || Range->Most >= End + MayBeEnd))
      return obstacle(
          Reason::OutOfBounds, Index,
          "index " +
              std::to_string(Range->Least < 0 ? Range->Least : Range->Most) +
              " of " + std::to_string(End));
    if (!Range || Range->Least != Range->Most) {
      U.ConstantIndex = false;
      ++Variable;
      Changes |= mayChange(Index, Context);
    }
    E = Base;
    if (isa<DeclRefExpr>(E))
      break;
  }
  // A call evaluates its arguments in any order.
  if (Changes && Variable > 1)
    return obstacle(Reason::UnknownUse, Element,
                    "one of its indices may change another");
  return std::nullopt;
}

bool bankstripe::isPartOfConstant(const DeclRefExpr *Reference,
                                  const BodyIndex &Body,
                                  const ASTContext &Context) {
  const Stmt *Child = Reference;
  for (const Stmt *Parent = Body.parentOf(Child); Parent;
       Child = Parent, Parent = Body.parentOf(Parent)) {
    if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(Parent) ||
        Body.TypeOperands.contains(cast<Expr>(Child)))
      return false;
    // The latter holds arguments of templates.
    if (isa<ConstantExpr, DeclRefExpr>(Parent))
      return true;
    if (const auto *Statement = dyn_cast<DeclStmt>(Parent)) {
      const VarDecl *Variable = initialisedBy(Statement, cast<Expr>(Child));
      // Else it is a part of a type.
      return !Variable || Variable->isConstexpr() ||
             (!Variable->getType()->isReferenceType() &&
              Variable->mightBeUsableInConstantExpressions(Context) &&
              Variable->evaluateValue());
    }
    if (!isa<Expr>(Parent))
      return false;
  }
  return false;
}
