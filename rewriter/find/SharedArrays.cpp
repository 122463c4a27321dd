//===-- SharedArrays.cpp - the user's own shared arrays -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row can get longer where each mention of the array is a subscript in all
// dimensions whose element stays with itself: then nobody can tell. An index
// that leaves its row would reach the next one; the language forbids that, and
// where an index is known here or once the block's shape is (plan/Padding.cpp),
// it is checked.
//
//===----------------------------------------------------------------------===//

#include "find/SharedArrays.h"
#include "find/Arrays.h"
#include "find/BlockSize.h"
#include "find/ElementFate.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"

using namespace bankstripe;
using namespace clang;

// Whether `+ 1` behind E, as it is written, is added to all of it.
static bool isSum(const Expr *E) {
  E = E->IgnoreImplicit();
  if (const auto *Parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    return isa<IntegerLiteral>(Parameter->getReplacement()->IgnoreImpCasts());
  if (const auto *Constant = dyn_cast<ConstantExpr>(E))
    return isSum(Constant->getSubExpr());
  const auto *Binary = dyn_cast<BinaryOperator>(E);
  return isa<IntegerLiteral, DeclRefExpr, ParenExpr>(E) ||
         (Binary && (Binary->isAdditiveOp() || Binary->isMultiplicativeOp()));
}

// Reads the type and the text of the last extent. False for what is no array
// of two or more dimensions.
static bool readType(SharedArray &A, const VarDecl *Variable,
                     const SourceText &Text) {
  ASTContext &Context = Text.context();
  QualType Type = Variable->getType();
  while (const auto *Array = Context.getAsConstantArrayType(Type)) {
    A.Extents.push_back(Array->getLimitedSize());
    Type = Array->getElementType();
  }
  if (A.Extents.size() < 2 || Type->isIncompleteType() ||
      Type->isDependentType())
    return false;
  A.ElementBytes = Context.getTypeSizeInChars(Type).getQuantity();
  A.Type = Variable->getType().getAsString();
  const Expr *Last = nullptr;
  unsigned Written = 0;
  TypeLoc Loc = Variable->getTypeSourceInfo()->getTypeLoc();
  for (; auto Array = Loc.getAs<ArrayTypeLoc>(); Loc = Array.getElementLoc()) {
    Last = Array.getSizeExpr();
    ++Written;
  }
  auto Note = [&](Reason Why) { A.Obstacles.push_back({Why, A.Where, ""}); };
  if (Written != A.Extents.size() || !Last)
    Note(Reason::ArrayTypedef);
  else if (auto Range = Text.writtenRange(Last->getSourceRange());
           Range && Range->File == A.Where.File) {
    A.LastExtent = *Range;
    A.IsSum = isSum(Last);
  } else
    Note(Reason::DeclarationInMacro);
  if (Variable->getLocation().isMacroID())
    Note(Reason::DeclarationInMacro);
  return true;
}

// The index of each dimension, where it is a constant, lies in the array.
static bool areInBounds(ArrayRef<const ArraySubscriptExpr *> Subscripts,
                        ArrayRef<uint64_t> Extents, const ASTContext &Context) {
  return llvm::all_of(llvm::zip(Subscripts, Extents), [&](auto Each) {
    auto [Subscript, Extent] = Each;
    const auto Index = constantOf(Subscript->getIdx(), Context);
    return !Index || (*Index >= 0 && uint64_t(*Index) < Extent);
  });
}

static std::optional<Reason> obstacleOf(const DeclRefExpr *Reference,
                                        const SharedArray &A,
                                        const BodyIndex &Body,
                                        BodyIndexCache &Bodies) {
  const auto Subscripts = Body.subscriptsOf(Reference);
  if (Subscripts.empty()) {
    const Stmt *Parent = Body.around<ParenExpr, ImplicitCastExpr>(Reference);
    return isa_and_nonnull<UnaryExprOrTypeTraitExpr>(Parent)
               ? Reason::SizeOfArray
           : isa_and_nonnull<CallExpr>(Parent) ? Reason::PassedToFunction
                                               : Reason::PointerTaken;
  }
  if (Subscripts.back()->getType()->isArrayType())
    return Reason::PartialSubscript;
  if (Body.TypeOperands.contains(Reference))
    return Reason::Decltype;
  if (!areInBounds(Subscripts, A.Extents, Body.Context))
    return Reason::OutOfBounds;
  const Fate End = fateOf(Subscripts.back(), Body, Bodies);
  if (End <= Fate::Address)
    return std::nullopt;
  return End == Fate::Unknown ? Reason::UnknownUse
                              : Reason::ElementAddressEscapes;
}

std::vector<SharedArray>
bankstripe::findSharedArrays(const FunctionDecl *Function,
                             BodyIndexCache &Bodies, const SourceText &Text,
                             llvm::function_ref<bool(StringRef)> MayEdit) {
  std::vector<SharedArray> Result;
  const BodyIndex &Body = *Bodies.get(Function);
  for (auto [Variable, Statement] : Body.Variables) {
    if (!Variable->hasAttr<CUDASharedAttr>() || Variable->hasExternalStorage())
      continue;
    SharedArray A;
    A.Name = Variable->getNameAsString();
    A.Where = Text.place(Variable->getLocation());
    if (!readType(A, Variable, Text))
      continue;
    A.Id = ASTNameGenerator(Text.context()).getName(Variable);
    A.Function = Function->getQualifiedNameAsString();
    auto Note = [&](Reason Why, const Place &Where) {
      A.Obstacles.push_back({Why, Where, ""});
    };
    if (auto Spelled = Text.spelled(Variable->getLocation());
        Spelled && hasNolint(*Spelled, Text))
      Note(Reason::Nolint, A.Where);
    if (!MayEdit(A.Where.File))
      Note(Reason::OutsidePaths, A.Where);
    for (const DeclRefExpr *Reference : Body.references(Variable))
      if (auto Why = obstacleOf(Reference, A, Body, Bodies))
        Note(*Why, Text.place(Reference->getBeginLoc()));
    for (auto [Why, Where] : Bodies.unseenMentions(Function, Variable))
      Note(Why, Text.place(Where));
    Result.push_back(std::move(A));
  }
  return Result;
}
