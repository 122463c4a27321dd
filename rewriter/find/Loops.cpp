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
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace bankstripe;
using namespace clang;

/// Longer loops are not simulated: nobody unrolls them.
static constexpr unsigned MostTripsOfInterest = 1024;

namespace {

/// The header of a loop over one variable.
struct LoopHeader {
  const VarDecl *Variable = nullptr;
  int64_t First = 0;
  int64_t Bound = 0;
  BinaryOperatorKind Comparison = BO_LT; ///< Variable on the left.
  BinaryOperatorKind Step = BO_Add;
  int64_t By = 1;
  bool ComparesUnsigned = false;

  /// Whether the variable, and the comparison, see \p Value as it is.
  bool holds(int64_t Value, const ASTContext &Context) const;
  bool continues(int64_t Value) const;
  /// The value after \p Value; nothing when it cannot be computed.
  std::optional<int64_t> next(int64_t Value) const;
};

/// Reads headers.
class HeaderReader {
public:
  explicit HeaderReader(const ASTContext &Context) : Context(Context) {}

  std::optional<LoopHeader> read(const ForStmt *Loop);

private:
  bool readComparison(const Expr *Condition);
  bool readStart(const Stmt *Init);
  bool readStep(const Expr *Increment);

  const VarDecl *variable(const Expr *E) const {
    const auto *Reference = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  }
  bool isVariable(const Expr *E) const {
    return variable(E) == Header.Variable;
  }
  bool evaluate(const Expr *E, int64_t &Value) const;

  const ASTContext &Context;
  LoopHeader Header;
};

} // namespace

bool LoopHeader::holds(int64_t Value, const ASTContext &Context) const {
  const QualType Type = Variable->getType();
  const unsigned Bits = std::min<uint64_t>(Context.getIntWidth(Type), 32);
  if (Type->isUnsignedIntegerType() || ComparesUnsigned)
    return llvm::isUIntN(Bits, Value);
  return llvm::isIntN(Bits, Value);
}

bool LoopHeader::continues(int64_t Value) const {
  switch (Comparison) {
  case BO_LT:
    return Value < Bound;
  case BO_LE:
    return Value <= Bound;
  case BO_GT:
    return Value > Bound;
  case BO_GE:
    return Value >= Bound;
  default:
    return Value != Bound;
  }
}

std::optional<int64_t> LoopHeader::next(int64_t Value) const {
  switch (Step) {
  case BO_Add:
    return Value + By;
  case BO_Sub:
    return Value - By;
  case BO_Mul:
    return llvm::checkedMul(Value, By);
  case BO_Div:
    return By ? std::optional<int64_t>(Value / By) : std::nullopt;
  case BO_Shl:
    return By >= 0 && By < 32 ? std::optional<int64_t>(Value << By)
                              : std::nullopt;
  case BO_Shr:
    return By >= 0 && By < 32 ? std::optional<int64_t>(Value >> By)
                              : std::nullopt;
  default:
    return std::nullopt;
  }
}

// 33 bits hold what 32 can be, with a sign or without.
bool HeaderReader::evaluate(const Expr *E, int64_t &Value) const {
  Expr::EvalResult Result;
  if (E->isInstantiationDependent() || !E->getType()->isIntegerType() ||
      !E->EvaluateAsInt(Result, Context) ||
      !Result.Val.getInt().isRepresentableByInt64())
    return false;
  Value = Result.Val.getInt().getExtValue();
  return llvm::isInt<33>(Value);
}

bool HeaderReader::readComparison(const Expr *Condition) {
  const auto *Compare = dyn_cast_or_null<BinaryOperator>(
      Condition ? Condition->IgnoreParens() : nullptr);
  if (!Compare || (!Compare->isRelationalOp() && Compare->getOpcode() != BO_NE))
    return false;
  Header.Comparison = Compare->getOpcode();
  Header.ComparesUnsigned =
      Compare->getLHS()->getType()->isUnsignedIntegerType();
  if (evaluate(Compare->getRHS(), Header.Bound)) {
    Header.Variable = variable(Compare->getLHS());
  } else if (evaluate(Compare->getLHS(), Header.Bound)) {
    Header.Variable = variable(Compare->getRHS());
    if (Compare->isRelationalOp())
      Header.Comparison =
          BinaryOperator::reverseComparisonOp(Header.Comparison);
  }
  return Header.Variable && Header.Variable->hasLocalStorage() &&
         Header.Variable->getType()->isIntegerType() &&
         !Header.Variable->getType().isVolatileQualified();
}

bool HeaderReader::readStart(const Stmt *Init) {
  if (const auto *Statement = dyn_cast_or_null<DeclStmt>(Init))
    return llvm::is_contained(Statement->decls(), Header.Variable) &&
           Header.Variable->getInit() &&
           evaluate(Header.Variable->getInit(), Header.First);
  const auto *Assign = dyn_cast_or_null<BinaryOperator>(Init);
  return Assign && Assign->getOpcode() == BO_Assign &&
         isVariable(Assign->getLHS()) &&
         evaluate(Assign->getRHS(), Header.First);
}

bool HeaderReader::readStep(const Expr *Increment) {
  Increment = Increment ? Increment->IgnoreParens() : nullptr;
  if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Increment)) {
    Header.Step = Unary->isIncrementOp() ? BO_Add : BO_Sub;
    return Unary->isIncrementDecrementOp() && isVariable(Unary->getSubExpr());
  }
  const auto *Compound = dyn_cast_or_null<CompoundAssignOperator>(Increment);
  if (!Compound || !isVariable(Compound->getLHS()))
    return false;
  Header.Step =
      BinaryOperator::getOpForCompoundAssignment(Compound->getOpcode());
  return evaluate(Compound->getRHS(), Header.By);
}

std::optional<LoopHeader> HeaderReader::read(const ForStmt *Loop) {
  if (!readComparison(Loop->getCond()) || !readStart(Loop->getInit()) ||
      !readStep(Loop->getInc()))
    return std::nullopt;
  return Header;
}

// Whether the body of Loop only reads Variable, and nothing has its address.
static bool onlyReads(const ForStmt *Loop, const VarDecl *Variable,
                      const BodyIndex &Body) {
  return llvm::all_of(
      Body.references(Variable), [&](const DeclRefExpr *Reference) {
        const Stmt *Child = Reference, *Parent = Body.parentOf(Child);
        if (const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Parent);
            Cast && Cast->getCastKind() == CK_LValueToRValue)
          return true;
        // A write: in this loop's own header, or altogether outside.
        if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Parent);
            Unary && Unary->getOpcode() == UO_AddrOf)
          return false;
        for (; Parent && Parent != Loop; Parent = Body.parentOf(Child))
          Child = Parent;
        return !Parent || Child != Loop->getBody();
      });
}

namespace {

/// What a loop does when nothing leaves it early.
struct Course {
  unsigned Trips = 0;
  IndexRange Values; ///< Of its variable; of no meaning without trips.
};

} // namespace

// Nothing when that is not seen at once, or is more than anybody would unroll.
static std::optional<Course> courseOf(const ForStmt *Loop,
                                      const LoopHeader &Header,
                                      const BodyIndex &Body,
                                      const ASTContext &Context) {
  if (Loop->getConditionVariable() || !onlyReads(Loop, Header.Variable, Body))
    return std::nullopt;
  Course Result = {0, {Header.First, Header.First}};
  for (std::optional<int64_t> Value = Header.First;; ++Result.Trips) {
    if (!Value || !Header.holds(*Value, Context) ||
        Result.Trips > MostTripsOfInterest)
      return std::nullopt;
    if (!Header.continues(*Value))
      return Result;
    Result.Values.Least = std::min(Result.Values.Least, *Value);
    Result.Values.Most = std::max(Result.Values.Most, *Value);
    Value = Header.next(*Value);
  }
}

// The point before Loop; nothing when a directive cannot stand there.
static std::optional<TextRange> pragmaPlace(const ForStmt *Loop,
                                            const BodyIndex &Body,
                                            const SourceText &Text) {
  const SourceLocation At = Loop->getForLoc();
  if (!At.isFileID() || isa_and_nonnull<AttributedStmt>(Body.parentOf(Loop)))
    return std::nullopt;
  // A line that goes on swallows the directive.
  if (Text.line(At, 1).rtrim("\r").ends_with("\\"))
    return std::nullopt;
  auto Token = Text.token(At);
  if (!Token || Text.text(*Token, Text.sources().getFileID(At)) != "for")
    return std::nullopt;
  Token->Length = 0;
  return Token;
}

CountedLoops::CountedLoops(const BodyIndex &Body, const ASTContext &Context,
                           const SourceText &Text)
    : Body(Body), Context(Context) {
  for (const ForStmt *Loop : Body.ForLoops) {
    auto Header = HeaderReader(Context).read(Loop);
    auto Insertion = pragmaPlace(Loop, Body, Text);
    if (!Header || !Insertion)
      continue;
    auto C = courseOf(Loop, *Header, Body, Context);
    if (C && C->Trips > 0)
      Loops[Loop] = {
          Header->Variable,
          {Text.place(Loop->getForLoc()), C->Trips, C->Trips, *Insertion}};
  }
}

// The loop around At that counts with Variable.
const CountedLoop *CountedLoops::around(const Stmt *At,
                                        const VarDecl *Variable) const {
  for (const Stmt *Parent = Body.parentOf(At); Parent;
       Parent = Body.parentOf(Parent))
    if (const auto *Loop = dyn_cast<ForStmt>(Parent))
      if (auto It = Loops.find(Loop);
          It != Loops.end() && It->second.Variable == Variable)
        return &It->second.Loop;
  return nullptr;
}

// Whether Index is computed from constants and the variables of loops, which
// come to Leading.
bool CountedLoops::isLed(const Expr *Index, LoopMap &Leading) const {
  Index = Index->IgnoreParenCasts();
  Expr::EvalResult Value;
  if (Index->EvaluateAsInt(Value, Context))
    return true;
  if (const auto *Binary = dyn_cast<BinaryOperator>(Index))
    return !Binary->isAssignmentOp() && isLed(Binary->getLHS(), Leading) &&
           isLed(Binary->getRHS(), Leading);
  if (const auto *Unary = dyn_cast<UnaryOperator>(Index))
    return Unary->isArithmeticOp() && isLed(Unary->getSubExpr(), Leading);
  const auto *Reference = dyn_cast<DeclRefExpr>(Index);
  const auto *Variable =
      Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  if (!Variable)
    return false;
  if (const CountedLoop *Loop = around(Reference, Variable)) {
    Leading.try_emplace(Loop->Where, *Loop);
    return true;
  }
  return Variable->isLocalVarDecl() && Variable->getType().isConstQualified() &&
         Variable->getInit() && isLed(Variable->getInit(), Leading);
}

std::vector<CountedLoop> CountedLoops::leading(const VarDecl *Array) const {
  LoopMap Leading;
  for (const DeclRefExpr *Reference : Body.references(Array)) {
    if (Reference->refersToEnclosingVariableOrCapture())
      return {};
    const Expr *E = Reference;
    while (E->getType()->isArrayType()) {
      const Stmt *Parent =
          Body.parentOf(Body.outermost<ParenExpr, ImplicitCastExpr>(E));
      if (isa_and_nonnull<UnaryExprOrTypeTraitExpr>(Parent))
        break; // Only its size.
      const auto *Subscript = dyn_cast_or_null<ArraySubscriptExpr>(Parent);
      if (!Subscript || !isLed(Subscript->getIdx(), Leading))
        return {};
      E = Subscript;
    }
  }
  const auto Loops = llvm::make_second_range(Leading);
  return {Loops.begin(), Loops.end()};
}

// --- Ranges of indices
// --------------------------------------------------------

// The values of Variable at At, if it counts a loop that evaluates At in every
// turn, and that nothing leaves.
static std::optional<IndexRange> rangeAt(const Stmt *At,
                                         const VarDecl *Variable,
                                         const BodyIndex &Body,
                                         const ASTContext &Context) {
  auto IsInside = [&](const Stmt *S, const Stmt *Outer) {
    while (S && S != Outer)
      S = Body.parentOf(S);
    return S != nullptr;
  };
  const Stmt *Child = At;
  for (const Stmt *S = Body.parentOf(At); S; Child = S, S = Body.parentOf(S)) {
    if (const auto *Loop = dyn_cast<ForStmt>(S)) {
      auto Header = HeaderReader(Context).read(Loop);
      auto C = Header ? courseOf(Loop, *Header, Body, Context) : std::nullopt;
      if (!C || C->Trips == 0 || Child != Loop->getBody() || Body.HasGoto ||
          llvm::any_of(Body.Exits,
                       [&](const Stmt *E) { return IsInside(E, Loop); }))
        return std::nullopt;
      if (Header->Variable == Variable)
        return C->Values;
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

namespace {

/// Adds up an index. No variable may come twice, else its ends need not be
/// reached at once.
class RangeReader {
public:
  RangeReader(const BodyIndex &Body, const ASTContext &Context)
      : Body(Body), Context(Context) {}

  std::optional<IndexRange> read(const Expr *E);

private:
  const BodyIndex &Body;
  const ASTContext &Context;
  llvm::SmallPtrSet<const VarDecl *, 4> Seen;
};

} // namespace

// Whether all of Range are values of Type, so that none wraps around.
static bool fits(const IndexRange &Range, QualType Type,
                 const ASTContext &Context) {
  const unsigned Bits = Context.getIntWidth(Type);
  if (Type->isUnsignedIntegerOrEnumerationType())
    return Range.Least >= 0 &&
           (Bits >= 63 ||
            llvm::isUIntN(Bits, static_cast<uint64_t>(Range.Most)));
  return Bits >= 63 ||
         (llvm::isIntN(Bits, Range.Least) && llvm::isIntN(Bits, Range.Most));
}

std::optional<IndexRange> RangeReader::read(const Expr *E) {
  E = E->IgnoreParens();
  if (E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  Expr::EvalResult Result;
  if (E->EvaluateAsInt(Result, Context)) {
    const llvm::APSInt &Value = Result.Val.getInt();
    const int64_t At =
        Value.isRepresentableByInt64() ? Value.getExtValue() : INT64_MAX;
    return IndexRange{At, At};
  }
  std::optional<IndexRange> Range;
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_LValueToRValue ||
        Cast->getCastKind() == CK_IntegralCast)
      Range = read(Cast->getSubExpr());
  } else if (const auto *Reference = dyn_cast<DeclRefExpr>(E)) {
    const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
    if (Variable && Seen.insert(Variable).second)
      Range = rangeAt(Reference, Variable, Body, Context);
  } else if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    if (!Binary->isAdditiveOp() && Binary->getOpcode() != BO_Mul)
      return std::nullopt;
    const auto Left = read(Binary->getLHS()), Right = read(Binary->getRHS());
    // Products of more than loops and small constants are nobody's indices.
    auto IsSmall = [](const std::optional<IndexRange> &R) {
      return R && llvm::isInt<31>(R->Least) && llvm::isInt<31>(R->Most);
    };
    if (!IsSmall(Left) || !IsSmall(Right))
      return std::nullopt;
    if (Binary->getOpcode() == BO_Add)
      Range = {Left->Least + Right->Least, Left->Most + Right->Most};
    else if (Binary->getOpcode() == BO_Sub)
      Range = {Left->Least - Right->Most, Left->Most - Right->Least};
    else {
      const int64_t Corners[] = {
          Left->Least * Right->Least, Left->Least * Right->Most,
          Left->Most * Right->Least, Left->Most * Right->Most};
      Range = {*llvm::min_element(Corners), *llvm::max_element(Corners)};
    }
  }
  return Range && fits(*Range, E->getType(), Context) ? Range : std::nullopt;
}

std::optional<IndexRange> bankstripe::rangeOfIndex(const Expr *Index,
                                                   const BodyIndex &Body,
                                                   const ASTContext &Context) {
  return RangeReader(Body, Context).read(Index);
}
