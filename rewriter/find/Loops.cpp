//===-- Loops.cpp - loops that a pragma could unroll ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only the plain shape counts: one variable that the header starts, compares
// and steps by constants, and that the body only reads. How often
// such a loop runs is found by letting it run.
//
// An index is led by loops if it is computed from their variables and constants
// alone. Once they are unrolled it is a constant, and an array that has no
// other indices needs no memory. That is for ptxas to confirm; here it is about
// the text.
//
// What stands before a loop, be it `#pragma unroll 1`, `#pragma nounroll` or an
// attribute, is what its author has to say about it, and ends the matter.
//
//===----------------------------------------------------------------------===//

#include "find/Loops.h"
#include "find/BlockSize.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

using namespace bankstripe;
using namespace clang;

/// Longer loops are not simulated: nobody unrolls them.
static constexpr unsigned MostTripsOfInterest = 1024;

namespace {

/// `for (Variable = First; Variable < Bound; Variable += By)`
struct LoopHeader {
  const VarDecl *Variable = nullptr;
  QualType ComparedAs;
  int64_t First = 0;
  BinaryOperatorKind Comparison = BO_LT; ///< Variable on the left.
  int64_t Bound = 0;
  BinaryOperatorKind Step = BO_Add;
  int64_t By = 1;
};

} // namespace

static bool readComparison(LoopHeader &H, const Expr *Condition,
                           const ASTContext &Context) {
  const auto *Compare = dyn_cast_or_null<BinaryOperator>(
      Condition ? Condition->IgnoreParens() : nullptr);
  if (!Compare || (!Compare->isRelationalOp() && Compare->getOpcode() != BO_NE))
    return false;
  H.Comparison = Compare->getOpcode();
  H.ComparedAs = Compare->getLHS()->getType();
  const Expr *Left = Compare->getLHS(), *Right = Compare->getRHS();
  if (!constantOf(Right, Context)) {
    std::swap(Left, Right);
    if (Compare->isRelationalOp())
      H.Comparison = BinaryOperator::reverseComparisonOp(H.Comparison);
  }
  const auto Bound = constantOf(Right, Context);
  H.Bound = Bound.value_or(0);
  H.Variable = variableOf(Left);
  return Bound && H.Variable && H.Variable->hasLocalStorage() &&
         H.Variable->getType()->isIntegerType() &&
         !H.Variable->getType().isVolatileQualified();
}

static bool readStart(LoopHeader &H, const Stmt *Init,
                      const ASTContext &Context) {
  const Expr *First = nullptr;
  const auto *Assign = dyn_cast_or_null<BinaryOperator>(Init);
  if (const auto *Statement = dyn_cast_or_null<DeclStmt>(Init);
      Statement && llvm::is_contained(Statement->decls(), H.Variable))
    First = H.Variable->getInit();
  else if (Assign && Assign->getOpcode() == BO_Assign &&
           variableOf(Assign->getLHS()) == H.Variable)
    First = Assign->getRHS();
  const auto Value = First ? constantOf(First, Context) : std::nullopt;
  H.First = Value.value_or(0);
  return Value.has_value();
}

static bool readStep(LoopHeader &H, const Expr *Increment,
                     const ASTContext &Context) {
  Increment = Increment ? Increment->IgnoreParens() : nullptr;
  if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Increment)) {
    H.Step = Unary->isIncrementOp() ? BO_Add : BO_Sub;
    return Unary->isIncrementDecrementOp() &&
           variableOf(Unary->getSubExpr()) == H.Variable;
  }
  const auto *Compound = dyn_cast_or_null<CompoundAssignOperator>(Increment);
  if (!Compound || variableOf(Compound->getLHS()) != H.Variable)
    return false;
  H.Step = BinaryOperator::getOpForCompoundAssignment(Compound->getOpcode());
  const auto By = constantOf(Compound->getRHS(), Context);
  H.By = By.value_or(0);
  return By.has_value();
}

// Whether the body of Loop only reads Variable, and nothing has its address.
static bool onlyReads(const ForStmt *Loop, const VarDecl *Variable,
                      const BodyIndex &Body) {
  return llvm::all_of(
      Body.references(Variable), [&](const DeclRefExpr *Reference) {
        const HostUse Use = useOf(Reference, Body);
        const auto *Unary =
            dyn_cast_or_null<UnaryOperator>(Body.parentOf(Reference));
        if (Use.IsRead || (Unary && Unary->getOpcode() == UO_AddrOf))
          return Use.IsRead;
        // A write: in this loop's own header, or altogether outside.
        const Stmt *S = Reference;
        while (S && S != Loop->getBody())
          S = Body.parentOf(S);
        return !S;
      });
}

// How often the loop runs, and with which values; no trips when that is not
// seen at once, or is more than anybody would unroll.
static unsigned runLoop(const LoopHeader &H, const ASTContext &Context,
                        IndexRange &Values) {
  Values = {H.First, H.First};
  std::optional<int64_t> Value = H.First;
  for (unsigned Trips = 0; Trips <= MostTripsOfInterest; ++Trips) {
    if (!Value || !holds(H.Variable->getType(), *Value, Context) ||
        !holds(H.ComparedAs, *Value, Context))
      return 0;
    if (!apply(H.Comparison, *Value, H.Bound).value_or(0))
      return Trips;
    Values.Least = std::min(Values.Least, *Value);
    Values.Most = std::max(Values.Most, *Value);
    Value = apply(H.Step, *Value, H.By);
  }
  return 0;
}

CountedLoops::CountedLoops(const BodyIndex &Body, const SourceText &Text)
    : Body(Body), Text(Text) {
  const ASTContext &Context = Body.Context;
  for (const ForStmt *Each : Body.ForLoops) {
    LoopHeader H;
    Loop L;
    if (Each->getConditionVariable() ||
        !readComparison(H, Each->getCond(), Context) ||
        !readStart(H, Each->getInit(), Context) ||
        !readStep(H, Each->getInc(), Context) ||
        !onlyReads(Each, H.Variable, Body))
      continue;
    L.Variable = H.Variable;
    L.Trips = runLoop(H, Context, L.Values);
    L.IsLeft = Body.HasGoto;
    if (L.Trips)
      Loops[Each] = L;
  }
  for (const Stmt *S : Body.Exits)
    for (; S; S = Body.parentOf(S))
      if (auto It = Loops.find(dyn_cast<ForStmt>(S)); It != Loops.end())
        It->second.IsLeft = true;
}

// The point before Loop; nothing when a directive cannot stand there.
static std::optional<TextRange> pragmaPlace(const ForStmt *Loop,
                                            const BodyIndex &Body,
                                            const SourceText &Text) {
  const SourceLocation At = Loop->getForLoc();
  auto Token = At.isFileID() ? Text.token(At) : std::nullopt;
  if (!Token || Text.text(*Token, At) != "for" ||
      isa_and_nonnull<AttributedStmt>(Body.parentOf(Loop)) ||
      // A line that goes on swallows the directive.
      Text.line(At, 1).rtrim("\r").ends_with("\\"))
    return std::nullopt;
  Token->Length = 0;
  return Token;
}

// Whether Variable counts a loop around At, which then comes to Leading.
bool CountedLoops::isLedBy(const Stmt *At, const VarDecl *Variable,
                           LoopMap &Leading) const {
  for (const Stmt *S = Body.parentOf(At); S; S = Body.parentOf(S)) {
    const auto *For = dyn_cast<ForStmt>(S);
    auto Known = Loops.find(For);
    if (Known == Loops.end() || Known->second.Variable != Variable)
      continue;
    auto Insertion = pragmaPlace(For, Body, Text);
    if (!Insertion)
      continue;
    const unsigned Trips = Known->second.Trips;
    const Place Where = Text.place(For->getForLoc());
    Leading.try_emplace(Where, CountedLoop{Where, Trips, Trips, *Insertion});
    return true;
  }
  return false;
}

// Whether Index is computed from constants and the variables of loops, which
// come to Leading.
bool CountedLoops::isLed(const Expr *Index, LoopMap &Leading) const {
  Index = Index->IgnoreParenCasts();
  if (constantOf(Index, Body.Context))
    return true;
  if (const auto *Binary = dyn_cast<BinaryOperator>(Index))
    return !Binary->isAssignmentOp() && isLed(Binary->getLHS(), Leading) &&
           isLed(Binary->getRHS(), Leading);
  if (const auto *Unary = dyn_cast<UnaryOperator>(Index))
    return Unary->isArithmeticOp() && isLed(Unary->getSubExpr(), Leading);
  const VarDecl *Variable = variableOf(Index);
  return Variable &&
         (isLedBy(Index, Variable, Leading) ||
          (Variable->isLocalVarDecl() &&
           Variable->getType().isConstQualified() && Variable->getInit() &&
           isLed(Variable->getInit(), Leading)));
}

std::vector<CountedLoop> CountedLoops::leading(const VarDecl *Array) const {
  LoopMap Leading;
  for (const DeclRefExpr *Reference : Body.references(Array)) {
    const Expr *Last = Reference;
    for (const ArraySubscriptExpr *Subscript : Body.subscriptsOf(Reference)) {
      if (!isLed(Subscript->getIdx(), Leading))
        return {};
      Last = Subscript;
    }
    const bool OnlySize = isa_and_nonnull<UnaryExprOrTypeTraitExpr>(
        Body.around<ParenExpr, ImplicitCastExpr>(Last));
    if (Reference->refersToEnclosingVariableOrCapture() ||
        (Last->getType()->isArrayType() && !OnlySize))
      return {};
  }
  const auto Result = llvm::make_second_range(Leading);
  return {Result.begin(), Result.end()};
}

// The values of Variable at At, if it counts a loop that evaluates At in every
// turn, and that nothing leaves.
std::optional<IndexRange> CountedLoops::rangeAt(const Stmt *At,
                                                const VarDecl *Variable) const {
  const Stmt *Child = At;
  for (const Stmt *S = Body.parentOf(At); S; Child = S, S = Body.parentOf(S)) {
    if (const auto *For = dyn_cast<ForStmt>(S)) {
      auto Known = Loops.find(For);
      if (Known == Loops.end() || Known->second.IsLeft ||
          Child != For->getBody())
        return std::nullopt;
      if (Known->second.Variable == Variable)
        return Known->second.Values;
      continue;
    }
    if (const auto *Binary = dyn_cast<BinaryOperator>(S);
        Binary && Binary->isLogicalOp() && Child == Binary->getRHS())
      return std::nullopt;
    if (const auto *If = dyn_cast<IfStmt>(S); If && Child == If->getCond())
      continue;
    if (!isa<Expr, CompoundStmt, DeclStmt, AttributedStmt>(S) ||
        isa<AbstractConditionalOperator, LambdaExpr, StmtExpr,
            UnaryExprOrTypeTraitExpr>(S))
      return std::nullopt;
  }
  return std::nullopt;
}

// No variable may come twice, else its ends need not be reached at once.
std::optional<IndexRange>
CountedLoops::rangeOf(const Expr *E,
                      llvm::SmallPtrSetImpl<const VarDecl *> &Seen) const {
  E = E->IgnoreParens();
  if (const auto Value = constantOf(E, Body.Context))
    return IndexRange{*Value, *Value};
  std::optional<IndexRange> Range;
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_LValueToRValue ||
        Cast->getCastKind() == CK_IntegralCast)
      Range = rangeOf(Cast->getSubExpr(), Seen);
  } else if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    if (!Binary->isAdditiveOp() && Binary->getOpcode() != BO_Mul)
      return std::nullopt;
    const auto Left = rangeOf(Binary->getLHS(), Seen),
               Right = rangeOf(Binary->getRHS(), Seen);
    if (!Left || !Right)
      return std::nullopt;
    Range = IndexRange{INT64_MAX, INT64_MIN};
    for (int64_t A : {Left->Least, Left->Most})
      for (int64_t B : {Right->Least, Right->Most}) {
        const auto Value = apply(Binary->getOpcode(), A, B);
        if (!Value)
          return std::nullopt;
        Range->Least = std::min(Range->Least, *Value);
        Range->Most = std::max(Range->Most, *Value);
      }
  } else if (const VarDecl *Variable = variableOf(E);
             Variable && Seen.insert(Variable).second) {
    Range = rangeAt(E, Variable);
  }
  // None wraps around.
  return Range && holds(E->getType(), Range->Least, Body.Context) &&
                 holds(E->getType(), Range->Most, Body.Context)
             ? Range
             : std::nullopt;
}
