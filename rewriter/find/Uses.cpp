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
  if (Body.TypeOperands.contains(Reference))
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
  auto NotEditable = describe(U, E, Reference, InMacro);
  // `&a[N]` is where a loop over the array ends.
  const auto *AddressOf = dyn_cast_or_null<UnaryOperator>(Body.parentOf(E));
  const bool MayEnd = AddressOf && AddressOf->getOpcode() == UO_AddrOf;
  if (auto Problem = checkIndices(U, E, MayEnd))
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
    if (auto Problem = checkIndices(U, E, /*MayEnd=*/false))
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

// Fills in the text of the use; an obstacle when it has another shape. Sets
// InMacro when there is no text to edit.
std::optional<Obstacle> UseClassifier::describe(Use &U, const Expr *Element,
                                                const DeclRefExpr *Reference,
                                                bool &InMacro) const {
  auto Name = Text.spelled(Reference->getLocation());
  auto Begin = Text.spelled(Element->getBeginLoc());
  auto End = Text.spelled(Element->getEndLoc());
  InMacro = true; // Until all of it was found.
  if (!Name || !Begin || !End)
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
    const Expr *Index = Subscript->getIdx()->IgnoreImpCasts();
    const auto *Operator = dyn_cast<BinaryOperator>(Index);
    U.IndexHasComma.insert(U.IndexHasComma.begin(),
                           Operator && Operator->isCommaOp());
    E = Subscript->getBase()->IgnoreParenImpCasts();
    if (E == Reference)
      break;
  }
  InMacro = false;
  return std::nullopt;
}

// Indices must be integers as written, and constants must lie in the array.
std::optional<Obstacle> UseClassifier::checkIndices(Use &U, const Expr *Element,
                                                    bool MayEnd) const {
  U.ConstantIndex = true;
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
    const uint64_t Allowed = MayEnd && Subscript == Element ? 1 : 0;
    Expr::EvalResult Value;
    if (!Index->isValueDependent() && Index->EvaluateAsInt(Value, Context)) {
      const auto *Array = Context.getAsConstantArrayType(Base->getType());
      const llvm::APSInt &At = Value.Val.getInt();
      if (Array && (At.isNegative() ||
                    At.getLimitedValue() >= Array->getLimitedSize() + Allowed))
        return obstacle(Reason::OutOfBounds, Index,
                        "index " + llvm::toString(At, 10) + " of " +
                            llvm::Twine(Array->getLimitedSize()).str());
    } else {
      U.ConstantIndex = false;
    }
    E = Base;
    if (isa<DeclRefExpr>(E))
      break;
  }
  return std::nullopt;
}
