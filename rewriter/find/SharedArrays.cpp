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
// where an index is known here or once the block's shape is
// (plan/RowPadding.cpp), it is checked. An array of one dimension is looked at
// for its conflicts alone, and its text stays.
//
//===----------------------------------------------------------------------===//

#include "find/SharedArrays.h"
#include "find/Arrays.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"

using namespace bankstripe;
using namespace clang;

// Reads the type and the text of the last extent. False for what is no array.
static bool readType(SharedArray &A, const VarDecl *Variable,
                     const SourceText &Text) {
  ASTContext &Context = Text.context();
  QualType Type = Variable->getType();
  while (const auto *Array = Context.getAsConstantArrayType(Type)) {
    A.Extents.push_back(Array->getLimitedSize());
    Type = Array->getElementType();
  }
  if (A.Extents.empty() || llvm::is_contained(A.Extents, 0u) ||
      Type->isIncompleteType() || Type->isDependentType())
    return false;
  A.ElementBytes = Context.getTypeSizeInChars(Type).getQuantity();
  A.Type = Variable->getType().getAsString();
  if (!A.hasRows())
    return true;
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
    A.IsSum = isa<IntegerLiteral, DeclRefExpr, SubstNonTypeTemplateParmExpr,
                  ParenExpr>(Last->IgnoreImplicit());
  } else
    Note(Reason::DeclarationInMacro);
  if (Variable->getLocation().isMacroID())
    Note(Reason::DeclarationInMacro);
  return true;
}

std::vector<SharedArray>
bankstripe::findSharedArrays(const FunctionDecl *Function,
                             BodyIndexCache &Bodies, const SourceText &Text,
                             PointerFollower &Pointers,
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
    A.IsWeak = isWeak(Function);
    auto Note = [&](Reason Why, const Place &Where) {
      A.Obstacles.push_back({Why, Where, ""});
    };
    if (auto Spelled = Text.spelled(Variable->getLocation());
        Spelled && hasNolint(*Spelled, Text))
      Note(Reason::Nolint, A.Where);
    if (!MayEdit(A.Where.File))
      Note(Reason::OutsidePaths, A.Where);
    if (A.hasRows())
      llvm::append_range(A.Obstacles,
                         ArrayReader(Function, Bodies, Text, Pointers)
                             .readOtherThanSubscripts(Variable));
    Result.push_back(std::move(A));
  }
  return Result;
}
