//===-- GridBound.cpp - grids that an answer bounds -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose blocks must be resident all at once is launched with as many
// as a query says can be. A rewrite may lower that answer, so the grid has to
// follow it. These do:
//
//   the answer, and products with it          sms * n
//   sums and choices of such values           first ? n : 2 * n
//   the smaller one of such a value and any   min(n * sms, needed)
//   what only makes it smaller                n * sms / 2, n - 1
//   at least one                              n ? n : 1, max(n, 1)
//
// `max(n, 8)`, `n + 8`, and an answer that is overwritten do not. Where not one
// block can be resident, nothing runs anyway. A variable follows if all that is
// assigned to it does, or if it is cut off at such a value:
// `if (grid > most) grid = most;`.
//
//===----------------------------------------------------------------------===//

#include "find/GridBound.h"
#include "find/HostUse.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace bankstripe;
using namespace clang;
using llvm::StringRef;

namespace {

/// How a number follows the answer, the better the greater.
enum class Growth {
  Free,
  One,     ///< It is never more than one.
  Follows, ///< Half the answer means half of it.
};

class GridReader {
public:
  GridReader(const VarDecl *Answer, const BodyIndex &Body)
      : Answer(Answer), Body(Body) {}
  Growth growthOf(const Expr *E);

private:
  bool isSame(const Expr *A, const Expr *B) const;
  bool isLess(const Expr *Condition, const Expr *&Less,
              const Expr *&More) const;
  Growth ofOperation(const BinaryOperator &E);
  Growth ofChoice(const ConditionalOperator &E);
  Growth ofCall(const CallExpr &E);
  Growth ofDimension(const Expr *Whole, StringRef Name);
  Growth ofVariable(const VarDecl *V, StringRef Dimension = "");
  Growth ofUse(const DeclRefExpr *Name, StringRef Dimension);
  bool isCutOff(const VarDecl *V, const DeclRefExpr *Name, const Expr *Value);
  bool isForLaunch(const DeclRefExpr *Name) const;

  const VarDecl *Answer;
  const BodyIndex &Body;
  llvm::SmallPtrSet<const VarDecl *, 8> Seen;
};

} // namespace

// Of values of which any may be the one.
static Growth eitherOf(Growth A, Growth B) {
  return A == Growth::Free || B == Growth::Free ? Growth::Free : std::max(A, B);
}

// Of a product.
static Growth productOf(Growth A, Growth B) {
  return A == Growth::Follows || B == Growth::Follows ? Growth::Follows
                                                      : std::min(A, B);
}

// Whether both say the same.
bool GridReader::isSame(const Expr *A, const Expr *B) const {
  llvm::FoldingSetNodeID First, Second;
  A->IgnoreParenImpCasts()->Profile(First, Body.Context, /*Canonical=*/true);
  B->IgnoreParenImpCasts()->Profile(Second, Body.Context, /*Canonical=*/true);
  return First == Second;
}

// Whether Condition says that Less is less than More, or no more.
bool GridReader::isLess(const Expr *Condition, const Expr *&Less,
                        const Expr *&More) const {
  const auto *Compare =
      dyn_cast<BinaryOperator>(Condition->IgnoreParenImpCasts());
  if (!Compare || !Compare->isRelationalOp())
    return false;
  Less = Compare->getLHS(), More = Compare->getRHS();
  if (Compare->getOpcode() == BO_GT || Compare->getOpcode() == BO_GE)
    std::swap(Less, More);
  return true;
}

Growth GridReader::ofOperation(const BinaryOperator &E) {
  const Growth Left = growthOf(E.getLHS());
  switch (E.getOpcode()) {
  case BO_Mul:
    return productOf(Left, growthOf(E.getRHS()));
  case BO_Add:
    return std::min(Left, growthOf(E.getRHS())) == Growth::Follows
               ? Growth::Follows
               : Growth::Free;
  case BO_Shl:
    return Left == Growth::Follows ? Left : Growth::Free;
  case BO_Sub:
  case BO_Div:
  case BO_Rem:
  case BO_Shr:
  case BO_And:
    return Left;
  default:
    return Growth::Free;
  }
}

Growth GridReader::ofChoice(const ConditionalOperator &E) {
  const Growth First = growthOf(E.getTrueExpr());
  const Growth Second = growthOf(E.getFalseExpr());
  const Expr *Less = nullptr, *More = nullptr;
  return isLess(E.getCond(), Less, More) && isSame(Less, E.getTrueExpr()) &&
                 isSame(More, E.getFalseExpr())
             ? std::max(First, Second)
             : eitherOf(First, Second);
}

Growth GridReader::ofCall(const CallExpr &E) {
  const FunctionDecl *Callee = E.getDirectCallee();
  const auto *Name = Callee ? Callee->getIdentifier() : nullptr;
  if (!Name || E.getNumArgs() != 2)
    return Growth::Free;
  const Growth First = growthOf(E.getArg(0)), Second = growthOf(E.getArg(1));
  return Name->isStr("min")   ? std::max(First, Second)
         : Name->isStr("max") ? eitherOf(First, Second)
                              : Growth::Free;
}

Growth GridReader::growthOf(const Expr *E) {
  E = E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  Expr::EvalResult Number;
  if (!E->isValueDependent() && E->getType()->isIntegerType() &&
      E->EvaluateAsInt(Number, Body.Context))
    return Number.Val.getInt().getExtValue() <= 1 ? Growth::One : Growth::Free;
  if (const auto *Operation = dyn_cast<BinaryOperator>(E))
    return ofOperation(*Operation);
  if (const auto *Operation = dyn_cast<UnaryOperator>(E)) {
    const VarDecl *Configuration = Operation->getOpcode() == UO_AddrOf
                                       ? variableOf(Operation->getSubExpr())
                                       : nullptr;
    return Configuration ? ofVariable(Configuration, "gridDim") : Growth::Free;
  }
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
    return ofChoice(*Choice);
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    const VarDecl *V = variableOf(Member->getBase()->IgnoreParenImpCasts());
    return V ? ofVariable(V, Member->getMemberDecl()->getName()) : Growth::Free;
  }
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return ofCall(*Call);
  if (!E->getType()->isRecordType())
    return variableOf(E) ? ofVariable(variableOf(E)) : Growth::Free;
  Growth Result = Growth::One;
  for (StringRef Name : {"x", "y", "z"})
    Result = productOf(Result, ofDimension(E, Name));
  return Result;
}

// Of one dimension of a dim3, or the grid of a configuration, that is made as
// Whole says.
Growth GridReader::ofDimension(const Expr *Whole, StringRef Name) {
  Whole = Whole->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  if (const VarDecl *V = variableOf(Whole);
      V && Whole->getType()->isRecordType())
    return ofVariable(V, Name);
  const unsigned Index = Name == "gridDim" ? 0 : Name[0] - 'x';
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(Whole)) {
    if (Construct->getConstructor()->isCopyOrMoveConstructor())
      return ofDimension(Construct->getArg(0), Name);
    return Index < Construct->getNumArgs() ? growthOf(Construct->getArg(Index))
                                           : Growth::One;
  }
  if (const auto *List = dyn_cast<InitListExpr>(Whole))
    return Index < List->getNumInits() ? growthOf(List->getInit(Index))
                                       : Growth::One;
  if (!Whole->getType()->isIntegerType())
    return Growth::Free;
  return Index ? Growth::One : growthOf(Whole); // A number is the first one.
}

// Whether a query fills the answer in there, or a launch reads a variable.
bool GridReader::isForLaunch(const DeclRefExpr *Name) const {
  const auto *Address =
      dyn_cast_or_null<UnaryOperator>(Body.around<ParenExpr, MemberExpr>(Name));
  const auto *Call =
      Address ? dyn_cast_or_null<CallExpr>(
                    Body.around<CastExpr, MaterializeTemporaryExpr, ParenExpr>(
                        Address))
              : nullptr;
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->getIdentifier() &&
         (Callee->getName().starts_with("cudaLaunch") ||
          (Name->getDecl() == Answer &&
           Callee->getName().starts_with("cudaOccupancyMax")));
}

// Whether `if (V > Value) V = Value;` assigns Value where V is named, behind
// everything else that is assigned to V.
bool GridReader::isCutOff(const VarDecl *V, const DeclRefExpr *Name,
                          const Expr *Value) {
  const auto *Named = cast<Expr>(Body.outermost<ParenExpr, MemberExpr>(Name));
  const Stmt *Whole = Body.parentOf(Named);
  while (isa_and_nonnull<ExprWithCleanups, CompoundStmt>(Body.parentOf(Whole)))
    Whole = Body.parentOf(Whole);
  const auto *If = dyn_cast_or_null<IfStmt>(Body.parentOf(Whole));
  const Expr *Less = nullptr, *More = nullptr;
  if (!If || If->getThen() != Whole || !isLess(If->getCond(), Less, More) ||
      !isSame(More, Named) || !isSame(Less, Value) ||
      growthOf(Value) != Growth::Follows)
    return false;
  return llvm::all_of(Body.references(V), [&](const DeclRefExpr *Other) {
    return Other->getLocation() <= Name->getLocation() ||
           useOf(Other, Body).IsRead;
  });
}

// Of what V, or a dimension of it, becomes where it is named.
Growth GridReader::ofUse(const DeclRefExpr *Name, StringRef Dimension) {
  const HostUse Use =
      useOf(Body.outermost<ParenExpr, ConditionalOperator>(Name), Body);
  if (Use.IsRead || isForLaunch(Name))
    return Growth::One;
  if (Use.Field && !Dimension.empty() &&
      Use.Field->getMemberDecl()->getName() != Dimension)
    return Growth::One;
  if (Use.Assigned)
    return Use.Field || Dimension.empty()
               ? growthOf(Use.Assigned)
               : ofDimension(Use.Assigned, Dimension);
  const auto *Change = dyn_cast_or_null<CompoundAssignOperator>(
      Body.around<ParenExpr, MemberExpr>(Name));
  if (!Change || Change->getLHS()->IgnoreParens() != Name)
    return Growth::Free;
  return llvm::is_contained({BO_AddAssign, BO_OrAssign, BO_XorAssign},
                            Change->getOpcode())
             ? Growth::Free
             : Growth::One;
}

Growth GridReader::ofVariable(const VarDecl *V, StringRef Dimension) {
  if (!V->hasLocalStorage() || isa<ParmVarDecl>(V))
    return Growth::Free;
  Growth Result = V == Answer ? Growth::Follows : Growth::One;
  if (!Seen.insert(V).second)
    return Result;
  // The query overwrites what the answer was.
  if (const Expr *Init = V == Answer ? nullptr : V->getInit())
    Result = Dimension.empty() ? growthOf(Init) : ofDimension(Init, Dimension);
  for (const DeclRefExpr *Name : Body.references(V)) {
    const Expr *Value = useOf(Name, Body).Assigned;
    if (Value && isCutOff(V, Name, Value)) {
      Result = Growth::Follows;
      break;
    }
    Result = eitherOf(Result, ofUse(Name, Dimension));
  }
  Seen.erase(V);
  return Result;
}

bool bankstripe::isBoundedBy(const Expr *Grid, const VarDecl *Answer,
                             const BodyIndex &Body) {
  return GridReader(Answer, Body).growthOf(Grid) != Growth::Free;
}
